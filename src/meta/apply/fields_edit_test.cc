#include "meta/apply/fields_edit.h"

#include <random>

#include <gtest/gtest.h>

#include "json/writer.h"
#include "meta/apply/compare.h"
#include "meta/schema_fixture.h"

namespace chandler::meta {
namespace {

constexpr std::string_view kSchema = R"({"type":"object","properties":{
  "map":{"type":"object","additionalProperties":{"type":"object","x-kubernetes-preserve-unknown-fields":true}},
  "set":{"type":"array","x-kubernetes-list-type":"set","items":{"type":"string"}},
  "atom":{"type":"object","x-kubernetes-map-type":"atomic","additionalProperties":{"type":"string"}},
  "list":{"type":"array","x-kubernetes-list-type":"map","x-kubernetes-list-map-keys":["n"],
    "items":{"type":"object","required":["n"],"properties":{"n":{"type":"string"},
      "m":{"type":"object","additionalProperties":{"type":"string"}}}}}}})";

// The plain way: as sets.
std::string edited_as_set(std::string_view fields_v1, const SchemaNode* schema, const json::Value& old,
                          const json::Value& now, bool is_writers) {
  auto fields = FieldSet::parse(doc(fields_v1));
  EXPECT_TRUE(fields.ok()) << fields_v1;
  fit_to_schema(schema, *fields);
  auto changes = compare_fields(schema, old, now, {});
  fields->subtract(changes.removed);
  changes.added.unite(std::move(changes.modified));
  fields->subtract(changes.added);
  if (is_writers) fields->unite(std::move(changes.added));
  return json::write(fields->to_json());
}

class Documents {
 public:
  json::Value next() {
    json::Object out;
    if (chance()) out["map"] = object(2);
    if (chance()) out["atom"] = object(2);  // parts of it are owned where there was no schema
    if (chance()) out["unknown"] = object(2);
    json::Array set, list;
    for (auto name : kNames) {
      if (chance()) set.emplace_back(name);
      if (chance()) list.emplace_back(json::Object{{"n", name}, {"m", object(1)}});
    }
    std::shuffle(list.begin(), list.end(), random_);
    if (chance()) out["set"] = std::move(set);
    // Whoever brings a map where a list was replaces its items by members.
    if (chance()) out["list"] = random_() % 8 == 0 ? object(1) : json::Value(std::move(list));
    return out;
  }

 private:
  static constexpr std::string_view kNames[] = {"a", "b.example.com/with-a-long-name", "\"q\\", "\n", "\xC3\xA9"};

  bool chance() { return random_() % 2 == 0; }
  json::Value object(int depth) {
    json::Object out;
    for (auto name : kNames) {
      if (!chance()) continue;
      out[name] = depth > 0 && chance() ? object(depth - 1) : json::Value(static_cast<int64_t>(random_() % 2));
    }
    return out;
  }

  std::mt19937 random_{5};
};

TEST(FieldsEdit, SaysTheSameAsSets) {
  const auto schema = compiled(kSchema);
  Documents documents;
  for (int i = 0; i < 2000; ++i) {
    const auto owned = documents.next(), old = documents.next(), now = documents.next();
    const auto* then = i % 4 == 0 ? nullptr : schema.get();
    std::string fields;
    if (!write_fields_of_new(fields, then, owned, {})) fields = "{}";
    const auto changes = Changes::between(schema.get(), old, now, {});
    for (const bool is_writers : {false, true}) {
      EXPECT_EQ(edit_fields(fields, schema.get(), changes, is_writers),
                edited_as_set(fields, schema.get(), old, now, is_writers))
          << fields << "\n"
          << json::write(old) << "\n"
          << json::write(now);
    }
  }
}

TEST(FieldsEdit, WhatIsNoFieldsV1IsNotEdited) {
  const auto old = doc(R"({"a":1})"), now = doc(R"({"a":2})");
  const auto changes = Changes::between(nullptr, old, now, {});
  for (const auto* text : {"", "1", "[]", "{", R"({"a":{}})", R"({"f:a":1})", R"({"f:a":[]})", R"({"f:a)", R"({"f:a":)",
                           R"({"f:a":{)", R"({"f:a":{".":{})", R"({"f:a":{"b":{}}})", R"({"f:a\)", R"({"":{}})"}) {
    EXPECT_EQ(edit_fields(text, nullptr, changes, true), std::nullopt) << text;
  }
}

}  // namespace
}  // namespace chandler::meta
