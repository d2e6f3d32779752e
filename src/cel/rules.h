// The validation rules of a schema (x-kubernetes-validations): compiled once, when the kind is loaded, and evaluated
// for every object that is written. Immutable and shared by all threads; an evaluation has its own budget.
#pragma once

#include <memory>

#include "json/value.h"
#include "meta/field_error.h"
#include "meta/schema.h"

namespace chandler::cel {

class SchemaRules;
using SchemaRulesPtr = std::shared_ptr<const SchemaRules>;

// What one expression, one object, one rule at worst and one schema at worst may cost; as Kubernetes has them.
constexpr uint64_t kCallBudget = 1000000;
constexpr uint64_t kObjectBudget = 10000000;
constexpr uint64_t kRuleEstimate = 10000000;
constexpr uint64_t kSchemaEstimate = 100000000;

// `document` is what `schema` was compiled from; `path` is where it stands. Every fault of every rule is reported: what
// does not compile, what could cost too much, what this server does not know. Null when there are no rules.
SchemaRulesPtr compile_rules(const json::Value& document, meta::SchemaPtr schema, const meta::Path& path,
                             meta::FieldErrors& errors);

// Reports each rule that does not hold. `old` null: the object is new and rules about oldSelf do not run. A place that
// did not change keeps its faults to itself, except those of rules about oldSelf.
void check_rules(const SchemaRules& rules, const json::Value& object, const json::Value* old,
                 meta::FieldErrors& errors);

}  // namespace chandler::cel
