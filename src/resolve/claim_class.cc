#include "resolve/claim_class.h"

#include <algorithm>
#include <map>

#include <fmt/format.h>

#include "base/text.h"
#include "resolve/engine_version.h"

namespace chandler::resolve {
namespace {

std::string full_name(const ClassOption& option) { return option.ns + "/" + option.name; }

class Decider {
 public:
  Decider(const ClassRequest& request, std::span<const ClassOption> options) : request_(request), options_(options) {}

  ClassDecision decide() {
    if (request_.wish == ClassWish::kReference && !request_.class_namespace.empty() &&
        !may_use_classes_of(request_, request_.class_namespace)) {
      return refused();
    }
    sort_into_sets();
    std::vector<CandidateSet> sets;
    for (const auto& [rank, members] : sets_) {
      auto& set = sets.emplace_back();
      for (const size_t i : members) {
        set.candidates.push_back({full_name(options_[i]), options_[i].priority, options_[i].created});
      }
    }
    const auto choice = choose(sets, request_.several);
    if (choice.outcome == Outcome::kNone) return nothing();
    auto deciding = sets_.begin();
    std::advance(deciding, static_cast<std::ptrdiff_t>(choice.set));
    if (choice.outcome == Outcome::kAmbiguous) return tied(deciding->second);
    return chosen(deciding->second, choice);
  }

 private:
  bool is_own(const ClassOption& option) const { return option.ns == request_.ns; }

  ClassSource source_of(const ClassOption& option) const {
    switch (option.match) {
      case ClassMatch::kNamed:
        return ClassSource::kReference;
      case ClassMatch::kSelected:
        return ClassSource::kSelector;
      default:
        return is_own(option) ? ClassSource::kNamespaceDefault : ClassSource::kOperatorDefault;
    }
  }

  // Which set is asked first: those of the claim's namespace; a default that names the group before one that does not.
  // A name is looked for in one namespace after the other.
  size_t rank_of(const ClassOption& option) const {
    if (is_own(option)) return option.match == ClassMatch::kDefaultOfKind ? 1 : 0;
    if (option.match == ClassMatch::kNamed) {
      const auto& all = request_.class_namespaces;
      return 2 + static_cast<size_t>(std::find(all.begin(), all.end(), option.ns) - all.begin());
    }
    return option.match == ClassMatch::kDefaultOfKind ? 3 : 2;
  }

  void sort_into_sets() {
    for (size_t i = 0; i < options_.size(); ++i) {
      const auto& option = options_[i];
      if (!may_use_classes_of(request_, option.ns)) continue;
      if (option.match == ClassMatch::kDefaultElsewhere) {
        judge(i, ClassVerdict::kOtherGroup,
              fmt::format("It is a default for a kind {} of another API group.", quoted(kind_word())));
        ++elsewhere_;
      } else if (option.deleting) {
        judge(i, ClassVerdict::kDeleting, "It is being deleted.");
        ++deleting_;
      } else if (!agree_on_version(request_.engine_version, option.engine_version)) {
        judge(i, ClassVerdict::kVersionMismatch,
              fmt::format("It offers engineVersion {}, the claim asks for {}.", quoted(option.engine_version),
                          quoted(request_.engine_version)));
        ++mismatched_;
      } else {
        sets_[rank_of(option)].push_back(i);
      }
    }
  }

  std::string_view kind_word() const {
    return std::string_view(request_.claim_kind).substr(0, request_.claim_kind.find('.'));
  }

  std::string places() const {
    std::vector<std::string> others;
    for (const auto& ns : request_.class_namespaces) {
      if (ns != request_.ns) others.push_back(ns);
    }
    return others.empty() ? fmt::format("in namespace {}", request_.ns)
                          : fmt::format("in namespace {} or in the operator's class namespaces ({})", request_.ns,
                                        list_names(others));
  }

  void judge(size_t option, ClassVerdict verdict, std::string message) {
    decision_.judged.push_back({option, source_of(options_[option]), verdict, std::move(message)});
  }

  ClassDecision finish(ClassOutcome outcome, std::string message) {
    decision_.outcome = outcome;
    decision_.message = std::move(message);
    std::stable_sort(decision_.judged.begin(), decision_.judged.end(),
                     [](const JudgedClass& a, const JudgedClass& b) { return a.verdict < b.verdict; });
    return std::move(decision_);
  }

  ClassDecision refused() {
    return finish(ClassOutcome::kNotAllowed,
                  fmt::format("spec.classReference: classes of namespace {} may not be used here, only those {}.",
                              quoted(request_.class_namespace), places()));
  }

  void judge_rest(size_t deciding_rank) {
    for (const auto& [rank, members] : sets_) {
      if (rank == deciding_rank) continue;
      for (const size_t i : members) judge(i, ClassVerdict::kOutranked, "A class of a set that comes first was there.");
    }
  }

  ClassDecision chosen(const std::vector<size_t>& members, const Choice& choice) {
    const size_t index = members[choice.candidate];
    const auto& option = options_[index];
    decision_.index = index;
    decision_.source = source_of(option);
    judge_rest(rank_of(option));
    const std::string_view rule =
        request_.several == TieRule::kPriority ? "its priority is highest" : "it is the newest";
    for (const size_t i : members) {
      if (i != index) judge(i, ClassVerdict::kOutranked, fmt::format("{} came first: {}.", full_name(option), rule));
    }
    std::string why;
    switch (decision_.source) {
      case ClassSource::kReference:
        why = "the claim names it";
        break;
      case ClassSource::kSelector:
        why = fmt::format("the claim's selector ({}) fits it", request_.selector);
        break;
      case ClassSource::kNamespaceDefault:
        why = fmt::format("it is the default for {} in namespace {}", request_.claim_kind, option.ns);
        break;
      case ClassSource::kOperatorDefault:
        why = fmt::format("it is the default for {} in the operator's class namespace {}", request_.claim_kind,
                          option.ns);
        break;
    }
    if (!choice.tied.empty()) why += fmt::format(", and of {} {}", list_names(choice.tied), rule);
    judge(index, ClassVerdict::kChosen, fmt::format("Chosen because {}.", why));
    return finish(ClassOutcome::kChosen, fmt::format("Class {} was chosen: {}.", full_name(option), why));
  }

  ClassDecision tied(const std::vector<size_t>& members) {
    judge_rest(rank_of(options_[members.front()]));
    std::vector<std::string> names;
    for (const size_t i : members) {
      judge(i, ClassVerdict::kTied, "Others have the same right.");
      names.push_back(full_name(options_[i]));
    }
    std::sort(names.begin(), names.end());
    const bool by_selector = request_.wish == ClassWish::kSelector;
    return finish(
        ClassOutcome::kAmbiguous,
        by_selector
            ? fmt::format("{} classes fit the claim's selector ({}): {}. Make the selector narrower, or name one "
                          "in spec.classReference.",
                          names.size(), request_.selector, list_names(names))
            : fmt::format("{} classes are the default for {}: {}. Leave one of them the default (\"svcat set "
                          "resourceclass NAME --default-for {}\"), or name one in spec.classReference.",
                          names.size(), request_.claim_kind, list_names(names), request_.claim_kind));
  }

  std::string names_of(ClassVerdict verdict) const {
    std::vector<std::string> names;
    for (const auto& judged : decision_.judged) {
      if (judged.verdict == verdict) names.push_back(full_name(options_[judged.option]));
    }
    std::sort(names.begin(), names.end());
    return list_names(names);
  }

  ClassDecision nothing() {
    if (mismatched_ > 0) return no_version();
    if (request_.wish == ClassWish::kReference) {
      const auto name =
          request_.class_namespace.empty() ? request_.class_name : request_.class_namespace + "/" + request_.class_name;
      if (deleting_ > 0) {
        return finish(ClassOutcome::kDeleting,
                      fmt::format("Class {}, which the claim names, is being deleted. Name another one, or make it "
                                  "anew when it is gone.",
                                  names_of(ClassVerdict::kDeleting)));
      }
      const auto where = request_.class_namespace.empty() ? fmt::format(" {}", places()) : std::string();
      return finish(ClassOutcome::kNone,
                    fmt::format("There is no class {}{}. Create it, or name another one in spec.classReference.",
                                quoted(name), where));
    }
    std::string message =
        request_.wish == ClassWish::kSelector
            ? fmt::format("No class {} fits the claim's selector ({}).", places(), request_.selector)
            : fmt::format(
                  "No class is the default for {} {}. Mark one (\"svcat set resourceclass NAME --default-for "
                  "{}\"), or name one in spec.classReference.",
                  request_.claim_kind, places(), request_.claim_kind);
    if (elsewhere_ > 0) {
      message += fmt::format(
          " {} is a default for a kind of the same name in another API group; if this one is meant, "
          "list {} in its defaultForClaimKinds.",
          names_of(ClassVerdict::kOtherGroup), request_.claim_kind);
    }
    if (deleting_ > 0) message += fmt::format(" {}: being deleted.", names_of(ClassVerdict::kDeleting));
    return finish(ClassOutcome::kNone, std::move(message));
  }

  ClassDecision no_version() {
    std::vector<std::string> offers;
    for (const auto& judged : decision_.judged) {
      if (judged.verdict != ClassVerdict::kVersionMismatch) continue;
      const auto& option = options_[judged.option];
      offers.push_back(fmt::format("{} ({})", full_name(option), option.engine_version));
    }
    std::sort(offers.begin(), offers.end());
    return finish(ClassOutcome::kVersionMismatch,
                  fmt::format("The claim asks for engineVersion {}, which is not what these classes offer: {}. Change "
                              "spec.engineVersion, or choose another class.",
                              quoted(request_.engine_version), list_names(offers)));
  }

  const ClassRequest& request_;
  const std::span<const ClassOption> options_;
  std::map<size_t, std::vector<size_t>> sets_;  // by rank: the options that could be chosen
  size_t deleting_ = 0;
  size_t mismatched_ = 0;
  size_t elsewhere_ = 0;
  ClassDecision decision_;
};

}  // namespace

std::string_view source_name(ClassSource source) {
  constexpr std::string_view kNames[] = {"Reference", "Selector", "NamespaceDefault", "OperatorDefault"};
  return kNames[static_cast<size_t>(source)];
}

std::string_view verdict_name(ClassVerdict verdict) {
  constexpr std::string_view kNames[] = {"Chosen",    "Tied", "Outranked", "BeingDeleted", "EngineVersionMismatch",
                                         "OtherGroup"};
  return kNames[static_cast<size_t>(verdict)];
}

bool may_use_classes_of(const ClassRequest& request, std::string_view class_namespace) {
  const auto& all = request.class_namespaces;
  return class_namespace == request.ns || std::find(all.begin(), all.end(), class_namespace) != all.end();
}

ClassDecision decide_class(const ClassRequest& request, std::span<const ClassOption> options) {
  return Decider(request, options).decide();
}

}  // namespace chandler::resolve
