#include "reconcilers/broker/relist.h"

#include <algorithm>
#include <memory>
#include <set>
#include <utility>

#include <fmt/format.h>

#include "base/text.h"
#include "reconcilers/broker/shelf.h"
#include "reconcilers/catalog/plan_counts.h"
#include "resolve/catalog_restrictions.h"
#include "resolve/object_name.h"

namespace chandler::reconcilers {
namespace {

constexpr size_t kMemory = 3 * 1024;     // of a new object
constexpr size_t kMetadataMembers = 12;  // those of a new object, as it is stored

// A class or plan with the place it has among the objects.
struct Entry {
  Place place;
  ProvidedFields fields;
  std::string class_name;  // plans only
  PlanCounts counts;       // classes only: of what is offered
};

struct Restrictions {
  resolve::CatalogRestrictions classes;
  resolve::CatalogRestrictions plans;
};

Result<Restrictions> restrictions_of(const BrokerView& broker) {
  meta::FieldErrors errors;
  const auto path = meta::Path("spec").member("catalogRestrictions");
  const auto plan_kind =
      broker.scope() == Scope::kCluster ? resolve::RestrictedKind::kClusterPlan : resolve::RestrictedKind::kPlan;
  auto classes = resolve::CatalogRestrictions::parse(broker.class_restrictions(), resolve::RestrictedKind::kClass,
                                                     path.member("serviceClass"), errors);
  auto plans =
      resolve::CatalogRestrictions::parse(broker.plan_restrictions(), plan_kind, path.member("servicePlan"), errors);
  if (classes && plans) return Restrictions{*std::move(classes), *std::move(plans)};
  std::vector<std::string> faults;
  for (const auto& cause : errors.causes()) faults.push_back(fmt::format("{}: {}", cause.field, cause.message));
  return bad_request(join(faults, "; "));
}

// What all objects of a broker have in common, and what is not in the catalog but in our hands: the broker's name, the
// class of a plan, the controller reference, the record of what the catalog provides.
class Frame {
 public:
  explicit Frame(const BrokerView& broker)
      : names_(broker.names()),
        broker_(broker.object().name()),
        ns_(broker.object().ns()),
        reference_(reference_to(broker)) {}

  bool is_around(const json::Value& object, const Entry& entry) const {
    const auto& spec = member(object, "spec");
    return text_at(spec, names_.broker_name) == broker_ && has_reference(object, reference_) &&
           (entry.class_name.empty() || text_at(member(spec, names_.class_ref), "name") == entry.class_name);
  }

  void put_around(json::Object& object, const Entry& entry) const {
    write_reference(object_in(object, "metadata"), reference_);
    auto& spec = object_in(object, "spec");
    spec[names_.broker_name] = text(broker_);
    if (!entry.class_name.empty()) object_in(spec, names_.class_ref)["name"] = text(entry.class_name);
    record_fields(object, entry.fields);
  }

  client::Write creation(client::KindName kind, const Entry& entry) const {
    const bool is_plan = !entry.class_name.empty();
    // Memory of its own: where webhooks are asked, another thread goes on with the object.
    json::Value object(boost::json::object_kind, document_memory(kMemory));
    auto& root = object.get_object();
    // Room for all that will be in them: growing leaves what was too small behind.
    root.reserve(5);
    object_in(root, "metadata").reserve(kMetadataMembers);
    object_in(root, "spec").reserve(entry.fields.size() + 2);
    root["apiVersion"] = text(kCatalogVersion);
    root["kind"] = text(is_plan ? names_.plan_kind : names_.class_kind);
    auto& metadata = object_in(root, "metadata");
    metadata["name"] = text(entry.place.name);
    if (!ns_.empty()) metadata["namespace"] = text(ns_);
    write_fields(root, entry.fields, {});
    put_around(root, entry);
    // As OfferKeeper is going to find it, unless somebody else has plans of this class: then it corrects it.
    if (!is_plan) write_counts(object_in(root, "status"), entry.counts);
    return {.verb = client::Write::Verb::kCreate,
            .kind = kind,
            .ns = ns_,
            .name = entry.place.name,
            .object = std::move(object),
            .uid = {},
            .resource_version = {},
            .with_status = !is_plan};
  }

 private:
  const ScopeNames& names_;
  const std::string broker_;
  const std::string ns_;
  const json::Value reference_;  // of all that the broker offers
};

class Work {
 public:
  Work(const BrokerView& broker, const Settings& settings, Restrictions restrictions, controller::View& view)
      : broker_(broker),
        settings_(settings),
        restrictions_(std::move(restrictions)),
        frame_(std::make_shared<const Frame>(broker)),
        classes_(broker, broker.names().classes, view),
        plans_(broker, broker.names().plans, view) {}

  Relist run(OfferedCatalog catalog) {
    relist_.problems = std::move(catalog.problems);
    for (auto& each : catalog.classes) take(each);
    relist_.classes = maintained(class_entries_);
    relist_.plans = maintained(plan_entries_);
    for (auto& entry : plan_entries_) write(plans_, entry, plan_specs_, plan_statuses_);
    for (auto& entry : class_entries_) write(classes_, entry, class_specs_, class_statuses_);
    for (const auto* shelf : {&plans_, &classes_}) {
      flag(*shelf);
      bring_back(*shelf);
    }
    for (auto* stage : {&plan_specs_, &plan_statuses_, &class_specs_, &class_statuses_, &flags_}) {
      if (!stage->empty()) relist_.stages.push_back(std::move(*stage));
    }
    return std::move(relist_);
  }

 private:
  static int64_t maintained(const std::vector<Entry>& entries) {
    return std::count_if(entries.begin(), entries.end(),
                         [](const Entry& entry) { return !entry.place.is_operators_own; });
  }

  // Finds places for a class and its plans; what the restrictions leave out, or has no place, is not offered.
  void take(OfferedClass& offered) {
    const auto& id = offered.external_id;
    auto place = classes_.find(id, "", {resolve::object_name_of_id(id)});
    if (!place) place = classes_.find(id, "", {resolve::class_name_when_taken(id, broker_.object().name())});
    if (!place) return no_place(label_of(offered), offered.external_id);
    if (!restrictions_.classes.matches({place->name, offered.external_name, offered.external_id})) return;

    const auto type = type_of(offered.fields, *place);
    std::vector<Entry> plans;
    PlanCounts counts;
    for (auto& plan : offered.plans) {
      auto entry = take_plan(plan, offered, place->name, type);
      if (!entry) continue;
      ++(plan.free ? counts.free : counts.paid);
      plans.push_back(*std::move(entry));
    }
    if (plans.empty()) return;  // nothing of it can be had
    classes_.keep(*place);
    for (auto& plan : plans) {
      plans_.keep(plan.place);
      ids_.insert(provided_text(plan, "spec.externalID"));
      plan_entries_.push_back(std::move(plan));
    }
    ids_.insert(offered.external_id);
    class_entries_.push_back({*std::move(place), std::move(offered.fields), "", counts});
  }

  std::optional<Entry> take_plan(OfferedPlan& plan, const OfferedClass& of, const std::string& class_name,
                                 const json::Value& type) {
    const auto& id = plan.external_id;
    auto place = plans_.find(id, class_name, {resolve::object_name_of_id(id)});
    if (!place) {
      // Other brokers may have taken the first two names; the broker's own name settles it.
      place = plans_.find(
          id, class_name,
          {resolve::plan_name_when_taken(id, of.external_id),
           resolve::plan_name_when_taken(id, fmt::format("{}-{}", of.external_id, broker_.object().name()))});
    }
    if (!place) {
      no_place(label_of(plan, of), id);
      return std::nullopt;
    }
    if (!restrictions_.plans.matches({place->name, plan.external_name, id, plan.free, class_name})) return std::nullopt;
    if (!type.is_null() && !plan.fields.contains(kServiceTypePath) && !has_own_type(*place)) {
      plan.fields.emplace(kServiceTypePath, type);
      if (!of.fields.contains(kServiceTypePath)) plan.fields.emplace(kTypeOfClassPath, type);
    }
    return Entry{*std::move(place), std::move(plan.fields), class_name, {}};
  }

  static std::string label_of(const OfferedClass& offered) {
    return fmt::format("class {}", quoted(offered.external_name));
  }
  static std::string label_of(const OfferedPlan& plan, const OfferedClass& of) {
    return fmt::format("plan {} of {}", quoted(plan.external_name), label_of(of));
  }
  std::string label_of(const Entry& entry) const {
    const auto name = quoted(provided_text(entry, "spec.externalName"));
    if (entry.class_name.empty()) return fmt::format("class {}", name);
    const auto of = std::find_if(class_entries_.begin(), class_entries_.end(),
                                 [&](const Entry& each) { return each.place.name == entry.class_name; });
    return fmt::format("plan {} of {}", name, label_of(*of));
  }

  void no_place(const std::string& label, const std::string& id) {
    relist_.problems.push_back(fmt::format(
        "{}: the objects that could hold the ID {} belong to others; rename or delete them", label, quoted(id)));
  }

  // The type that a class will have: the broker's, else the operator's. Its plans inherit it, since plans are looked up
  // by type.
  json::Value type_of(const ProvidedFields& fields, const Place& place) const {
    if (!settings_.service_types) return {};
    if (const auto found = fields.find(kServiceTypePath); found != fields.end()) return found->second;
    return has_own_type(place) ? field_at(place.existing.object().value(), kServiceTypePath) : json::Value();
  }

  static bool has_own_type(const Place& place) {
    return place.existing && !place.existing.service_type().empty() &&
           !recorded_fields(place.existing.object()).contains(kServiceTypePath);
  }

  static std::string provided_text(const Entry& entry, std::string_view path) {
    const auto found = entry.fields.find(path);
    return found == entry.fields.end() || !found->second.is_string()
               ? std::string()
               : std::string(json::view(found->second.get_string()));
  }

  void write(const Shelf& shelf, Entry& entry, std::vector<client::Write>& specs,
             std::vector<client::Write>& statuses) {
    if (entry.place.is_operators_own) return;
    if (!entry.place.existing) return specs.push_back(creation_to_come(shelf.kind(), entry));
    const auto& object = entry.place.existing.object();
    if (object.deleting()) return;  // made anew by the relist after it is gone
    const auto recorded = recorded_fields(object);
    if (!is_recorded(entry.fields, recorded) || !fields_are_current(object.value(), entry.fields, recorded) ||
        !frame_->is_around(object.value(), entry)) {
      Draft draft(shelf.kind(), object);
      for (const auto& path : write_fields(draft.root(), entry.fields, recorded)) {
        relist_.overwritten.push_back(fmt::format("{}: {}", label_of(entry), path));
      }
      frame_->put_around(draft.root(), entry);
      specs.push_back(std::move(draft).update());
    }
    if (!entry.place.existing.removed()) return;
    Draft draft(shelf.kind(), object);
    draft.status()["removedFromBrokerCatalog"] = false;
    statuses.push_back(std::move(draft).update_status());
  }

  // Thousands wait to be written at once: each is made when its turn comes.
  client::Write creation_to_come(client::KindName kind, Entry& entry) const {
    client::Write out{.verb = client::Write::Verb::kCreate,
                      .kind = kind,
                      .ns = std::string(broker_.object().ns()),
                      .name = entry.place.name,
                      .object = {},
                      .uid = {},
                      .resource_version = {}};
    out.make = [frame = frame_, kind, entry = std::make_shared<const Entry>(std::move(entry))] {
      return frame->creation(kind, *entry);
    };
    return out;
  }

  void flag(const Shelf& shelf) {
    for (const auto& offer : shelf.left_over()) {
      if (offer.removed() || offer.object().deleting()) continue;
      Draft draft(shelf.kind(), offer.object());
      draft.status()["removedFromBrokerCatalog"] = true;
      flags_.push_back(std::move(draft).update_status());
    }
  }

  // What operators made is flagged only when its broker is deleted; now the broker is there again.
  void bring_back(const Shelf& shelf) {
    for (const auto& offer : shelf.operators_own()) {
      if (!offer.removed() || offer.object().deleting() || !ids_.contains(offer.external_id())) continue;
      Draft draft(shelf.kind(), offer.object());
      draft.status()["removedFromBrokerCatalog"] = false;
      flags_.push_back(std::move(draft).update_status());
    }
  }

  const BrokerView& broker_;
  const Settings& settings_;
  const Restrictions restrictions_;
  const std::shared_ptr<const Frame> frame_;
  Shelf classes_;
  Shelf plans_;
  std::vector<Entry> class_entries_;
  std::vector<Entry> plan_entries_;
  std::set<std::string, std::less<>> ids_;  // external IDs of all that is offered
  std::vector<client::Write> plan_specs_, plan_statuses_, class_specs_, class_statuses_, flags_;
  Relist relist_;
};

}  // namespace

Result<Relist> relist(const BrokerView& broker, OfferedCatalog catalog, const Settings& settings,
                      controller::View& view) {
  CH_TRY_LET(restrictions, restrictions_of(broker));
  return Work(broker, settings, std::move(restrictions), view).run(std::move(catalog));
}

}  // namespace chandler::reconcilers
