// For tests of schemas only: documents from text, and faults as "field reason" lines that compare well.
#pragma once

#include <algorithm>
#include <string>
#include <string_view>
#include <vector>

#include <gtest/gtest.h>

#include "json/reader.h"
#include "json/writer.h"
#include "meta/schema.h"
#include "meta/schema_node.h"

namespace chandler::meta {

inline json::Value doc(std::string_view text) {
  auto parsed = json::parse(text);
  EXPECT_TRUE(parsed.ok()) << text;
  return parsed.ok() ? std::move(*parsed) : json::Value();
}

inline std::vector<std::string> lines(const FieldErrors& errors) {
  std::vector<std::string> result;
  for (const auto& cause : errors.causes()) result.push_back(cause.field + " " + cause.reason);
  std::sort(result.begin(), result.end());
  return result;
}

inline SchemaPtr compiled(std::string_view text, const CompileOptions& options = {}) {
  FieldErrors errors;
  auto schema = compile_schema(doc(text), Path("s"), options, errors);
  EXPECT_NE(schema, nullptr) << text << "\n" << ::testing::PrintToString(lines(errors));
  return schema;
}

// A schema whose spec has one property `a` with the given schema.
inline std::string with_a(std::string_view a) {
  return R"({"type":"object","properties":{"spec":{"type":"object","properties":{"a":)" + std::string(a) + "}}}}";
}

inline std::vector<std::string> faults(const SchemaNode& schema, std::string_view value, std::string_view old = "") {
  FieldErrors errors;
  const json::Value before = old.empty() ? json::Value() : doc(old);
  validate(schema, doc(value), old.empty() ? nullptr : &before, Path(), errors);
  return lines(errors);
}

}  // namespace chandler::meta
