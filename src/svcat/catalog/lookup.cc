#include "svcat/catalog/lookup.h"

#include <fmt/format.h>

#include "base/text.h"
#include "resolve/choose_default.h"
#include "svcat/catalog/fields.h"

namespace chandler::svcat {
namespace {

std::string described(const std::vector<Place>& places) {
  std::string text;
  for (const auto& place : places) {
    if (!text.empty()) text += " or ";
    text += place.scope == Scope::kCluster ? "the cluster"
            : place.ns.empty()             ? "any namespace"
                                           : fmt::format("namespace {}", place.ns);
  }
  return text;
}

// With what is nearest among the names that exist.
Error missing(std::string_view noun, const std::string& name, const std::string& where,
              const std::vector<std::string>& names, std::string_view see) {
  const auto near = nearest(name, {names.begin(), names.end()});
  Error error = not_found({"", std::string(noun), name, ""});
  error.message = fmt::format("there is no {} {} in {}; {}", noun, quoted(name), where,
                              near.empty() ? fmt::format("see {}", see) : fmt::format("did you mean {}?", near));
  return error;
}

const Kind& kind_in(const Place& place, bool plans) { return plans ? place.names().plans : place.names().classes; }

// What the places have under this name.
Result<std::vector<json::Value>> matches(Call& call, const std::vector<Place>& places, bool plans,
                                         const std::string& name, bool by_object_name, Several several,
                                         const FieldValues& also = {}) {
  CH_TRY_LET(catalog, call.catalog());
  std::vector<json::Value> found;
  for (const auto& place : places) {
    const auto& kind = kind_in(place, plans);
    if (by_object_name && !(kind.namespaced && place.ns.empty())) {
      auto object = catalog->get(kind, place.ns, name);
      if (object.ok()) {
        found.push_back(std::move(object).value());
      } else if (!is_not_found(object.error())) {
        return std::move(object).error();
      }
    } else {
      FieldValues fields{{by_object_name ? "metadata.name" : "spec.externalName", name}};
      fields.insert(fields.end(), also.begin(), also.end());
      CH_TRY_LET(objects, catalog->list(kind, place.ns, fields));
      for (auto& object : objects) found.push_back(std::move(object));
    }
    if (!found.empty() && several == Several::kFirstPlace) break;
  }
  return found;
}

Result<std::vector<std::string>> names_in(Call& call, const std::vector<Place>& places, bool plans,
                                          const FieldValues& fields = {}) {
  CH_TRY_LET(catalog, call.catalog());
  std::vector<std::string> names;
  for (const auto& place : places) {
    CH_TRY_LET(objects, catalog->list(kind_in(place, plans), place.ns, fields));
    for (const auto& object : objects) names.push_back(external_name_of(object));
  }
  return names;
}

Error ambiguous(Call& call, std::string_view noun, const std::string& name, const std::vector<json::Value>& found) {
  std::vector<std::string> all;
  bool cluster = false, in_namespace = false;
  for (const auto& object : found) {
    (scope_of(object) == Scope::kCluster ? cluster : in_namespace) = true;
    std::string of_class;
    if (noun == "plan") {
      const auto owner = class_of(call, object);
      if (owner.ok() && !owner->is_null()) of_class = fmt::format(" of class {}", external_name_of(*owner));
    }
    all.push_back(fmt::format("{}{} [{}]", name_of(object), of_class, scope_cell(object)));
  }
  const auto help = cluster && in_namespace ? "say --scope cluster or --scope namespace, or name one with --kube-name"
                    : noun == "plan"        ? "write CLASS/PLAN, or name one with --kube-name"
                                            : "name one with --kube-name";
  return bad_request(fmt::format("{} {} are called {}: {}; {}", found.size(), noun == "plan" ? "plans" : "classes",
                                 quoted(name), resolve::list_names(all), help));
}

Result<json::Value> find_offer(Call& call, const std::vector<Place>& places, bool plans, const std::string& name,
                               Several several) {
  const std::string_view noun = plans ? "plan" : "class";
  const bool by_object_name = call.is_set("kube-name");
  CH_TRY_LET(found, matches(call, places, plans, name, by_object_name, several));
  if (found.empty() && !by_object_name) {
    CH_TRY_LET(objects, matches(call, places, plans, name, true, several));
    found = std::move(objects);
  }
  if (found.size() == 1) return std::move(found.front());
  if (found.size() > 1) return ambiguous(call, noun, name, found);
  CH_TRY_LET(names, names_in(call, places, plans));
  return missing(noun, name, described(places), names,
                 fmt::format("svcat get {} --scope all", plans ? "plans" : "classes"));
}

}  // namespace

Result<json::Value> find_broker(Call& call, const std::vector<Place>& places, const std::string& name) {
  CH_TRY_LET(catalog, call.catalog());
  for (const auto& place : places) {
    auto object = catalog->get(place.names().brokers, place.ns, name);
    if (object.ok()) return object;
    if (!is_not_found(object.error())) return object;
  }
  std::vector<std::string> names;
  for (const auto& place : places) {
    CH_TRY_LET(objects, catalog->list(place.names().brokers, place.ns));
    for (const auto& object : objects) names.push_back(name_of(object));
  }
  return missing("broker", name, described(places), names, "svcat get brokers");
}

Result<json::Value> find_class(Call& call, const std::vector<Place>& places, const std::string& name, Several several) {
  return find_offer(call, places, false, name, several);
}

Result<json::Value> find_plan(Call& call, const std::vector<Place>& places, const std::string& name, Several several) {
  const auto slash = name.find('/');
  if (slash == std::string::npos) return find_offer(call, places, true, name, several);
  CH_TRY_LET(service_class, find_class(call, places, name.substr(0, slash), several));
  return find_plan_of(call, service_class, name.substr(slash + 1));
}

Result<json::Value> find_plan_of(Call& call, const json::Value& service_class, const std::string& name) {
  const Place place{scope_of(service_class), namespace_of(service_class)};
  const FieldValues of_class{{fmt::format("spec.{}.name", place.names().class_ref), name_of(service_class)}};
  for (const bool by_object_name : {call.is_set("kube-name"), true}) {
    CH_TRY_LET(found, matches(call, {place}, true, name, by_object_name, Several::kRefuse, of_class));
    std::erase_if(found, [&](const json::Value& plan) { return class_ref_of(plan) != name_of(service_class); });
    if (found.size() == 1) return std::move(found.front());
    if (found.size() > 1) return ambiguous(call, "plan", name, found);
  }
  CH_TRY_LET(names, names_in(call, {place}, true, of_class));
  return missing("plan", name, fmt::format("class {}", external_name_of(service_class)), names,
                 fmt::format("svcat get plans --class {} --scope all", external_name_of(service_class)));
}

Result<json::Value> class_of(Call& call, const json::Value& object) {
  CH_TRY_LET(catalog, call.catalog());
  for (const auto scope : {Scope::kCluster, Scope::kNamespace}) {
    const auto& names = names_of(scope);
    const auto name = text_at(object, {"spec", names.class_ref, "name"});
    if (name.empty()) continue;
    auto found = catalog->get(names.classes, namespace_of(object), name);
    if (found.ok() || !is_not_found(found.error())) return found;
  }
  return json::Value();
}

Result<json::Value> plan_of(Call& call, const json::Value& instance) {
  CH_TRY_LET(catalog, call.catalog());
  for (const auto scope : {Scope::kCluster, Scope::kNamespace}) {
    const auto& names = names_of(scope);
    const auto name = text_at(instance, {"spec", names.plan_ref, "name"});
    if (name.empty()) continue;
    auto found = catalog->get(names.plans, namespace_of(instance), name);
    if (found.ok() || !is_not_found(found.error())) return found;
  }
  return json::Value();
}

Result<json::Value> find_named(Call& call, const Kind& kind, const std::string& ns, const std::string& name) {
  CH_TRY_LET(catalog, call.catalog());
  auto object = catalog->get(kind, ns, name);
  if (object.ok() || !is_not_found(object.error()) || object.error().about.name.empty()) return object;
  CH_TRY_LET(all, catalog->list(kind, ns));
  std::vector<std::string> names;
  names.reserve(all.size());
  for (const auto& one : all) names.push_back(name_of(one));
  return missing(kind.noun, name, kind.namespaced ? fmt::format("namespace {}", ns) : "the cluster", names,
                 fmt::format("svcat get {}{}", kind.plural_noun(), kind.namespaced ? " --all-namespaces" : ""));
}

std::string effective_type(const json::Value& plan, const json::Value& service_class) {
  auto type = type_of(plan);
  return type.empty() ? type_of(service_class) : type;
}

}  // namespace chandler::svcat
