#include "svcat/plans/plan_table.h"

#include <algorithm>

#include <fmt/format.h>

#include "svcat/catalog/fields.h"

namespace chandler::svcat {
namespace {

std::string key_of(const json::Value& object) { return namespace_of(object) + "/" + name_of(object); }

}  // namespace

std::string PlanTable::class_key(const json::Value& plan) { return namespace_of(plan) + "/" + class_ref_of(plan); }

Result<void> PlanTable::learn_classes(const std::vector<Place>& places) {
  CH_TRY_LET(catalog, call_.catalog());
  for (const auto& place : places) {
    CH_TRY(catalog->pages(place.names().classes, place.ns, {}, [&](const Page& page) {
      for (const auto& service_class : page.items) learn_class(service_class);
      return true;
    }));
  }
  return {};
}

void PlanTable::learn_class(const json::Value& service_class) {
  json::Object spec{{"externalName", external_name_of(service_class)}, {"serviceType", type_of(service_class)}};
  classes_[key_of(service_class)] = json::Object{{"spec", std::move(spec)}};
}

std::vector<Source> PlanTable::sources_of_type(const std::vector<Place>& places, const std::string& type) const {
  std::vector<Source> sources;
  for (const auto& place : places) {
    const auto& names = place.names();
    sources.push_back({names.plans, place.ns, {{"spec.serviceType", type}}});
    for (const auto& [key, service_class] : classes_) {
      const auto slash = key.find('/');
      const bool of_cluster = slash == 0;
      if (of_cluster != (place.scope == Scope::kCluster) || type_of(service_class) != type) continue;
      sources.push_back(
          {names.plans, key.substr(0, slash), {{fmt::format("spec.{}.name", names.class_ref), key.substr(slash + 1)}}});
    }
  }
  return sources;
}

std::string PlanTable::class_name_of(const json::Value& plan) const {
  const auto it = classes_.find(class_key(plan));
  return it == classes_.end() ? class_ref_of(plan) : external_name_of(it->second);
}

std::string PlanTable::type_of_plan(const json::Value& plan) const {
  auto type = type_of(plan);
  if (!type.empty()) return type;
  const auto it = classes_.find(class_key(plan));
  return it == classes_.end() ? std::string() : type_of(it->second);
}

bool PlanTable::has_star(const json::Value& plan) const {
  return is_default(plan) || suggestions_with_star_.contains(key_of(plan));
}

Verdict PlanTable::judge(const json::Value& plan, const Choice& choice) {
  const auto type = type_of_plan(plan);
  if (is_default(plan) && !is_removed(plan)) defaults_.insert(namespace_of(plan) + "/" + type);
  if (!choice.type.empty() && (type != choice.type || !seen_.insert(key_of(plan)).second)) return Verdict::kSkip;
  if (is_default(plan)) return Verdict::kShow;
  if (is_suggested(plan) && !type.empty()) return Verdict::kLater;
  return choice.only_default ? Verdict::kSkip : Verdict::kShow;
}

Result<bool> PlanTable::judge_late(const json::Value& plan, const Choice& choice) {
  // A default plan of the cluster goes before what is suggested in a namespace.
  if (!choice.cluster_is_listed && !cluster_is_known_) {
    CH_TRY_LET(catalog, call_.catalog());
    const auto listed = catalog->pages(names_of(Scope::kCluster).plans, "", {}, [&](const Page& page) {
      for (const auto& other : page.items) {
        if (is_default(other) && !is_removed(other)) defaults_.insert("/" + type_of(other));
      }
      return true;
    });
    if (!listed.ok() && listed.error().reason != Reason::kForbidden) return listed.error();
    cluster_is_known_ = true;
  }
  const auto type = type_of_plan(plan);
  const bool overruled = defaults_.contains(namespace_of(plan) + "/" + type) || defaults_.contains("/" + type);
  if (!overruled && !is_removed(plan)) suggestions_with_star_.insert(key_of(plan));
  return !choice.only_default || has_star(plan);
}

Listing PlanTable::listing(const Choice& choice) {
  const auto now = call_.env().clock.now();
  Listing listing;
  listing.columns = {{"TYPE"}, {"NAME"}, {"CLASS"}, {"DESCRIPTION", true}, {"SCOPE"}};
  listing.wide_columns = {{"FREE"}, {"BROKER"}, {"KUBERNETES NAME"}, {"STATUS"}, {"AGE"}};
  listing.row = [this, now](const json::Value& plan, bool wide) {
    const auto type = type_of_plan(plan);
    Row row{type + (!type.empty() && has_star(plan) ? "*" : ""), external_name_of(plan), class_name_of(plan),
            text_at(plan, {"spec", "description"}), scope_cell(plan)};
    if (wide) {
      row.emplace_back(true_at(plan, {"spec", "free"}) ? "true" : "false");
      row.emplace_back(broker_of(plan));
      row.emplace_back(name_of(plan));
      row.emplace_back(is_removed(plan) ? "Deprecated" : "Active");
      row.emplace_back(age_of(plan, now));
    }
    return row;
  };
  listing.judge = [this, choice](const json::Value& plan) { return judge(plan, choice); };
  listing.judge_late = [this, choice](const json::Value& plan) { return judge_late(plan, choice); };
  listing.arrange = [](std::vector<json::Value>& items) {
    std::stable_sort(items.begin(), items.end(),
                     [](const json::Value& a, const json::Value& b) { return class_ref_of(a) < class_ref_of(b); });
  };
  return listing;
}

}  // namespace chandler::svcat
