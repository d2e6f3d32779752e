#include "reconcilers/instance/resolution.h"

#include <algorithm>
#include <set>

#include <fmt/format.h>

#include "reconcilers/catalog/reasons.h"
#include "resolve/choose_default.h"
#include "resolve/default_plan.h"
#include "resolve/object_reference.h"

namespace chandler::reconcilers {
namespace {

using resolve::ReferenceBy;

// A class or plan as the user named it.
struct Named {
  std::string value;  // empty: not named
  ReferenceBy by = ReferenceBy::kName;
};

Named named(const json::Value& spec, std::string_view external_name, std::string_view external_id,
            std::string_view name) {
  if (auto value = text_at(spec, external_name); !value.empty()) return {value, ReferenceBy::kExternalName};
  if (auto value = text_at(spec, external_id); !value.empty()) return {value, ReferenceBy::kExternalId};
  return {text_at(spec, name), ReferenceBy::kName};
}

Named named_class(const json::Value& spec, const ScopeNames& names) {
  return named(spec, names.class_external_name, names.class_external_id, names.class_name);
}

Named named_plan(const json::Value& spec, const ScopeNames& names) {
  return named(spec, names.plan_external_name, names.plan_external_id, names.plan_name);
}

std::string_view field_of(ReferenceBy by) {
  return by == ReferenceBy::kExternalName ? "spec.externalName" : "spec.externalID";
}

bool fits(const Named& wanted, const OfferView& offer) {
  switch (wanted.by) {
    case ReferenceBy::kName:
      return wanted.value == offer.name();
    case ReferenceBy::kExternalName:
      return wanted.value == offer.external_name();
    case ReferenceBy::kExternalId:
      return wanted.value == offer.external_id();
  }
  return false;
}

Found<ClassView> find_class(const Named& wanted, const ScopeNames& names, std::string_view ns, controller::View& view) {
  const std::string where(names.scope == Scope::kCluster ? "" : ns);
  std::vector<client::Object> objects;
  if (wanted.by == ReferenceBy::kName) {
    if (auto object = view.get(names.classes, where, wanted.value)) objects.push_back(std::move(object));
  } else {
    objects = view.list(names.classes, {where, {{std::string(field_of(wanted.by)), wanted.value}}});
  }
  std::vector<resolve::Referable> known;
  for (const auto& object : objects) {
    const ClassView one(names.scope, object);
    known.push_back(
        {one.name(), one.external_name(), one.external_id(), one.managed(), one.removed(), object.deleting()});
  }
  const auto found = resolve::find_referenced(wanted.by, wanted.value, known);
  if (found.outcome == resolve::Outcome::kChosen) return ClassView(names.scope, objects[found.index]);
  if (found.outcome == resolve::Outcome::kAmbiguous) {
    std::vector<std::string> several;
    several.reserve(found.matches.size());
    for (const auto i : found.matches) several.push_back(known[i].name);
    return Problem{reason::kAmbiguousReference,
                   fmt::format("\"{}\" means several objects of kind {}: {}. Name one of them with spec.{}.",
                               wanted.value, names.class_kind, resolve::list_names(several), names.class_name)};
  }
  if (!found.gone.empty()) {
    return Problem{reason::kClassRemoved,
                   fmt::format("The {} \"{}\" has been removed from its broker's catalog; choose another class.",
                               names.class_kind, wanted.value)};
  }
  return Problem{
      reason::kNoSuchClass,
      fmt::format("There is no {} \"{}\"{}; it is looked for again when the catalog changes.", names.class_kind,
                  wanted.value, where.empty() ? "" : fmt::format(" in namespace {}", where))};
}

std::string_view reason_of(resolve::PlanOutcome outcome, bool by_name) {
  switch (outcome) {
    case resolve::PlanOutcome::kAmbiguous:
      return by_name ? reason::kAmbiguousReference : reason::kAmbiguousDefaultPlan;
    case resolve::PlanOutcome::kDisagrees:
      return reason::kServiceTypeMismatch;
    case resolve::PlanOutcome::kChosen:
    case resolve::PlanOutcome::kNone:
      break;
  }
  return by_name ? reason::kNoSuchPlan : reason::kNoDefaultPlan;
}

Found<Resolution> decided(const resolve::PlanRequest& request, const std::vector<PlanView>& plans,
                          const std::vector<resolve::PlanCandidate>& candidates,
                          const std::vector<std::string>& known_types = {}) {
  const auto decision = resolve::decide_plan(request, candidates, known_types);
  if (decision.outcome != resolve::PlanOutcome::kChosen) {
    const Named wanted{request.plan, request.plan_by};
    const bool gone = !request.plan.empty() && decision.outcome == resolve::PlanOutcome::kNone &&
                      std::any_of(plans.begin(), plans.end(), [&](const PlanView& plan) { return fits(wanted, plan); });
    return Problem{gone ? reason::kPlanRemoved : reason_of(decision.outcome, !request.plan.empty()), decision.message};
  }
  Resolution resolution;
  resolution.plan = plans[decision.index];
  resolution.rule = resolve::rule_name(decision.rule);
  resolution.message = decision.message;
  resolution.service_type = candidates[decision.index].service_type;
  return resolution;
}

// The plans of a class, or those of them that are called so. Either way every change of a plan of the class is noticed.
std::vector<PlanView> plans_of(const ClassView& service_class, const Named& wanted, controller::View& view) {
  const auto& names = names_of(service_class.scope());
  client::Selection selection{std::string(service_class.object().ns()),
                              {{fmt::format("spec.{}.name", names.class_ref), service_class.name()}}};
  if (!wanted.value.empty()) selection.fields.emplace_back(field_of(wanted.by), wanted.value);
  std::vector<PlanView> plans;
  for (auto& object : view.list(names.plans, selection)) plans.emplace_back(names.scope, std::move(object));
  return plans;
}

// The plan of a class that was found.
Found<Resolution> find_plan(const ClassView& service_class, const Named& wanted, const InstanceView& instance,
                            const Settings& settings, controller::View& view) {
  resolve::PlanRequest request;
  request.namespace_name = instance.ns();
  if (settings.service_types) request.service_type = instance.service_type();
  request.class_name = service_class.name();
  request.class_external_name = service_class.external_name();
  if (settings.service_types) request.class_service_type = service_class.service_type();
  request.scope =
      service_class.scope() == Scope::kCluster ? resolve::PlanScope::kCluster : resolve::PlanScope::kNamespace;
  request.plan = wanted.value;
  request.plan_by = wanted.by;
  const auto decide_among = [&](const std::vector<PlanView>& plans) {
    std::vector<resolve::PlanCandidate> candidates;
    for (const auto& plan : plans) {
      auto candidate = plan.candidate();
      candidate.class_external_name = service_class.external_name();
      if (candidate.service_type.empty()) candidate.service_type = service_class.service_type();
      if (!settings.service_types) candidate.is_default = false;
      if (!settings.suggested_plans) candidate.is_suggested = false;
      candidates.push_back(std::move(candidate));
    }
    auto found = decided(request, plans, candidates);
    if (found.ok()) found->service_class = service_class;
    return found;
  };
  // Who names a plan usually names one that exists; only the answer that there is none has to know the others.
  if (!wanted.value.empty() && wanted.by != ReferenceBy::kName) {
    if (const auto named = plans_of(service_class, wanted, view); !named.empty()) return decide_among(named);
  }
  return decide_among(plans_of(service_class, {}, view));
}

ClassView class_of(const PlanView& plan, controller::View& view) {
  return {plan.scope(), view.get(names_of(plan.scope()).classes, plan.object().ns(), plan.class_name())};
}

// For the message that a type has no plan: the types of all classes, whose plans have the same. There are far fewer
// classes than plans, and only what waits for a type that nobody offers looks at them.
std::vector<std::string> types_offered(const InstanceView& instance, controller::View& view) {
  std::set<std::string> types;
  for (const auto scope : {Scope::kNamespace, Scope::kCluster}) {
    const std::string ns = scope == Scope::kCluster ? "" : instance.ns();
    for (const auto& object : view.list(names_of(scope).classes, {ns, {}})) {
      const ClassView offer(scope, object);
      if (offer.usable() && !offer.service_type().empty()) types.insert(offer.service_type());
    }
  }
  return {types.begin(), types.end()};
}

Found<Resolution> find_by_type(const InstanceView& instance, const Settings& settings, controller::View& view) {
  std::vector<PlanView> plans;
  std::vector<resolve::PlanCandidate> candidates;
  for (const auto scope : {Scope::kNamespace, Scope::kCluster}) {
    const std::string ns = scope == Scope::kCluster ? "" : instance.ns();
    for (const auto& object : view.list(names_of(scope).plans, {ns, {{"spec.serviceType", instance.service_type()}}})) {
      PlanView plan(scope, object);
      auto candidate = plan.candidate();
      if (!settings.suggested_plans) candidate.is_suggested = false;
      // Only these can be chosen; their class is named in messages.
      if (candidate.is_default || candidate.is_suggested) {
        if (const auto owner = class_of(plan, view)) candidate.class_external_name = owner.external_name();
      }
      candidates.push_back(std::move(candidate));
      plans.push_back(std::move(plan));
    }
  }
  resolve::PlanRequest request;
  request.namespace_name = instance.ns();
  request.service_type = instance.service_type();
  auto found =
      decided(request, plans, candidates, plans.empty() ? types_offered(instance, view) : std::vector<std::string>());
  if (!found.ok()) return found;
  found->service_class = class_of(found->plan, view);
  if (!found->service_class) {
    return Problem{reason::kNoSuchClass, fmt::format("The class \"{}\" of plan \"{}\" does not exist.",
                                                     found->plan.class_name(), found->plan.external_name())};
  }
  return found;
}

// What was resolved before and still is what the spec says.
std::optional<Resolution> kept(const InstanceView& instance, controller::View& view) {
  for (const auto scope : {Scope::kCluster, Scope::kNamespace}) {
    const auto& names = names_of(scope);
    const auto plan_ref = instance.plan_ref(scope);
    const auto class_ref = instance.class_ref(scope);
    if (plan_ref.empty() || class_ref.empty()) continue;
    const std::string ns = scope == Scope::kCluster ? "" : instance.ns();
    Resolution resolution;
    resolution.service_class = ClassView(scope, view.get(names.classes, ns, class_ref));
    resolution.plan = PlanView(scope, view.get(names.plans, ns, plan_ref));
    if (!resolution.service_class || !resolution.plan) return std::nullopt;
    const auto wanted = named_plan(instance.spec(), names);
    if (!wanted.value.empty() && !fits(wanted, resolution.plan)) return std::nullopt;
    const auto& told = member(instance.status(), "resolution");
    resolution.rule = text_at(told, "rule");
    resolution.message = text_at(told, "message");
    resolution.service_type = text_at(told, "serviceType");
    return resolution;
  }
  return std::nullopt;
}

}  // namespace

Found<Resolution> resolve_instance(const InstanceView& instance, const Settings& settings, controller::View& view) {
  if (auto resolution = kept(instance, view)) return *std::move(resolution);
  for (const auto scope : {Scope::kCluster, Scope::kNamespace}) {
    const auto& names = names_of(scope);
    auto wanted = named_class(instance.spec(), names);
    if (wanted.value.empty() && !instance.class_ref(scope).empty()) {
      wanted = {instance.class_ref(scope), ReferenceBy::kName};
    }
    if (wanted.value.empty()) continue;
    auto service_class = find_class(wanted, names, instance.ns(), view);
    if (!service_class.ok()) return fail(std::move(service_class).error());
    return find_plan(*service_class, named_plan(instance.spec(), names), instance, settings, view);
  }
  if (!settings.service_types || instance.service_type().empty()) {
    return Problem{reason::kNoSuchClass,
                   "The spec names no class; give one, for example spec.clusterServiceClassExternalName."};
  }
  return find_by_type(instance, settings, view);
}

json::Object describe(const Resolution& resolution, json::Storage memory) {
  json::Object described(std::move(memory));
  described.reserve(9);  // with the time, which the caller adds
  if (!resolution.service_type.empty()) described["serviceType"] = text(resolution.service_type);
  described["scope"] = resolution.plan.scope() == Scope::kCluster ? "Cluster" : "Namespace";
  described["className"] = text(resolution.service_class.name());
  described["classExternalName"] = text(resolution.service_class.external_name());
  described["planName"] = text(resolution.plan.name());
  described["planExternalName"] = text(resolution.plan.external_name());
  if (!resolution.rule.empty()) described["rule"] = text(resolution.rule);
  if (!resolution.message.empty()) described["message"] = text(resolution.message);
  return described;
}

}  // namespace chandler::reconcilers
