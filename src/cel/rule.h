// The compiled form of rules: a tree of the places of a schema that have rules at or below them. Private to this
// folder.
#pragma once

#include <map>
#include <memory>
#include <string>
#include <vector>

#include "cel/expression.h"
#include "cel/rules.h"

namespace chandler::cel {

struct Program {
  ExpressionPtr expression;
  uint32_t slots = 0;
};

struct Rule {
  std::string text;
  std::string message;
  std::string reason;                   // of the cause: FieldValueInvalid and so on
  std::vector<std::string> field_path;  // below the place; empty: the place itself
  bool uses_old = false;
  bool optional_old = false;
  Program program;
  Program message_program;  // may be empty
};

struct RulePlace {
  const meta::SchemaNode* schema = nullptr;
  std::vector<Rule> rules;
  std::map<std::string, std::unique_ptr<RulePlace>, std::less<>> properties;
  std::unique_ptr<RulePlace> items;
  std::unique_ptr<RulePlace> additional;
};

// Reports what does not hold of a value at a place and below it.
void check_place(const RulePlace& place, const json::Value& value, const json::Value* old, const meta::Path& path,
                 meta::FieldErrors& errors);

class SchemaRules {
 public:
  SchemaRules(meta::SchemaPtr schema, std::unique_ptr<RulePlace> root)
      : schema_(std::move(schema)), root_(std::move(root)) {}
  const RulePlace& root() const { return *root_; }

 private:
  meta::SchemaPtr schema_;  // kept: the places point into it
  std::unique_ptr<RulePlace> root_;
};

}  // namespace chandler::cel
