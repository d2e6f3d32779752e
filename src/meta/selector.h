// Label and field selectors: parsing and matching. Pure; a parsed selector is immutable and shared.
#pragma once

#include <functional>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "base/result.h"
#include "json/value.h"

namespace chandler::meta {

enum class Operator { kEquals, kNotEquals, kIn, kNotIn, kExists, kDoesNotExist, kGreater, kLess };

struct Requirement {
  std::string key;
  Operator op = Operator::kExists;
  std::vector<std::string> values;  // sorted, unique
};

// nullopt: the object has no such label.
using LabelLookup = std::function<std::optional<std::string_view>(std::string_view key)>;

class LabelSelector {
 public:
  // The query form: "a=b,c in (x,y),!d". Empty: everything. Errors as the API words them (BadRequest).
  static Result<LabelSelector> parse(std::string_view text);
  // The body form {matchLabels, matchExpressions}; `path` prefixes field names in the Invalid error.
  static Result<LabelSelector> from_json(const json::Value& value, std::string_view path = "");

  bool empty() const { return requirements_.empty(); }
  const std::vector<Requirement>& requirements() const { return requirements_; }
  bool matches(const LabelLookup& labels) const;
  std::string str() const;  // canonical query form

 private:
  std::vector<Requirement> requirements_;
};

struct FieldTerm {
  std::string field;
  bool equals = true;  // false: !=
  std::string value;
};

class FieldSelector {
 public:
  // "metadata.name=a,spec.free!=true"; in values \ escapes , = and itself.
  static Result<FieldSelector> parse(std::string_view text);
  static FieldSelector equal(std::string field, std::string value);
  void add_equal(std::string field, std::string value) { terms_.push_back({std::move(field), true, std::move(value)}); }
  bool empty() const { return terms_.empty(); }
  const std::vector<FieldTerm>& terms() const { return terms_; }
  // Value that an equality term demands of `field`.
  std::optional<std::string_view> required_value(std::string_view field) const;
  std::string str() const;

 private:
  std::vector<FieldTerm> terms_;
};

}  // namespace chandler::meta
