// Random schemas and documents: whatever comes in, nothing crashes, and defaulting and pruning are idempotent.
#include <array>
#include <random>

#include <gtest/gtest.h>

#include "meta/schema_fixture.h"

namespace chandler::meta {
namespace {

class Random {
 public:
  explicit Random(unsigned seed) : engine_(seed) {}
  size_t below(size_t n) { return std::uniform_int_distribution<size_t>(0, n - 1)(engine_); }
  bool once_in(size_t n) { return below(n) == 0; }
  std::string_view name() {
    return std::array<std::string_view, 6>{"a", "b", "c", "spec", "metadata", "kind"}[below(6)];
  }

  json::Value value(int depth) {
    switch (below(depth > 0 ? 8 : 6)) {
      case 0:
        return nullptr;
      case 1:
        return once_in(2);
      case 2:
        return static_cast<int64_t>(below(10));
      case 3:
        return static_cast<double>(below(10)) / 4;
      case 4:
      case 5:
        return json::Value(std::array<const char*, 4>{"", "a", "bbb", "\xC3\xBC"}[below(4)]);
      case 6: {
        json::Array list;
        for (size_t i = below(4); i > 0; --i) list.push_back(value(depth - 1));
        return list;
      }
      default: {
        json::Object object;
        for (size_t i = below(5); i > 0; --i) object[name()] = value(depth - 1);
        return object;
      }
    }
  }

  // Mostly structural, so that most of them compile.
  json::Value schema(int depth) {
    json::Object node;
    const size_t kind = below(depth > 0 ? 8 : 5);
    if (kind == 0) {
      node["type"] = "string";
      if (once_in(2)) node["maxLength"] = static_cast<int64_t>(below(4));
      if (once_in(3)) node["pattern"] = "^a*$";
      if (once_in(3)) node["default"] = "a";
    } else if (kind == 1) {
      node["type"] = "integer";
      if (once_in(2)) node["minimum"] = static_cast<int64_t>(below(4));
      if (once_in(3)) node["default"] = 5;
    } else if (kind == 2) {
      node["type"] = "boolean";
    } else if (kind == 3) {
      node["x-kubernetes-int-or-string"] = true;
    } else if (kind == 4) {
      node["x-kubernetes-preserve-unknown-fields"] = true;
      node["type"] = "object";
    } else if (kind == 5) {
      node["type"] = "array";
      node["items"] = schema(depth - 1);
      if (once_in(3)) node["x-kubernetes-list-type"] = "set";
    } else if (kind == 6) {
      node["type"] = "object";
      node["additionalProperties"] = schema(depth - 1);
    } else {
      node = object_schema(depth);
      if (once_in(3)) node["default"] = json::Object();
    }
    if (once_in(4)) node["nullable"] = true;
    if (once_in(8)) node["enum"] = json::Array{"a", 1, nullptr};
    return node;
  }

  json::Object object_schema(int depth) {
    json::Object node;
    node["type"] = "object";
    json::Object properties;
    for (std::string_view known : {"a", "b", "c", "spec"}) {
      if (once_in(2)) properties[known] = schema(depth - 1);
    }
    node["properties"] = properties;
    if (once_in(3)) node["required"] = json::Array{"a"};
    if (once_in(4)) node["oneOf"] = json::Array{json::Value{{"required", {"b"}}}, json::Value{{"minProperties", 2}}};
    return node;
  }

 private:
  std::mt19937 engine_;
};

TEST(SchemaProperty, DefaultingAndPruningAreIdempotentAndNothingCrashes) {
  size_t compiled_count = 0;
  for (unsigned seed = 0; seed < 3000; ++seed) {
    Random random(seed);
    const json::Value document = random.object_schema(3);
    FieldErrors faults_of_schema;
    const SchemaPtr schema = compile_schema(document, Path("s"), {}, faults_of_schema);
    if (schema == nullptr) continue;
    ++compiled_count;
    SCOPED_TRACE(json::write(document));
    for (int i = 0; i < 5; ++i) {
      json::Value value = random.value(4);
      const json::Value given = value;
      prune(*schema, value, nullptr);
      const json::Value pruned = value;
      std::vector<std::string> unknown;
      prune(*schema, value, &unknown);
      EXPECT_TRUE(unknown.empty()) << json::write(given);
      EXPECT_EQ(json::write(value), json::write(pruned)) << "pruning again changes nothing";

      apply_defaults(*schema, value);
      const json::Value defaulted = value;
      apply_defaults(*schema, value);
      EXPECT_EQ(json::write(value), json::write(defaulted)) << "defaulting again changes nothing";
      prune(*schema, value, &unknown);
      EXPECT_TRUE(unknown.empty()) << "defaults are never pruned";

      FieldErrors errors;
      validate(*schema, value, nullptr, Path(), errors);
      FieldErrors unchanged;
      validate(*schema, value, &value, Path(), unchanged);
      EXPECT_TRUE(unchanged.empty()) << "what did not change is tolerated";
      (void)first_type_mismatch(*schema, value);
    }
  }
  EXPECT_GT(compiled_count, 500U) << "the generator must not degenerate";
}

TEST(SchemaProperty, ArbitraryDocumentsAsSchemasNeverCrash) {
  for (unsigned seed = 0; seed < 2000; ++seed) {
    Random random(seed);
    json::Value document = random.schema(3);
    for (std::string_view keyword :
         {"type", "properties", "items", "enum", "required", "allOf", "not", "default", "pattern",
          "x-kubernetes-list-map-keys", "x-kubernetes-list-type", "dependencies", "$ref"}) {
      if (random.once_in(6)) document.as_object()[keyword] = random.value(3);
    }
    CompileOptions options;
    options.structural = random.once_in(2);
    FieldErrors errors;
    const SchemaPtr schema = compile_schema(document, Path("s"), options, errors);
    EXPECT_EQ(schema == nullptr, !errors.empty());
    if (schema != nullptr) validate(*schema, random.value(3), nullptr, Path(), errors);
  }
}

}  // namespace
}  // namespace chandler::meta
