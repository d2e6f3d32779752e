#include "reconcilers/offers/default_plan_keeper.h"

#include <algorithm>

#include <fmt/format.h>

#include "reconcilers/broker/broker_reasons.h"
#include "reconcilers/catalog/conditions.h"
#include "reconcilers/catalog/reasons.h"
#include "reconcilers/catalog/views.h"
#include "reconcilers/offers/mentions.h"
#include "resolve/choose_default.h"

namespace chandler::reconcilers {
namespace {

using controller::Step;

std::string shown(const PlanView& plan) {
  const auto external = plan.external_name();
  return external.empty() || external == plan.name() ? plan.name() : fmt::format("{} ({})", external, plan.name());
}

bool is_marked(const PlanView& plan) { return plan.is_default() && plan.usable() && !plan.service_type().empty(); }

bool is_in_force(const PlanView& plan) {
  return is_marked(plan) && plan.acknowledged_default_for() == plan.service_type();
}

// What `acknowledged` and `complaint` say becomes the status; a step only when that is new.
Step show(const PlanView& plan, std::string_view acknowledged, std::string_view complaint, WallTime now) {
  Draft draft(names_of(plan.scope()).plans, plan.object());
  const bool had_conditions = !member(status_of(plan.object()), "conditions").is_null();
  const bool is_known = !member(plan.object().value(), "status").is_null();
  if (!is_known && acknowledged.empty() && complaint.empty()) return Step::done();
  auto& status = draft.status();
  if (acknowledged.empty()) {
    status.erase("acknowledgedDefaultFor");
  } else {
    status["acknowledgedDefaultFor"] = text(acknowledged);
  }
  if (!complaint.empty()) {
    set_condition(status, kDefaultPlanCondition, Truth::kFalse, reason::kAmbiguousDefaultPlan, complaint, now);
  } else if (had_conditions) {
    remove_condition(status, kDefaultPlanCondition);
    if (status["conditions"].get_array().empty()) status.erase("conditions");
  }
  status.erase("lastConditionState");  // plans have no such column
  if (!draft.changed()) return Step::done();
  return Step::write(std::move(draft).update_status());
}

std::vector<PlanView> plans_of_type(const PlanView& plan, controller::View& view) {
  client::Selection selection;
  selection.ns = plan.object().ns();
  selection.fields.emplace_back("spec.serviceType", plan.service_type());
  std::vector<PlanView> out;
  for (auto& object : view.list(names_of(plan.scope()).plans, selection)) {
    out.emplace_back(plan.scope(), std::move(object));
  }
  return out;
}

bool is_superseded(const PlanView& plan, const std::vector<PlanView>& plans) {
  std::vector<resolve::PlanCandidate> candidates;
  candidates.reserve(plans.size());
  for (const auto& each : plans) candidates.push_back(each.candidate());
  const auto superseded = resolve::superseded_defaults(candidates);
  return std::any_of(superseded.begin(), superseded.end(), [&](size_t i) { return plans[i].name() == plan.name(); });
}

Step give_way(const PlanView& plan, const std::vector<PlanView>& fresh) {
  Draft draft(names_of(plan.scope()).plans, plan.object());
  draft.set_annotation(kDefaultPlanAnnotation, std::nullopt);
  auto step = Step::write(std::move(draft).update());
  step.notes.push_back({false, std::string(reason::kDefaultPlanUnset),
                        fmt::format("{} is no longer the default plan for {}; {} was marked instead", shown(plan),
                                    plan.service_type(), fresh.empty() ? "another plan" : shown(fresh.front()))});
  return step;
}

std::string complaint_about(const std::string& type, const std::vector<PlanView>& marked) {
  std::vector<std::string> names;
  names.reserve(marked.size());
  for (const auto& plan : marked) names.push_back(shown(plan));
  return fmt::format("several plans are marked as the default for {}: {}; remove the annotation {} from all but one",
                     type, resolve::list_names(names), kDefaultPlanAnnotation);
}

}  // namespace

std::vector<client::KindName> DefaultPlanKeeper::kinds() const { return {kClusterPlans, kPlans}; }

bool DefaultPlanKeeper::needs_look(const client::KindName& /*kind*/, const client::Object& object) const {
  if (!is_on_ || object.deleting()) return false;
  // Nearly all plans are neither marked nor were they told anything before.
  return mentions(object, {kDefaultPlanAnnotation, "acknowledgedDefaultFor", "conditions", "lastConditionState"});
}

Step DefaultPlanKeeper::reconcile(const client::KindName& kind, const client::Object& object,
                                  controller::View& view) const {
  if (!needs_look(kind, object)) return Step::done();
  const PlanView plan(kind == kClusterPlans ? Scope::kCluster : Scope::kNamespace, object);
  const auto acknowledged = plan.acknowledged_default_for();
  const auto type = plan.service_type();
  if (!is_marked(plan) || (!acknowledged.empty() && acknowledged != type)) return show(plan, "", "", view.now());

  const auto plans = plans_of_type(plan, view);
  std::vector<PlanView> marked;
  std::vector<PlanView> fresh;
  for (const auto& each : plans) {
    if (is_marked(each)) marked.push_back(each);
    if (is_marked(each) && !is_in_force(each)) fresh.push_back(each);
  }
  if (is_in_force(plan)) {
    if (is_superseded(plan, plans)) return give_way(plan, fresh);
    return show(plan, type, "", view.now());
  }
  if (fresh.size() > 1) {
    const auto complaint = complaint_about(type, marked);
    auto step = show(plan, "", complaint, view.now());
    if (!step.stages.empty()) step.notes.push_back({true, std::string(reason::kAmbiguousDefaultPlan), complaint});
    return step;
  }
  // The one before it still has to step down.
  const bool is_taken = std::any_of(plans.begin(), plans.end(), [&](const PlanView& each) {
    return each.name() != plan.name() && !each.object().deleting() && each.acknowledged_default_for() == type;
  });
  if (is_taken) return show(plan, "", "", view.now());
  auto step = show(plan, type, "", view.now());
  step.notes.push_back(
      {false, std::string(reason::kDefaultPlanSet), fmt::format("{} is the default plan for {}", shown(plan), type)});
  return step;
}

}  // namespace chandler::reconcilers
