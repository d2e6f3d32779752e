#include "json/patch.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "json/reader.h"
#include "json/writer.h"
#include "support/growth.h"

namespace chandler::json {
namespace {

using ::testing::HasSubstr;

Value doc(std::string_view text) { return parse(text).value(); }

struct Row {
  std::string_view name, reason, target, patch, want;
};

constexpr std::string_view kConfigMap = R"({"data":{"k":"v","l":"w"},"metadata":{"finalizers":["x.io/a"]}})";

TEST(MergePatch, FollowsRfc7386) {
  const Row rows[] = {
      {"replace", "members are replaced", R"({"a":"b"})", R"({"a":"c"})", R"({"a":"c"})"},
      {"add", "members are added", R"({"a":"b"})", R"({"b":"c"})", R"({"a":"b","b":"c"})"},
      {"delete", "null deletes", R"({"a":"b","b":1})", R"({"a":null})", R"({"b":1})"},
      {"delete-missing", "null for a missing member is nothing", "{}", R"({"a":null})", "{}"},
      {"list", "lists are replaced whole", R"({"a":[1,2]})", R"({"a":[3]})", R"({"a":[3]})"},
      {"list-to-object", "types may change", R"({"a":[1]})", R"({"a":{"b":1}})", R"({"a":{"b":1}})"},
      {"nested-null", "no null is left in new objects", "{}", R"({"a":{"bb":{"ccc":null}}})", R"({"a":{"bb":{}}})"},
      {"null-in-list", "null in a list is a value", "{}", R"({"a":[null,{"b":null}]})", R"({"a":[null,{"b":null}]})"},
      {"array-patch", "no object: the patch is the result", R"({"a":1})", "[1]", "[1]"},
      {"on-array", "no object to patch", "[1,2]", R"({"a":"b","c":null})", R"({"a":"b"})"},
      {"custom-resource", "several members at once", R"({"spec":{"a":1,"l":[1,2]}})",
       R"({"spec":{"a":null,"b":2,"l":[3]}})", R"({"spec":{"b":2,"l":[3]}})"},
  };
  for (const Row& row : rows) {
    Value target = doc(row.target);
    merge_patch(target, doc(row.patch));
    EXPECT_EQ(write(target), row.want) << row.name << ": " << row.reason;
    merge_patch(target, doc(row.patch));
    EXPECT_EQ(write(target), row.want) << row.name << ": twice is as once";
  }
}

TEST(JsonPatch, FollowsRfc6902) {
  const Row rows[] = {
      {"add", "add sets or replaces a member", kConfigMap,
       R"([{"op":"add","path":"/data/n","value":"1"},{"op":"add","path":"/data/k","value":"2"}])",
       R"({"data":{"k":"2","l":"w","n":"1"},"metadata":{"finalizers":["x.io/a"]}})"},
      {"append", "- appends", kConfigMap, R"([{"op":"add","path":"/metadata/finalizers/-","value":"x.io/b"}])",
       R"({"data":{"k":"v","l":"w"},"metadata":{"finalizers":["x.io/a","x.io/b"]}})"},
      {"insert", "an index inserts", "[1,3]", R"([{"op":"add","path":"/1","value":2}])", "[1,2,3]"},
      {"insert-end", "the index after the last one", "[1]", R"([{"op":"add","path":"/1","value":2}])", "[1,2]"},
      {"copy", "copy", R"({"a":{"b":[1]}})", R"([{"op":"copy","path":"/c","from":"/a/b"}])",
       R"({"a":{"b":[1]},"c":[1]})"},
      {"copy-inside", "a copy of what is around", R"({"a":{}})", R"([{"op":"copy","path":"/a/x","from":""}])",
       R"({"a":{"x":{"a":{}}}})"},
      {"move", "move", R"({"k":"v"})", R"([{"op":"move","path":"/z","from":"/k"}])", R"({"z":"v"})"},
      {"move-in-list", "indexes count after the removal", "[1,2,3]", R"([{"op":"move","path":"/2","from":"/0"}])",
       "[2,3,1]"},
      {"move-nowhere", "to where it is", R"({"k":"v"})", R"([{"op":"move","path":"/k","from":"/k"}])", R"({"k":"v"})"},
      {"remove", "remove", R"({"k":"v","l":[1,2]})", R"([{"op":"remove","path":"/k"},{"op":"remove","path":"/l/0"}])",
       R"({"l":[2]})"},
      {"replace", "replace", R"({"k":"v","l":[1]})",
       R"([{"op":"replace","path":"/k","value":"2"},{"op":"replace","path":"/l/0","value":null}])",
       R"({"k":"2","l":[null]})"},
      {"replace-missing", "a missing member is added", R"({"data":{}})",
       R"([{"op":"replace","path":"/data/zz","value":"2"}])", R"({"data":{"zz":"2"}})"},
      {"test", "a test that holds", R"({"k":1})",
       R"([{"op":"test","path":"/k","value":1.0},{"op":"remove","path":"/k"}])", "{}"},
      {"test-absent", "null stands for absence", R"({"k":1})", R"([{"op":"test","path":"/z","value":null}])",
       R"({"k":1})"},
      {"escapes", "~1 is / and ~0 is ~", R"({"a/b":1,"c~d":2,"~1":3})",
       R"([{"op":"remove","path":"/a~1b"},{"op":"remove","path":"/c~0d"},{"op":"replace","path":"/~01","value":4}])",
       R"({"~1":4})"},
      {"root", "the whole document", R"({"a":1})", R"([{"op":"replace","path":"","value":{"b":2}}])", R"({"b":2})"},
      {"empty-name", "a name may be empty", R"({"":1})", R"([{"op":"replace","path":"/","value":2}])", R"({"":2})"},
      {"nothing", "no operations", R"({"a":1})", "[]", R"({"a":1})"},
  };
  for (const Row& row : rows) {
    Value target = doc(row.target);
    const auto result = json_patch(target, doc(row.patch));
    ASSERT_TRUE(result.ok()) << row.name << ": " << result.error().message;
    EXPECT_EQ(write(target), row.want) << row.name << ": " << row.reason;
  }
}

TEST(JsonPatch, RefusesWhatCannotBeDone) {
  struct Refusal {
    std::string_view name, patch;
    Reason reason;
    std::string_view want;
  };
  const Refusal rows[] = {
      {"not-array", R"({"op":"add"})", Reason::kBadRequest, "list"},
      {"not-object", "[1]", Reason::kBadRequest, "object"},
      {"unknown-op", R"([{"op":"frob","path":"/data/k"}])", Reason::kInvalid,
       "operation 0 (frob \"/data/k\"): unknown"},
      {"no-op", R"([{"path":"/data/k"}])", Reason::kInvalid, "unknown operation"},
      {"no-path", R"([{"op":"remove"}])", Reason::kInvalid, "path is missing"},
      {"no-from", R"([{"op":"move","path":"/a"}])", Reason::kInvalid, "from is missing"},
      {"no-value", R"([{"op":"add","path":"/a"}])", Reason::kInvalid, "value is missing"},
      {"bad-pointer", R"([{"op":"remove","path":"data"}])", Reason::kInvalid, "no JSON pointer"},
      {"bad-escape", R"([{"op":"remove","path":"/a~2"}])", Reason::kInvalid, "no JSON pointer"},
      {"cut-escape", R"([{"op":"remove","path":"/a~"}])", Reason::kInvalid, "no JSON pointer"},
      {"index-out", R"([{"op":"add","path":"/metadata/finalizers/7","value":"x"}])", Reason::kInvalid, "out of range"},
      {"index-zeros", R"([{"op":"add","path":"/metadata/finalizers/00","value":"x"}])", Reason::kInvalid,
       "out of range"},
      {"index-negative", R"([{"op":"remove","path":"/metadata/finalizers/-1"}])", Reason::kInvalid, "does not exist"},
      {"remove-end", R"([{"op":"remove","path":"/metadata/finalizers/-"}])", Reason::kInvalid, "does not exist"},
      {"replace-end", R"([{"op":"replace","path":"/metadata/finalizers/1","value":1}])", Reason::kInvalid,
       "does not exist"},
      {"remove-missing", R"([{"op":"remove","path":"/data/zz"}])", Reason::kInvalid, "does not exist"},
      {"remove-root", R"([{"op":"remove","path":""}])", Reason::kInvalid, "whole document"},
      {"move-missing", R"([{"op":"move","path":"/data/z","from":"/data/none"}])", Reason::kInvalid, "does not exist"},
      {"move-into-self", R"([{"op":"move","path":"/data/z","from":"/data"}])", Reason::kInvalid, "into itself"},
      {"copy-missing", R"([{"op":"copy","path":"/data/z","from":"/none"}])", Reason::kInvalid, "from does not exist"},
      {"no-parent", R"([{"op":"add","path":"/none/z","value":1}])", Reason::kInvalid, "does not exist"},
      {"scalar-parent", R"([{"op":"add","path":"/data/k/z","value":1}])", Reason::kInvalid, "does not exist"},
      {"test-differs", R"([{"op":"test","path":"/data/l","value":"w"},{"op":"test","path":"/data/k","value":"no"}])",
       Reason::kInvalid, "operation 1 (test \"/data/k\"): the value differs"},
      {"test-missing", R"([{"op":"test","path":"/data/z","value":1}])", Reason::kInvalid, "does not exist"},
  };
  for (const Refusal& row : rows) {
    Value target = doc(kConfigMap);
    const auto result = json_patch(target, doc(row.patch));
    ASSERT_FALSE(result.ok()) << row.name;
    EXPECT_EQ(result.error().reason, row.reason) << row.name;
    EXPECT_THAT(result.error().message, HasSubstr(row.want)) << row.name;
  }
}

// Small operations on a large document: each may cost no more than it says.
TEST(JsonPatch, MovesCostNoMoreThanTheirNumberAndTheDocument) {
  EXPECT_TRUE(::chandler::testing::is_linear(2'000, [](size_t size) -> ::chandler::testing::Growth::Work {
    Array operations, list(10 * size, Value(1));
    for (size_t i = 0; i < size; i += 2) {
      operations.push_back({{"op", "move"}, {"from", "/a"}, {"path", "/b"}});
      operations.push_back({{"op", "move"}, {"from", "/b"}, {"path", "/a"}});
    }
    return [target = Value{{"a", list}}, patch = Value(operations)]() mutable {
      EXPECT_TRUE(json_patch(target, patch).ok());
    };
  }));
}

TEST(JsonPatch, IsBounded) {
  const Value two = doc(R"([{"op":"add","path":"/a","value":1},{"op":"add","path":"/b","value":1}])");
  Value target = doc("{}");
  EXPECT_EQ(json_patch(target, two, {.max_operations = 1}).error().reason, Reason::kRequestEntityTooLarge);

  const Value doubling = doc(R"([{"op":"copy","from":"/a","path":"/a/-"},{"op":"copy","from":"/a","path":"/a/-"}])");
  target = doc(R"({"a":["0123456789"]})");
  EXPECT_EQ(json_patch(target, doubling, {.max_growth = 100}).error().reason, Reason::kRequestEntityTooLarge);

  // Taking the first of three elements moves two, and putting it back moves them again.
  const Value shifting = doc(R"([{"op":"move","from":"/a/0","path":"/a/0"}])");
  target = doc(R"({"a":[1,2,3]})");
  EXPECT_EQ(json_patch(target, shifting, {.max_effort = 4 * sizeof(Value)}).error().reason,
            Reason::kRequestEntityTooLarge);
  target = doc(R"({"a":[1,2,3]})");
  EXPECT_TRUE(json_patch(target, shifting, {.max_effort = 5 * sizeof(Value)}).ok());

  const Value sinking = doc(R"([{"op":"move","from":"/a","path":"/x/a"}])");
  target = doc(R"({"a":["0123456789"],"x":{}})");
  EXPECT_EQ(json_patch(target, sinking, {.max_effort = 20}).error().reason, Reason::kRequestEntityTooLarge);
  const Value rising = doc(R"([{"op":"move","from":"/x/a","path":"/a"},{"op":"move","from":"/a","path":"/b"}])");
  target = doc(R"({"x":{"a":["0123456789"]}})");
  EXPECT_TRUE(json_patch(target, rising, {.max_effort = 0}).ok()) << "nothing is measured";

  Array deepening;
  for (int i = 0; i < 200; ++i) deepening.push_back({{"op", "copy"}, {"from", ""}, {"path", "/a"}});
  target = doc("{}");
  const auto result = json_patch(target, Value(deepening));
  ASSERT_FALSE(result.ok());
  EXPECT_THAT(result.error().message, HasSubstr("deeper"));
}

TEST(JsonPatch, AsManyOperationsAsAllowedMayAddInFrontOfAList) {
  Array operations;
  for (size_t i = 0; i < JsonPatchLimits().max_operations; ++i) {
    operations.push_back({{"op", "add"}, {"path", "/list/0"}, {"value", i}});
  }
  Value target = doc(R"({"list":[]})");
  const auto result = json_patch(target, Value(operations));
  ASSERT_TRUE(result.ok()) << result.error().message;
  EXPECT_EQ(target.at("list").as_array().front(), operations.size() - 1);
}

}  // namespace
}  // namespace chandler::json
