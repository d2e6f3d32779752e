#include "resolve/default_plan.h"

#include <algorithm>
#include <map>
#include <set>
#include <tuple>

#include <fmt/format.h>

#include "base/text.h"

namespace chandler::resolve {
namespace {

bool is_usable(const PlanCandidate& plan) { return !plan.removed && !plan.deleting; }

bool is_acknowledged(const PlanCandidate& plan) {
  return !plan.service_type.empty() && plan.acknowledged_default_for == plan.service_type;
}

std::string label(const PlanCandidate& plan) {
  const std::string& name = plan.external_name.empty() ? plan.name : plan.external_name;
  const std::string& owner = plan.class_external_name.empty() ? plan.class_name : plan.class_external_name;
  return owner.empty() ? quoted(name) : fmt::format("{} of class {}", quoted(name), quoted(owner));
}

// With the object name, since external names need not differ.
std::string full_label(const PlanCandidate& plan) {
  return plan.external_name.empty() || plan.external_name == plan.name
             ? label(plan)
             : fmt::format("{} (object {})", label(plan), plan.name);
}

class Decider {
 public:
  Decider(const PlanRequest& request, std::span<const PlanCandidate> candidates,
          std::span<const std::string> known_types)
      : request_(request), candidates_(candidates), known_types_(known_types) {
    for (size_t i = 0; i < candidates.size(); ++i) {
      if (is_visible(candidates[i])) visible_.push_back(i);
    }
  }

  PlanDecision decide() {
    if (!request_.plan.empty()) return by_name();
    if (!request_.class_name.empty()) return by_class();
    if (!request_.service_type.empty()) return by_type();
    return failed(PlanOutcome::kNone, "Nothing says which plan is wanted: give a service type, a class or a plan.");
  }

 private:
  bool is_visible(const PlanCandidate& plan) const {
    if (request_.scope && plan.scope != *request_.scope) return false;
    if (plan.scope == PlanScope::kNamespace && plan.namespace_name != request_.namespace_name) return false;
    return request_.class_name.empty() || plan.class_name == request_.class_name;
  }

  bool has_type(const PlanCandidate& plan) const {
    return request_.service_type.empty() || plan.service_type == request_.service_type;
  }

  std::string class_label() const {
    return quoted(request_.class_external_name.empty() ? request_.class_name : request_.class_external_name);
  }

  PlanDecision by_name() {
    std::vector<Referable> objects;
    for (size_t i : visible_) {
      const PlanCandidate& plan = candidates_[i];
      objects.push_back(
          {plan.name, plan.external_name, plan.external_id, plan.broker_managed, plan.removed, plan.deleting});
    }
    const Referenced found = find_referenced(request_.plan_by, request_.plan, objects);
    const std::string of_class = request_.class_name.empty() ? "" : fmt::format(" of class {}", class_label());
    if (found.outcome == Outcome::kAmbiguous) {
      return tied(indexes(found.matches),
                  fmt::format("{} plans{} are called {}", found.matches.size(), of_class, quoted(request_.plan)),
                  "Name the plan by its object name.");
    }
    if (found.outcome == Outcome::kNone && !found.gone.empty()) {
      const PlanCandidate& plan = candidates_[visible_[found.gone.front()]];
      return failed(PlanOutcome::kNone,
                    fmt::format("Plan {} {}. Choose another plan.", label(plan),
                                plan.deleting ? "is being deleted" : "is no longer in the catalog of its broker"));
    }
    if (found.outcome == Outcome::kNone) {
      return failed(PlanOutcome::kNone,
                    fmt::format("There is no plan {}{}. {}", quoted(request_.plan), of_class, plans_that_exist()));
    }
    const size_t index = visible_[found.index];
    const PlanCandidate& plan = candidates_[index];
    if (!has_type(plan)) {
      return failed(
          PlanOutcome::kDisagrees,
          fmt::format("Plan {} is of {}, but type {} was asked for. Leave out the type or choose another plan.",
                      label(plan), type_label(plan.service_type), quoted(request_.service_type)));
    }
    return chosen(index, PlanRule::kNamed, "it was named in the request");
  }

  PlanDecision by_class() {
    std::vector<size_t> usable, of_type;
    for (size_t i : visible_) {
      if (!is_usable(candidates_[i])) continue;
      usable.push_back(i);
      if (has_type(candidates_[i])) of_type.push_back(i);
    }
    if (usable.empty()) {
      return failed(PlanOutcome::kNone,
                    fmt::format("Class {} has no plan that can be used. Choose another class.", class_label()));
    }
    if (of_type.empty()) {
      std::set<std::string> types;
      for (size_t i : usable) types.insert(type_label(candidates_[i].service_type));
      return failed(
          PlanOutcome::kDisagrees,
          fmt::format("Class {} has no plan of type {}; its plans are of {}. Leave out the type or choose "
                      "another class.",
                      class_label(), quoted(request_.service_type), list_names({types.begin(), types.end()})));
    }
    const std::string whose = request_.service_type.empty() ? fmt::format("of class {}", class_label())
                                                            : fmt::format("of class {} for type {}", class_label(),
                                                                          quoted(request_.service_type));
    if (of_type.size() == 1)
      return chosen(of_type[0], PlanRule::kOnlyPlan, fmt::format("it is the only plan {}", whose));
    const std::vector<size_t> defaults = marked_default(of_type);
    if (!defaults.empty()) return from_class(defaults, PlanRule::kDefaultPlan, whose);
    const std::vector<size_t> suggested = marked_suggested(of_type);
    if (!suggested.empty()) return from_class(suggested, PlanRule::kSuggestedPlan, whose);
    return failed(PlanOutcome::kNone,
                  fmt::format("Class {} has {} plans and none of them is its default: {}. Name one of them.",
                              class_label(), of_type.size(), labels(of_type)));
  }

  // Several marked plans of one class: those of the class's own type come first.
  PlanDecision from_class(const std::vector<size_t>& plans, PlanRule rule, const std::string& whose) const {
    const std::string& type = request_.class_service_type;
    std::vector<size_t> own;
    for (size_t i : plans) {
      if (!type.empty() && candidates_[i].service_type == type) own.push_back(i);
    }
    if (own.empty() || own.size() == plans.size()) return from_set(plans, rule, whose);
    return from_set(own, rule, fmt::format("{} for the type of the class, {}", whose, quoted(type)));
  }

  PlanDecision by_type() {
    std::vector<size_t> here, cluster;
    for (size_t i : visible_) {
      const PlanCandidate& plan = candidates_[i];
      if (is_usable(plan) && has_type(plan)) (plan.scope == PlanScope::kNamespace ? here : cluster).push_back(i);
    }
    const std::string in_namespace =
        fmt::format("for type {} in namespace {}", quoted(request_.service_type), quoted(request_.namespace_name));
    const std::string in_cluster = fmt::format("for type {} in the cluster", quoted(request_.service_type));
    const struct {
      std::vector<size_t> plans;
      PlanRule rule;
      const std::string& where;
    } sets[] = {
        {marked_default(here), PlanRule::kDefaultPlan, in_namespace},
        {marked_default(cluster), PlanRule::kDefaultPlan, in_cluster},
        {marked_suggested(here), PlanRule::kSuggestedPlan, in_namespace},
        {marked_suggested(cluster), PlanRule::kSuggestedPlan, in_cluster},
    };
    for (const auto& set : sets) {
      if (!set.plans.empty()) return from_set(set.plans, set.rule, set.where);
    }
    here.insert(here.end(), cluster.begin(), cluster.end());
    if (here.empty()) return unknown_type();
    return failed(
        PlanOutcome::kNone,
        fmt::format("Type {} has no default plan and no suggested plan for namespace {}. Name class and plan, "
                    "or mark a default with \"svcat set plan NAME --default\". Plans of the type: {}.",
                    quoted(request_.service_type), quoted(request_.namespace_name), labels(here)));
  }

  PlanDecision unknown_type() const {
    std::set<std::string> types(known_types_.begin(), known_types_.end());
    for (size_t i : visible_) {
      if (is_usable(candidates_[i])) types.insert(candidates_[i].service_type);
    }
    types.erase("");
    types.erase(request_.service_type);
    std::string message = fmt::format("No plan of type {} can be used in namespace {}.", quoted(request_.service_type),
                                      quoted(request_.namespace_name));
    const std::string_view near = nearest(request_.service_type, {types.begin(), types.end()});
    if (!near.empty()) message += fmt::format(" Did you mean {}?", quoted(near));
    message += types.empty() ? " No other types exist."
                             : fmt::format(" Types that exist: {}.", list_names({types.begin(), types.end()}, 20));
    return failed(PlanOutcome::kNone, std::move(message));
  }

  std::vector<size_t> marked_default(const std::vector<size_t>& plans) {
    if (!superseded_) {
      const auto all = superseded_defaults(candidates_);
      superseded_.emplace(all.begin(), all.end());
    }
    std::vector<size_t> marked;
    for (size_t i : plans) {
      if (candidates_[i].is_default && !superseded_->contains(i)) marked.push_back(i);
    }
    return marked;
  }

  std::vector<size_t> marked_suggested(const std::vector<size_t>& plans) const {
    std::vector<size_t> marked;
    for (size_t i : plans) {
      if (candidates_[i].is_suggested) marked.push_back(i);
    }
    return marked;
  }

  PlanDecision from_set(const std::vector<size_t>& plans, PlanRule rule, const std::string& where) const {
    const bool by_operator = rule == PlanRule::kDefaultPlan;
    CandidateSet set{where, {}};
    for (size_t i : plans) set.candidates.push_back({candidates_[i].name});
    if (choose({&set, 1}).outcome == Outcome::kChosen) {
      return chosen(
          plans[0], rule,
          by_operator
              ? fmt::format("it is the default plan {}", where)
              : fmt::format("it is the plan that its broker suggests {}, and no plan is marked as default", where));
    }
    return tied(plans,
                by_operator
                    ? fmt::format("{} plans are marked as default {}", plans.size(), where)
                    : fmt::format("{} plans are suggested {} and none is marked as default", plans.size(), where),
                by_operator ? "Keep the mark on one of them (\"svcat set plan NAME --default\"), or name the plan."
                            : "Mark one as default (\"svcat set plan NAME --default\"), or name the plan.");
  }

  std::vector<size_t> indexes(const std::vector<size_t>& places) const {
    std::vector<size_t> result;
    result.reserve(places.size());
    for (size_t place : places) result.push_back(visible_[place]);
    return result;
  }

  static std::string type_label(const std::string& type) {
    return type.empty() ? std::string("no type") : fmt::format("type {}", quoted(type));
  }

  std::string labels(const std::vector<size_t>& plans) const {
    std::vector<std::string> names;
    names.reserve(plans.size());
    for (size_t i : plans) names.push_back(full_label(candidates_[i]));
    std::sort(names.begin(), names.end());
    return list_names(names);
  }

  std::string plans_that_exist() const {
    std::vector<size_t> usable;
    for (size_t i : visible_) {
      if (is_usable(candidates_[i])) usable.push_back(i);
    }
    return usable.empty() ? std::string("No plan can be used here.")
                          : fmt::format("Plans that exist: {}.", labels(usable));
  }

  PlanDecision chosen(size_t index, PlanRule rule, const std::string& why) const {
    PlanDecision decision;
    decision.outcome = PlanOutcome::kChosen;
    decision.index = index;
    decision.rule = rule;
    decision.message = fmt::format("Plan {} was chosen: {}.", label(candidates_[index]), why);
    return decision;
  }

  PlanDecision tied(std::vector<size_t> plans, const std::string& what, std::string_view remedy) const {
    PlanDecision decision = failed(PlanOutcome::kAmbiguous, fmt::format("{}: {}. {}", what, labels(plans), remedy));
    decision.tied = std::move(plans);
    return decision;
  }

  static PlanDecision failed(PlanOutcome outcome, std::string message) {
    PlanDecision decision;
    decision.outcome = outcome;
    decision.message = std::move(message);
    return decision;
  }

  const PlanRequest& request_;
  std::span<const PlanCandidate> candidates_;
  std::span<const std::string> known_types_;
  std::vector<size_t> visible_;
  std::optional<std::set<size_t>> superseded_;
};

}  // namespace

std::string_view rule_name(PlanRule rule) {
  switch (rule) {
    case PlanRule::kNamed:
      return "Named";
    case PlanRule::kOnlyPlan:
      return "OnlyPlan";
    case PlanRule::kDefaultPlan:
      return "DefaultPlan";
    case PlanRule::kSuggestedPlan:
      return "SuggestedPlan";
  }
  return "";
}

PlanDecision decide_plan(const PlanRequest& request, std::span<const PlanCandidate> candidates,
                         std::span<const std::string> known_types) {
  return Decider(request, candidates, known_types).decide();
}

std::vector<size_t> superseded_defaults(std::span<const PlanCandidate> candidates) {
  struct Group {
    std::vector<size_t> acknowledged;
    size_t fresh = 0;
  };
  std::map<std::tuple<PlanScope, std::string_view, std::string_view>, Group> groups;
  for (size_t i = 0; i < candidates.size(); ++i) {
    const PlanCandidate& plan = candidates[i];
    if (!plan.is_default || !is_usable(plan)) continue;
    Group& group = groups[{plan.scope, plan.namespace_name, plan.service_type}];
    if (is_acknowledged(plan)) {
      group.acknowledged.push_back(i);
    } else {
      ++group.fresh;
    }
  }
  std::vector<size_t> superseded;
  for (const auto& [key, group] : groups) {
    if (group.fresh == 1) superseded.insert(superseded.end(), group.acknowledged.begin(), group.acknowledged.end());
  }
  std::sort(superseded.begin(), superseded.end());
  return superseded;
}

}  // namespace chandler::resolve
