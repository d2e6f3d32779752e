#include "resolve/choose_default.h"

#include <algorithm>

#include <fmt/format.h>

namespace chandler::resolve {
namespace {

bool is_preferred(const Candidate& a, const Candidate& b, TieRule rule) {
  if (rule == TieRule::kPriority && a.priority != b.priority) return a.priority > b.priority;
  if (a.created != b.created) return a.created > b.created;
  return a.name < b.name;
}

}  // namespace

Choice choose(std::span<const CandidateSet> sets, TieRule rule) {
  Choice choice;
  const auto deciding = std::find_if(sets.begin(), sets.end(), [](const auto& set) { return !set.candidates.empty(); });
  if (deciding == sets.end()) return choice;
  const auto& candidates = deciding->candidates;
  choice.set = static_cast<size_t>(deciding - sets.begin());
  choice.outcome = Outcome::kChosen;
  if (candidates.size() == 1) return choice;
  for (const Candidate& candidate : candidates) choice.tied.push_back(candidate.name);
  std::sort(choice.tied.begin(), choice.tied.end());
  if (rule == TieRule::kReject) {
    choice.outcome = Outcome::kAmbiguous;
    return choice;
  }
  const auto best = std::min_element(candidates.begin(), candidates.end(),
                                     [&](const auto& a, const auto& b) { return is_preferred(a, b, rule); });
  choice.candidate = static_cast<size_t>(best - candidates.begin());
  return choice;
}

std::string list_names(const std::vector<std::string>& names, size_t limit) {
  std::string text;
  for (size_t i = 0; i < names.size(); ++i) {
    if (i == limit) return fmt::format("{} and {} more", text, names.size() - limit);
    if (i > 0) text += ", ";
    text += names[i];
  }
  return text;
}

}  // namespace chandler::resolve
