#include "reconcilers/claim/class_search.h"

#include <algorithm>
#include <set>
#include <string>
#include <utility>

#include <fmt/format.h>

#include "base/time_text.h"
#include "meta/label_matcher.h"
#include "meta/selector.h"
#include "reconcilers/claim/kinds.h"
#include "reconcilers/claim/reasons.h"
#include "resolve/claim_kinds.h"
#include "resolve/engine_version.h"

namespace chandler::reconcilers::claims {
namespace {

using resolve::ClassMatch;
using resolve::ClassOutcome;
using resolve::ClassWish;

constexpr size_t kMostCandidates = 20;
constexpr size_t kLongestMessage = 1024;

class Search {
 public:
  Search(ClassAnswer& answer, controller::View& view) : answer_(answer), view_(view) {
    places_ = {answer.request.ns};
    for (const auto& ns : answer.request.class_namespaces) {
      if (std::find(places_.begin(), places_.end(), ns) == places_.end()) places_.push_back(ns);
    }
  }

  void by_name(const ClassName& name) {
    for (const auto& ns : name.ns.empty() ? places_ : std::vector<std::string>{name.ns}) {
      if (!resolve::may_use_classes_of(answer_.request, ns)) continue;
      if (auto found = view_.get(kResourceClasses, ns, name.name)) add(std::move(found), ClassMatch::kNamed);
    }
  }

  // An equality in the selector says what to look by; the rest is matched.
  void by_selector(const meta::LabelSelector& selector) {
    const meta::LabelMatcher matcher(selector);
    for (const auto& ns : places_) {
      client::Selection selection;
      selection.ns = ns;
      for (const auto& term : selector.requirements()) {
        const bool one =
            (term.op == meta::Operator::kEquals || term.op == meta::Operator::kIn) && term.values.size() == 1;
        if (!one || !selection.fields.empty()) continue;
        selection.fields.emplace_back(std::string(client::kLabelField) + term.key, term.values.front());
      }
      for (auto& found : view_.list(kResourceClasses, selection)) {
        const auto& document = found.document();
        if (matcher.matches(document.label_count(), [&](size_t i) { return document.label_at(i); })) {
          add(std::move(found), ClassMatch::kSelected);
        }
      }
    }
  }

  void by_default() {
    const auto& kind = answer_.request.claim_kind;
    const std::string word(resolve::kind_in(kind));
    for (const auto& ns : places_) {
      by_label(ns, resolve::default_label(kind), ClassMatch::kDefault);
      by_label(ns, resolve::default_label(word), ClassMatch::kDefaultOfKind);
      by_label(ns, std::string(kMisdirectedLabel) + word, ClassMatch::kDefaultElsewhere);
    }
  }

 private:
  void by_label(const std::string& ns, const std::string& label, ClassMatch match) {
    client::Selection selection;
    selection.ns = ns;
    selection.fields.emplace_back(std::string(client::kLabelField) + label, "true");
    for (auto& found : view_.list(kResourceClasses, selection)) add(std::move(found), match);
  }

  void add(client::Object object, ClassMatch match) {
    if (!known_.emplace(object.ns(), object.name()).second) return;  // a default in more than one way
    const ResourceClassView view(object);
    resolve::ClassOption option;
    option.ns = object.ns();
    option.name = object.name();
    option.match = match;
    option.created = view.created();
    option.priority = view.priority();
    option.deleting = object.deleting();
    option.engine_version = view.engine_version();
    answer_.options.push_back(std::move(option));
    answer_.classes.push_back(std::move(object));
  }

  ClassAnswer& answer_;
  controller::View& view_;
  std::vector<std::string> places_;  // where classes may be, the claim's namespace first
  std::set<std::pair<std::string, std::string>> known_;
};

json::Value candidate(const resolve::ClassOption& option, const resolve::JudgedClass& judged) {
  json::Object out;
  out["namespace"] = text(option.ns);
  out["name"] = text(option.name);
  out["set"] = text(resolve::source_name(judged.set));
  out["verdict"] = text(resolve::verdict_name(judged.verdict));
  out["message"] = text(cut_text(judged.message, kLongestMessage));
  return out;
}

}  // namespace

Found<ClassAnswer> find_class(const ClaimView& claim, const ClassName& reference, const ClaimSettings& settings,
                              controller::View& view) {
  ClassAnswer answer;
  auto& request = answer.request;
  request.claim_kind = claim.claim_kind();
  request.ns = claim.ns();
  request.engine_version = claim.engine_version();
  request.class_namespaces = settings.class_namespaces;
  request.several = settings.several_defaults;
  Search search(answer, view);
  if (!reference.name.empty()) {
    request.wish = ClassWish::kReference;
    request.class_name = reference.name;
    request.class_namespace = reference.ns;
    search.by_name(reference);
  } else if (claim.selector().is_object()) {
    const auto selector = meta::LabelSelector::from_json(claim.selector(), "spec.classSelector");
    if (!selector.ok()) {
      return Problem{reason::kInvalidSelector, fmt::format("spec.classSelector: {}.", selector.error().message)};
    }
    request.wish = ClassWish::kSelector;
    request.selector = selector->empty() ? "everything" : selector->str();
    search.by_selector(*selector);
  } else {
    search.by_default();
  }
  answer.decision = resolve::decide_class(request, answer.options);
  return answer;
}

bool still_fits(const ClaimView& claim, const client::Object& chosen) {
  const bool by_selector = text_at(claim.resolution(), "source") == "Selector";
  if (by_selector != claim.selector().is_object()) return false;
  if (!by_selector) return true;
  const auto selector = meta::LabelSelector::from_json(claim.selector(), "spec.classSelector");
  return selector.ok() && selector->matches([&](std::string_view key) { return chosen.document().label(key); });
}

std::string_view reason_of(const ClassAnswer& answer) {
  const auto wish = answer.request.wish;
  switch (answer.decision.outcome) {
    case ClassOutcome::kChosen:
      break;
    case ClassOutcome::kNone:
      return wish == ClassWish::kReference  ? reason::kClassNotFound
             : wish == ClassWish::kSelector ? reason::kNoMatchingClass
                                            : reason::kNoDefaultClass;
    case ClassOutcome::kAmbiguous:
      return wish == ClassWish::kSelector ? reason::kSeveralMatches : reason::kSeveralDefaults;
    case ClassOutcome::kDeleting:
      return reason::kClassBeingDeleted;
    case ClassOutcome::kVersionMismatch:
      return reason::kVersionMismatch;
    case ClassOutcome::kNotAllowed:
      return reason::kClassNotAllowed;
  }
  switch (answer.decision.source) {
    case resolve::ClassSource::kReference:
      return reason::kClassGiven;
    case resolve::ClassSource::kSelector:
      return reason::kClassSelected;
    case resolve::ClassSource::kNamespaceDefault:
      return reason::kNamespaceDefault;
    case resolve::ClassSource::kOperatorDefault:
      return reason::kOperatorDefault;
  }
  return reason::kClassGiven;
}

json::Value describe(const ClassAnswer& answer, const json::Value& before, WallTime now) {
  json::Object out;
  if (answer.is_chosen()) {
    const ResourceClassView chosen(answer.chosen());
    out["source"] = text(resolve::source_name(answer.decision.source));
    auto& used = object_in(out, "class");
    used["namespace"] = text(chosen.object().ns());
    used["name"] = text(chosen.object().name());
    used["uid"] = text(chosen.object().uid());
    used["generation"] = generation_of(chosen.object());
    out["provisioner"] = text(chosen.provisioner());
    out["reclaimPolicy"] = text(chosen.reclaim_policy());
    const auto version = resolve::agree_on_version(answer.request.engine_version, chosen.engine_version());
    if (version && !version->empty()) out["engineVersion"] = text(*version);
  }
  json::Array candidates;
  for (const auto& judged : answer.decision.judged) {
    if (candidates.size() == kMostCandidates) break;
    candidates.push_back(candidate(answer.options[judged.option], judged));
  }
  if (const size_t left = answer.decision.judged.size() - candidates.size(); left > 0) out["candidatesLeftOut"] = left;
  if (!candidates.empty()) out["candidates"] = std::move(candidates);
  out["message"] = text(cut_text(answer.decision.message, 4096));

  json::Value unchanged(out);
  unchanged.get_object()["time"] = member(before, "time");
  if (json::equal(unchanged, before)) return unchanged;
  out["time"] = text(rfc3339(now));
  return out;
}

}  // namespace chandler::reconcilers::claims
