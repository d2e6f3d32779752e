// Choosing a default: sets of candidates in the order in which they are asked, and the first that is not empty decides.
// Plans, classes of claims and storage classes are all chosen here, so that "several defaults" means the same
// everywhere. Pure, thread-safe.
#pragma once

#include <cstdint>
#include <span>
#include <string>
#include <vector>

namespace chandler::resolve {

struct Candidate {
  std::string name;
  int64_t priority = 0;   // looked at by TieRule::kPriority only
  std::string created{};  // creationTimestamp, as the API writes it
};

struct CandidateSet {
  std::string name;  // for people: "default plans of the cluster"
  std::vector<Candidate> candidates;
};

// What happens when the deciding set has several candidates.
enum class TieRule {
  kReject,    // nothing is chosen
  kNewest,    // the one created last; of several, the one whose name comes first
  kPriority,  // the one of the highest priority; of several, as kNewest
};

enum class Outcome { kChosen, kNone, kAmbiguous };

struct Choice {
  Outcome outcome = Outcome::kNone;
  size_t set = 0;                 // index of the set that decided; meaningless for kNone
  size_t candidate = 0;           // index within the set; for kChosen only
  std::vector<std::string> tied;  // names of all candidates of that set when there were several, in order
};

Choice choose(std::span<const CandidateSet> sets, TieRule rule = TieRule::kReject);

// "a, b and 3 more", for messages: at most `limit` names.
std::string list_names(const std::vector<std::string>& names, size_t limit = 10);

}  // namespace chandler::resolve
