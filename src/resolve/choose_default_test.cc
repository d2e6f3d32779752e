#include "resolve/choose_default.h"

#include <gtest/gtest.h>

namespace chandler::resolve {
namespace {

CandidateSet set_of(std::vector<Candidate> candidates) { return {"set", std::move(candidates)}; }

struct Row {
  std::string_view name, reason;
  std::vector<CandidateSet> sets;
  TieRule rule;
  Outcome outcome;
  size_t set, candidate;
  std::vector<std::string> tied;
};

TEST(Choose, TheFirstSetThatIsNotEmptyDecides) {
  const Candidate old_a{"a", 1, "2024-01-01T00:00:00Z"};
  const Candidate new_b{"b", 1, "2024-02-01T00:00:00Z"};
  const Candidate high_c{"c", 7, "2023-01-01T00:00:00Z"};
  const Row rows[] = {
      {"nothing", "no set at all", {}, TieRule::kReject, Outcome::kNone, 0, 0, {}},
      {"empty", "only empty sets", {set_of({}), set_of({})}, TieRule::kNewest, Outcome::kNone, 0, 0, {}},
      {"one", "one candidate is taken", {set_of({}), set_of({old_a})}, TieRule::kReject, Outcome::kChosen, 1, 0, {}},
      {"later-sets",
       "later sets are not asked",
       {set_of({old_a}), set_of({new_b, high_c})},
       TieRule::kReject,
       Outcome::kChosen,
       0,
       0,
       {}},
      {"several",
       "several are refused, though a later set has one",
       {set_of({new_b, old_a}), set_of({high_c})},
       TieRule::kReject,
       Outcome::kAmbiguous,
       0,
       0,
       {"a", "b"}},
      {"newest",
       "the one created last",
       {set_of({old_a, new_b, high_c})},
       TieRule::kNewest,
       Outcome::kChosen,
       0,
       1,
       {"a", "b", "c"}},
      {"newest-tie",
       "same time: the name decides",
       {set_of({{"y", 0, "t"}, {"x", 0, "t"}})},
       TieRule::kNewest,
       Outcome::kChosen,
       0,
       1,
       {"x", "y"}},
      {"priority",
       "the highest",
       {set_of({old_a, new_b, high_c})},
       TieRule::kPriority,
       Outcome::kChosen,
       0,
       2,
       {"a", "b", "c"}},
      {"priority-tie",
       "same priority: the newest",
       {set_of({old_a, new_b})},
       TieRule::kPriority,
       Outcome::kChosen,
       0,
       1,
       {"a", "b"}},
  };
  for (const Row& row : rows) {
    const Choice choice = choose(row.sets, row.rule);
    EXPECT_EQ(choice.outcome, row.outcome) << row.name << ": " << row.reason;
    EXPECT_EQ(choice.set, row.set) << row.name << ": " << row.reason;
    EXPECT_EQ(choice.candidate, row.candidate) << row.name << ": " << row.reason;
    EXPECT_EQ(choice.tied, row.tied) << row.name << ": " << row.reason;
  }
}

TEST(Choose, ListsOfNamesAreBounded) {
  EXPECT_EQ(list_names({}), "");
  EXPECT_EQ(list_names({"a", "b"}), "a, b");
  EXPECT_EQ(list_names({"a", "b", "c"}, 2), "a, b and 1 more");
}

}  // namespace
}  // namespace chandler::resolve
