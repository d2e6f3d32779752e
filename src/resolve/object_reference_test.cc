#include "resolve/object_reference.h"

#include <gtest/gtest.h>

namespace chandler::resolve {
namespace {

struct Row {
  std::string_view name, reason;
  ReferenceBy by;
  std::string_view wanted;
  Outcome outcome;
  std::vector<size_t> matches, gone;
};

TEST(FindReferenced, SeesBrokerManagedAndUserDefinedObjects) {
  const Referable objects[] = {
      {.name = "id-1", .external_name = "mysql", .external_id = "id-1", .broker_managed = true},
      {.name = "my-copy", .external_name = "my-copy", .external_id = "id-1"},
      {.name = "id-2", .external_name = "redis", .external_id = "id-2", .broker_managed = true},
      {.name = "id-3", .external_name = "redis", .external_id = "id-3", .broker_managed = true},
      {.name = "id-4", .external_name = "mysql", .external_id = "id-4", .broker_managed = true, .removed = true},
      {.name = "copy-a", .external_name = "a", .external_id = "id-5"},
      {.name = "copy-b", .external_name = "b", .external_id = "id-5"},
      {.name = "id-6", .external_name = "kafka", .external_id = "id-6", .broker_managed = true, .deleting = true},
  };
  const Row rows[] = {
      {"name", "names are unique", ReferenceBy::kName, "my-copy", Outcome::kChosen, {1}, {}},
      {"external-name",
       "a removed one of the same name does not disturb",
       ReferenceBy::kExternalName,
       "mysql",
       Outcome::kChosen,
       {0},
       {4}},
      {"ambiguous", "two live ones", ReferenceBy::kExternalName, "redis", Outcome::kAmbiguous, {2, 3}, {}},
      {"external-id", "means the broker's, not the copy", ReferenceBy::kExternalId, "id-1", Outcome::kChosen, {0}, {}},
      {"copies", "only copies: they count, and tie", ReferenceBy::kExternalId, "id-5", Outcome::kAmbiguous, {5, 6}, {}},
      {"gone", "only a deleted one", ReferenceBy::kExternalName, "kafka", Outcome::kNone, {}, {7}},
      {"missing", "nothing fits", ReferenceBy::kName, "x", Outcome::kNone, {}, {}},
      {"empty", "no reference", ReferenceBy::kExternalName, "", Outcome::kNone, {}, {}},
  };
  for (const Row& row : rows) {
    const Referenced found = find_referenced(row.by, row.wanted, objects);
    EXPECT_EQ(found.outcome, row.outcome) << row.name << ": " << row.reason;
    EXPECT_EQ(found.matches, row.matches) << row.name << ": " << row.reason;
    EXPECT_EQ(found.gone, row.gone) << row.name << ": " << row.reason;
    if (found.outcome == Outcome::kChosen) {
      EXPECT_EQ(found.index, row.matches[0]) << row.name;
    }
  }
}

}  // namespace
}  // namespace chandler::resolve
