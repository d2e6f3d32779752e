// What a write costs grows with the object and its records together, not with one times the other.
#include <functional>
#include <string>
#include <utility>
#include <vector>

#include <fmt/format.h>
#include <gtest/gtest.h>

#include "meta/apply/compare.h"
#include "meta/apply/managed_list.h"
#include "meta/apply/server_side_apply.h"
#include "meta/schema_fixture.h"
#include "support/colliding_texts.h"
#include "support/growth.h"

namespace chandler::meta {
namespace {

using testing::Growth;
using testing::is_linear;

constexpr std::string_view kGrowthSchema =
    R"({"type":"object","x-kubernetes-preserve-unknown-fields":true,"properties":{
  "data":{"type":"object","additionalProperties":{"type":"string"}},
  "any":{"type":"object","x-kubernetes-preserve-unknown-fields":true},
  "set":{"type":"array","x-kubernetes-list-type":"set","items":{"type":"string"}},
  "list":{"type":"array","x-kubernetes-list-type":"map","x-kubernetes-list-map-keys":["n"],
    "items":{"type":"object","required":["n"],"properties":{"n":{"type":"string"},"v":{"type":"string"}}}}}})";

SchemaPtr growth_schema() {
  static const SchemaPtr schema = compiled(kGrowthSchema);
  return schema;
}

// A list whose items have a second key, with a default of that length.
SchemaPtr schema_with_default(size_t length) {
  return compiled(R"({"type":"object","properties":{"list":{"type":"array","x-kubernetes-list-type":"map",
    "x-kubernetes-list-map-keys":["n","k"],"items":{"type":"object","required":["n"],"properties":{
      "n":{"type":"string"},"k":{"type":"string","default":")" +
                  std::string(length, 'd') + R"("}}}}}})");
}

ApplyRequest by(std::string_view manager, bool force = false, const SchemaPtr& schema = growth_schema()) {
  ApplyRequest out;
  out.schema = schema.get();
  out.manager = {manager, "v1", "", "2026-11-15T12:00:00Z"};
  out.force = force;
  return out;
}

// piece(0) to piece(count - 1), with commas between them.
std::string repeat(size_t count, const std::function<std::string(size_t i)>& piece) {
  std::string out;
  for (size_t i = 0; i < count; ++i) out.append(out.empty() ? "" : ",").append(piece(i));
  return out;
}

std::string entry(std::string_view manager, std::string_view operation, const std::string& fields) {
  return fmt::format(
      R"({{"apiVersion":"v1","fieldsType":"FieldsV1","fieldsV1":{},"manager":"{}","operation":"{}","time":"{}"}})",
      fields, manager, operation, "2026-11-15T11:00:00Z");
}

// An object, who owns what in it, and what somebody makes of it.
struct Written {
  std::string object;
  std::string record;  // a list of entries
  std::string next;    // the configuration that "m0" applies, or the object that "m0" writes
};

enum class Outcome { kApplied, kConflict, kRefused };

Growth::Work applying(const Written& written, bool force, Outcome expected = Outcome::kApplied,
                      const SchemaPtr& schema = growth_schema()) {
  auto managed = read_managed_fields(doc("[" + written.record + "]"));
  EXPECT_TRUE(managed.ok());
  return [live = doc(written.object), config = doc(written.next), managed = std::move(managed).value(), force, expected,
          schema] {
    auto applied = apply_config(by("m0", force, schema), live, config, managed);
    ASSERT_EQ(applied.ok(), expected == Outcome::kApplied);
    if (!applied.ok()) {
      EXPECT_EQ(applied.error().reason, expected == Outcome::kConflict ? Reason::kConflict : Reason::kBadRequest);
      return;
    }
    (void)write_managed_fields(applied->managed);
  };
}

Growth::Work updating(const Written& written) {
  // Canonical, as it is stored.
  auto record = json::write(doc("[" + written.record + "]"));
  return [old = doc(written.object), now = doc(written.next), record = std::move(record)] {
    ManagedList list(record);
    EXPECT_TRUE(list.record_update(by("m0"), old, now));
    (void)list.text();
  };
}

std::string data(size_t count, std::string_view value, size_t from = 0) {
  const auto pair = [&](size_t i) { return fmt::format(R"("k{}":"{}")", i + from, value); };
  return fmt::format(R"({{"data":{{{}}}}})", repeat(count, pair));
}
std::string data_fields(size_t count, size_t from = 0) {
  return fmt::format(R"({{"f:data":{{{}}}}})",
                     repeat(count, [&](size_t i) { return fmt::format(R"("f:k{}":{{}})", i + from); }));
}

// Each of many owns a few keys of its own.
Written many_managers(size_t count, std::string_view operation, std::string next) {
  constexpr size_t kEach = 4;
  const auto record = [&](size_t i) { return entry(fmt::format("m{}", i), operation, data_fields(kEach, kEach * i)); };
  return {data(kEach * count, "1"), repeat(count, record), std::move(next)};
}

// Every key has an owner of its own.
Written key_each(size_t count, std::string_view operation) {
  const auto record = [&](size_t i) { return entry(fmt::format("m{}", i), operation, data_fields(1, i)); };
  return {data(count, "1"), repeat(count, record), data(count, "2")};
}

Written two_managers(const std::string& before, const std::string& fields, const std::string& next) {
  return {before, entry("m0", "Apply", fields) + "," + entry("m1", "Apply", fields), next};
}

std::string list_items(size_t count, std::string_view value) {
  return repeat(count, [&](size_t i) { return fmt::format(R"({{"n":"i{}","v":"{}"}})", i, value); });
}
std::string named_items(size_t count) {
  return fmt::format(R"({{"list":[{}]}})", repeat(count, [](size_t i) { return fmt::format(R"({{"n":"i{}"}})", i); }));
}
std::string list_fields(size_t count) {
  const auto item = [](size_t i) {
    return fmt::format(R"("k:{{\"n\":\"i{}\"}}":{{".":{{}},"f:n":{{}},"f:v":{{}}}})", i);
  };
  return fmt::format(R"({{"f:list":{{".":{{}},{}}}}})", repeat(count, item));
}
std::string set_items(size_t count, std::string_view prefix) {
  return repeat(count, [&](size_t i) { return fmt::format(R"("{}{}")", prefix, i); });
}
std::string set_fields(size_t count) {
  return fmt::format(R"({{"f:set":{{".":{{}},{}}}}})",
                     repeat(count, [](size_t i) { return fmt::format(R"("v:\"a{}\"":{{}})", i); }));
}

std::string top_level(size_t count, std::string_view value) {
  return "{" + repeat(count, [&](size_t i) { return fmt::format(R"("t{}":"{}")", i, value); }) + "}";
}
Written top_level_each(size_t count) {
  const auto record = [](size_t i) {
    return entry(fmt::format("m{}", i), "Apply", fmt::format(R"({{"f:t{}x":{{}}}})", i));
  };
  return {top_level(count, "1"), repeat(count, record), top_level(count, "2")};
}

struct Shape {
  std::string name;
  std::string reason;
  size_t largest;
  std::function<Growth::Work(size_t size)> prepare;
};
void PrintTo(const Shape& shape, std::ostream* out) { *out << shape.name; }

class ApplyGrowth : public ::testing::TestWithParam<Shape> {};

TEST_P(ApplyGrowth, IsLinear) { EXPECT_TRUE(is_linear(GetParam().largest, GetParam().prepare)) << GetParam().reason; }

const std::vector<Shape>& shapes() {
  static const std::vector<Shape> all = {
      {"ApplyBesideManyManagers", "what one gives up stays where any of the others owns it", 800,
       [](size_t n) { return applying(many_managers(n, "Apply", data(2, "1")), false); }},
      {"ApplyInConflictWithManyManagers", "every one of them is compared with what changes, and named", 800,
       [](size_t n) { return applying(key_each(n, "Apply"), false, Outcome::kConflict); }},
      {"ForceAgainstManyManagers", "every one of them loses a field", 800,
       [](size_t n) { return applying(key_each(n, "Apply"), true); }},
      {"ApplyManyFields", "a large configuration over a large object", 3000,
       [](size_t n) { return applying(two_managers(data(n, "1"), data_fields(n), data(n, "1")), false); }},
      {"ApplyFewerFields", "all but one field is given up", 3000,
       [](size_t n) { return applying(two_managers(data(n, "1"), data_fields(n), data(1, "1")), false); }},
      {"ApplyConflictsInManyFields", "an error names fields by their paths", 3000,
       [](size_t n) {
         return applying(two_managers(data(n, "1"), data_fields(n), data(n, "2")), false, Outcome::kConflict);
       }},
      {"ApplyManyListItems", "items are found by their keys", 1500,
       [](size_t n) {
         const auto object = [&](std::string_view value) {
           return fmt::format(R"({{"list":[{}]}})", list_items(n, value));
         };
         return applying(two_managers(object("1"), list_fields(n), object("2")), true);
       }},
      {"ApplyListItemsOfOneHash", "a client can choose keys of one std::hash", 8192,
       [](size_t n) {
         static const auto texts = testing::texts_of_one_hash(8192, R"(k:{"n":")", 2);
         EXPECT_TRUE(testing::have_one_hash(texts, R"(k:{"n":")", R"("})"));
         const auto item = [](size_t i) { return fmt::format(R"({{"n":"{}"}})", texts[i]); };
         return applying({R"({"list":[]})", "", fmt::format(R"({{"list":[{}]}})", repeat(n, item))}, false);
       }},
      {"ApplyManySetItems", "items are found by their values", 2000,
       [](size_t n) {
         const auto object = [&](std::string_view prefix) {
           return fmt::format(R"({{"set":[{}]}})", set_items(n, prefix));
         };
         return applying(two_managers(object("a"), set_fields(n), object("b")), false);
       }},
      {"ApplyItemsThatLackAKeyWithALongDefault", "the default is not copied for each item", 2000,
       [](size_t n) {
         return applying({"{}", "", named_items(n)}, false, Outcome::kRefused, schema_with_default(50 * n));
       }},
      {"ApplyToItemsThatLackAKeyWithALongDefault", "nor for each item that is there", 2000,
       [](size_t n) {
         return applying({named_items(n), "", R"({"list":[{"n":"i0","k":"k"}]})"}, true, Outcome::kApplied,
                         schema_with_default(50 * n));
       }},
      {"UpdateBesideManyAppliers", "none of them has to do with the change", 1500,
       [](size_t n) {
         auto written = many_managers(n, "Apply", "");
         written.next = data(4 * n, "1", 1);
         return updating(written);
       }},
      {"UpdateOfWhatManyAppliersOwn", "each loses one field out of all that changed", 800,
       [](size_t n) { return updating(key_each(n, "Apply")); }},
      {"UpdateOfManyTopLevelMembers", "each owns something next to what changed", 800,
       [](size_t n) { return updating(top_level_each(n)); }},
      {"UpdateAfterManyUpdaters", "the oldest become one", 800,
       [](size_t n) { return updating(many_managers(n, "Update", data(4, "2"))); }},
      {"RecordOfOneManagerInManyPieces", "a list from outside can name one manager in every entry", 1500,
       [](size_t n) -> Growth::Work {
         const auto record = [](size_t i) { return entry("m", "Update", data_fields(1, i)); };
         return [list = doc("[" + repeat(n, record) + "]")] { EXPECT_EQ(read_managed_fields(list)->size(), 1u); };
       }},
      {"OneElementInManySpellings", "fields from outside are brought into one form", 1500,
       [](size_t n) -> Growth::Work {
         // Blanks tell of the bits of a number.
         const auto spelling = [](size_t i) {
           const auto bit = [&](size_t b) { return (i >> b & 1) != 0 ? "1 " : "1"; };
           return fmt::format(R"("v:[{}]":{{"f:k{}":{{}}}})", repeat(12, bit), i);
         };
         return [list = doc("{" + repeat(n, spelling) + "}")] { EXPECT_EQ(FieldSet::parse(list)->nodes().size(), 1u); };
       }},
      {"DeepFields", "a text is read and written once, however deeply it is nested", 1600,
       [](size_t n) -> Growth::Work {
         std::string text = R"({"f:a":{}})";
         for (size_t i = 0; i < n; ++i) text = R"({"f:a":{".":{},)" + text.substr(1) + "}";
         return [text] {
           const auto fields = FieldSet::parse_text(text);
           ASSERT_TRUE(fields.ok());
           std::string written;
           fields->write_to(written);
           EXPECT_EQ(written, text);
         };
       }},
      {"PathsBelowALongName", "a path is made from the one above it", 1600,
       [](size_t n) -> Growth::Work {
         std::string text = "{}";
         for (size_t i = 0; i < n; ++i) text = R"({"f:abcdefgh":)" + text + "}";
         const auto fields = FieldSet::parse_text(text);
         EXPECT_TRUE(fields.ok());
         return [fields = *fields] { EXPECT_EQ(fields.paths().size(), 1u); };
       }},
  };
  return all;
}

INSTANTIATE_TEST_SUITE_P(Shapes, ApplyGrowth, ::testing::ValuesIn(shapes()),
                         [](const auto& shape) { return shape.param.name; });

}  // namespace
}  // namespace chandler::meta
