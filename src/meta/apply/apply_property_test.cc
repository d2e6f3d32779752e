// Random configurations by several managers: what must hold whatever they apply.
#include <random>

#include <gtest/gtest.h>

#include "meta/apply/compare.h"
#include "meta/apply/managed_list.h"
#include "meta/apply/server_side_apply.h"
#include "meta/schema_fixture.h"

namespace chandler::meta {
namespace {

constexpr std::string_view kPropertySchema = R"({"type":"object","properties":{
  "map":{"type":"object","additionalProperties":{"type":"string"}},
  "set":{"type":"array","x-kubernetes-list-type":"set","items":{"type":"string"}},
  "atom":{"type":"array","items":{"type":"string"}},
  "any":{"type":"object","x-kubernetes-preserve-unknown-fields":true},
  "list":{"type":"array","x-kubernetes-list-type":"map","x-kubernetes-list-map-keys":["n"],
    "items":{"type":"object","required":["n"],"properties":{"n":{"type":"string"},"v":{"type":"string"},"w":{"type":"string"}}}}}})";

class Configs {
 public:
  explicit Configs(unsigned seed) : random_(seed) {}

  // `names`: what keys and items are made of, so that configs with other names have nothing in common.
  json::Value config(std::string_view names) {
    json::Object out{{"metadata", json::Object{{"name", "a"}}}};
    json::Object map;
    json::Array set, list;
    for (const char c : names) {
      const std::string name(1, c);
      if (chance()) map[name] = value();
      if (chance()) set.emplace_back(name);
      if (!chance()) continue;
      json::Object item{{"n", name}};
      if (chance()) item["v"] = value();
      if (chance()) item["w"] = value();
      list.emplace_back(std::move(item));
    }
    std::shuffle(list.begin(), list.end(), random_);
    if (chance()) out["map"] = std::move(map);
    // An empty list says nothing that could be owned.
    if (chance() && !set.empty()) out["set"] = std::move(set);
    if (chance() && !list.empty()) out["list"] = std::move(list);
    if (chance()) out["any"] = json::Object{{std::string(1, names[0]), json::Object{{"deep", value()}}}};
    return out;
  }

 private:
  bool chance() { return random_() % 2 == 0; }
  std::string value() { return std::string(1, static_cast<char>('0' + random_() % 3)); }

  std::mt19937 random_;
};

ApplyRequest by(std::string_view manager, bool force = false) {
  static const SchemaPtr schema = compiled(kPropertySchema);
  ApplyRequest out;
  out.schema = schema.get();
  out.manager = {manager, "v1", "", "2026-11-15T12:00:00Z"};
  out.force = force;
  return out;
}

TEST(ApplyProperty, ApplyingTheSameAgainChangesNothing) {
  Configs configs(1);
  for (int i = 0; i < 300; ++i) {
    const auto first = configs.config("abc"), second = configs.config("abc");
    auto managed = managed_by_applying(by("one"), first);
    ASSERT_TRUE(managed.ok());
    auto once = apply_config(by("two", true), first, second, *managed);
    ASSERT_TRUE(once.ok());
    const auto twice = apply_config(by("two"), once->object, second, once->managed);
    ASSERT_TRUE(twice.ok()) << twice.error().message;
    EXPECT_TRUE(json::equal(once->object, twice->object)) << json::write(once->object) << json::write(twice->object);
    EXPECT_EQ(json::write(write_managed_fields(once->managed)), json::write(write_managed_fields(twice->managed)));
  }
}

TEST(ApplyProperty, DisjointManagersNeverConflictAndLeaveWithoutATrace) {
  Configs configs(2);
  for (int i = 0; i < 300; ++i) {
    const auto first = configs.config("abc"), second = configs.config("xyz");
    auto managed = managed_by_applying(by("one"), first);
    ASSERT_TRUE(managed.ok());
    if (managed->empty()) continue;  // an object without a record would get one
    auto both = apply_config(by("two"), first, second, *managed);
    ASSERT_TRUE(both.ok()) << both.error().message;
    // Everything that was wanted is there.
    for (const auto* config : {&first, &second}) {
      auto again = apply_config(by(config == &first ? "one" : "two"), both->object, *config, both->managed);
      ASSERT_TRUE(again.ok());
      EXPECT_TRUE(compare_fields(by("").schema, both->object, again->object, {}).empty());
    }
    // And what one alone wanted is gone when it wants nothing more.
    const auto left = apply_config(by("two"), both->object, doc(R"({"metadata":{"name":"a"}})"), both->managed);
    ASSERT_TRUE(left.ok());
    EXPECT_EQ(json::write(write_managed_fields(left->managed)), json::write(write_managed_fields(*managed)));
    const auto rest = compare_fields(by("").schema, first, left->object, {});
    EXPECT_TRUE(rest.removed.empty() && rest.modified.empty()) << json::write(first) << json::write(left->object);
    EXPECT_TRUE(rest.added.empty()) << json::write(rest.added.to_json());
  }
}

TEST(ApplyProperty, AfterForceTheObjectIsWhatTheConfigurationSays) {
  Configs configs(3);
  for (int i = 0; i < 300; ++i) {
    const auto first = configs.config("abcd"), second = configs.config("bcde");
    auto managed = managed_by_applying(by("one"), first);
    ASSERT_TRUE(managed.ok());
    const auto forced = apply_config(by("two", true), first, second, *managed);
    ASSERT_TRUE(forced.ok());
    // Laying the configuration over it again makes no difference, and nobody else owns what it changed.
    auto own = fields_of_config(by("").schema, second);
    ASSERT_TRUE(own.ok());
    const auto changes = compare_fields(by("").schema, first, forced->object, {});
    for (const auto& entry : forced->managed) {
      if (entry.manager == "two") {
        EXPECT_EQ(entry.fields, *own);
      } else {
        EXPECT_FALSE(entry.fields.intersects(changes.modified));
      }
    }
  }
}

TEST(ApplyProperty, AWriteOwnsExactlyWhatItChanged) {
  Configs configs(4);
  for (int i = 0; i < 300; ++i) {
    const auto first = configs.config("abc"), second = configs.config("bcd");
    auto managed = managed_by_applying(by("one"), first);
    ASSERT_TRUE(managed.ok());
    const auto before = json::write(write_managed_fields(*managed));
    ManagedList list(before);
    const auto changes = compare_fields(by("").schema, first, second, {});
    EXPECT_EQ(list.record_update(by("editor"), first, second), !changes.empty());
    const auto text = list.text().empty() ? "[]" : list.text();
    const auto after = read_managed_fields(doc(text));
    ASSERT_TRUE(after.ok());
    EXPECT_EQ(json::write(write_managed_fields(*after)), text) << "both ways of writing are one";
    for (const auto& entry : *after) {
      EXPECT_FALSE(entry.fields.intersects(changes.removed)) << list.text();
      if (entry.manager == "editor") continue;
      EXPECT_FALSE(entry.fields.intersects(changes.modified)) << list.text();
    }
  }
}

}  // namespace
}  // namespace chandler::meta
