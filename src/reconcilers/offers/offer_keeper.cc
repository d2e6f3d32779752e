#include "reconcilers/offers/offer_keeper.h"

#include <algorithm>

#include <fmt/format.h>

#include "reconcilers/broker/provided_fields.h"
#include "reconcilers/catalog/plan_counts.h"
#include "reconcilers/offers/mentions.h"
#include "resolve/provided_record.h"

namespace chandler::reconcilers {
namespace {

constexpr std::string_view kRemoved = R"("removedFromBrokerCatalog":true)";

std::vector<client::Object> referring(const OfferView& offer, client::KindName kind, std::string_view reference,
                                      controller::View& view) {
  client::Selection selection;
  selection.ns = offer.object().ns();
  selection.fields.emplace_back(fmt::format("spec.{}.name", reference), offer.name());
  return view.list(kind, selection);
}

// Only in the state that was looked at: a relist may have brought it back meanwhile.
controller::Step drop(client::KindName kind, const client::Object& object) {
  auto write = delete_of(kind, object);
  write.resource_version = object.resource_version();
  return controller::Step::write(std::move(write));
}

// Plans of the class that have no type of their own have the one that an operator gave the class, now and when it
// changes. It is recorded as the next relist would, which is going to find it that way. A type of the broker's is the
// relist's business alone.
std::vector<client::Write> inherit_type(const ClassView& service_class, const std::vector<client::Object>& plans,
                                        const controller::View& view) {
  const auto& names = names_of(service_class.scope());
  const auto type = view.field(names.classes, service_class.object(), kServiceTypePath);
  const auto type_of = [&](const client::Object& plan) { return view.field(names.plans, plan, kServiceTypePath); };
  if (std::all_of(plans.begin(), plans.end(), [&](const client::Object& plan) { return type_of(plan) == type; })) {
    return {};
  }
  if (!service_class.managed() || resolve::is_provided(service_class.object().value(), kServiceTypePath)) return {};
  std::vector<client::Write> writes;
  for (const auto& object : plans) {
    const auto present = type_of(object);
    if (present == type) continue;
    const PlanView plan(service_class.scope(), object);
    const bool is_own = !present.empty() && !has_type_of_class(object);
    if (!plan.usable() || !plan.managed() || is_own) continue;
    Draft draft(names.plans, object);
    write_type_of_class(draft.root(), type);
    writes.push_back(std::move(draft).update());
  }
  return writes;
}

}  // namespace

std::vector<client::KindName> OfferKeeper::kinds() const { return {kClusterClasses, kClusterPlans, kClasses, kPlans}; }

std::vector<client::KindName> OfferKeeper::reads() const { return {kClusterPlans, kPlans, kInstances}; }

bool OfferKeeper::needs_look(const client::KindName& kind, const client::Object& object) const {
  if (object.deleting()) return false;
  const bool is_plan = kind == kClusterPlans || kind == kPlans;
  return !is_plan || mentions(object, {kRemoved});
}

controller::Step OfferKeeper::reconcile(const client::KindName& kind, const client::Object& object,
                                        controller::View& view) const {
  if (!needs_look(kind, object)) return controller::Step::done();
  const auto scope = kind == kClusterClasses || kind == kClusterPlans ? Scope::kCluster : Scope::kNamespace;
  if (kind == names_of(scope).plans) return keep_plan(PlanView(scope, object), view);
  return keep_class(ClassView(scope, object), view);
}

controller::Step OfferKeeper::keep_plan(const PlanView& plan, controller::View& view) {
  if (!plan.removed() || !plan.managed()) return controller::Step::done();
  const auto& names = names_of(plan.scope());
  if (!referring(plan, kInstances, names.plan_ref, view).empty()) return controller::Step::done();
  return drop(names.plans, plan.object());
}

controller::Step OfferKeeper::keep_class(const ClassView& service_class, controller::View& view) const {
  const auto& names = names_of(service_class.scope());
  const auto plans = referring(service_class, names.plans, names.class_ref, view);
  if (mentions(service_class.object(), {kRemoved}) && service_class.removed() && service_class.managed()) {
    const bool has_plans = std::any_of(plans.begin(), plans.end(), [&](const client::Object& plan) {
      return PlanView(service_class.scope(), plan).managed();
    });
    if (!has_plans && referring(service_class, kInstances, names.class_ref, view).empty()) {
      return drop(names.classes, service_class.object());
    }
  }
  if (auto writes = has_types_ ? inherit_type(service_class, plans, view) : std::vector<client::Write>();
      !writes.empty()) {
    controller::Step step;
    step.stages.push_back(std::move(writes));
    return step;
  }
  PlanCounts counts;
  for (const auto& object : plans) {
    const bool may_be_removed = mentions(object, {kRemoved});
    if (may_be_removed && !PlanView(service_class.scope(), object).usable()) continue;
    if (!object.deleting()) ++(view.field(names.plans, object, "spec.free") == "true" ? counts.free : counts.paid);
  }
  if (shows_counts(service_class.object(), counts)) return controller::Step::done();
  Draft draft(names.classes, service_class.object());
  write_counts(draft.status(), counts);
  if (!draft.changed()) return controller::Step::done();
  return controller::Step::write(std::move(draft).update_status());
}

}  // namespace chandler::reconcilers
