#include "cel/rules.h"

#include <fmt/format.h>
#include <gtest/gtest.h>

#include "cel/cel_fixture.h"

namespace chandler::cel {
namespace {

using testing::document;

using Lines = std::vector<std::string>;

Lines lines_of(const meta::FieldErrors& errors, bool messages) {
  Lines out;
  for (const auto& cause : errors.causes()) {
    out.push_back(cause.field + " " + (messages ? cause.message : cause.reason));
  }
  return out;
}

struct Compiled {
  meta::FieldErrors errors;
  SchemaRulesPtr rules;
};

// A schema whose spec is the given one.
Compiled compile(std::string_view spec) {
  Compiled out;
  const json::Value root = json::Object{{"type", "object"}, {"properties", json::Object{{"spec", document(spec)}}}};
  const auto schema = meta::compile_schema(root, meta::Path("s"), {}, out.errors);
  if (schema != nullptr) out.rules = compile_rules(root, schema, meta::Path("s"), out.errors);
  return out;
}

Lines checked(std::string_view spec, std::string_view value, std::string_view old = "") {
  auto compiled = compile(spec);
  if (!compiled.errors.empty() || compiled.rules == nullptr) return {"the schema does not compile"};
  const json::Value object = json::Object{{"spec", document(value)}};
  meta::FieldErrors errors;
  if (old.empty()) {
    check_rules(*compiled.rules, object, nullptr, errors);
  } else {
    const json::Value before = json::Object{{"spec", document(old)}};
    check_rules(*compiled.rules, object, &before, errors);
  }
  return lines_of(errors, true);
}

TEST(CelRules, SchemasWithoutRulesHaveNone) {
  const auto compiled = compile(R"({"type": "object", "properties": {"a": {"type": "string"}}})");
  EXPECT_TRUE(compiled.errors.empty());
  EXPECT_EQ(compiled.rules, nullptr);
}

TEST(CelRules, ReportWhatDoesNotHold) {
  struct Row {
    std::string name;
    std::string reason;
    std::string spec;
    std::string value;
    Lines faults;
  };
  const std::vector<Row> rows = {
      {"message",
       "the message of the rule, and the type instead of the value",
       R"({"type": "object", "properties": {"a": {"type": "integer"}},
           "x-kubernetes-validations": [{"rule": "self.a < 5", "message": "too many"}]})",
       R"({"a": 5})",
       {R"(spec Invalid value: "object": too many)"}},
      {"no message",
       "the rule stands for it",
       R"({"type": "integer", "x-kubernetes-validations": [{"rule": " self > 1 "}]})",
       "1",
       {R"(spec Invalid value: "integer": failed rule: self > 1)"}},
      {"expression",
       "a message that is made",
       R"({"type": "integer", "x-kubernetes-validations":
           [{"rule": "self > 1", "message": "m", "messageExpression": "'%d is too small'.format([self]) "}]})",
       "1",
       {R"(spec Invalid value: "integer": 1 is too small)"}},
      {"expression fails",
       "then the message counts",
       R"({"type": "array", "maxItems": 3, "items": {"type": "integer"}, "x-kubernetes-validations":
           [{"rule": "size(self) > 1", "message": "m", "messageExpression": "string(self[5]) "}]})",
       "[]",
       {R"(spec Invalid value: "array": m)"}},
      {"reason and path",
       "where the rule says",
       R"({"type": "object", "properties": {"lo": {"type": "integer"}, "hi": {"type": "integer"}},
           "x-kubernetes-validations": [{"rule": "self.lo <= self.hi", "message": "m", "fieldPath": ".lo",
                                         "reason": "FieldValueForbidden"}]})",
       R"({"lo": 3, "hi": 2})",
       {"spec.lo Forbidden: m"}},
      {"key path",
       "into a map",
       R"({"type": "object", "additionalProperties": {"type": "integer"}, "maxProperties": 3,
           "x-kubernetes-validations": [{"rule": "'a-b' in self", "message": "m", "fieldPath": "['a-b']",
                                         "reason": "FieldValueRequired"}]})",
       R"({"c": 3})",
       {"spec[a-b] Required value: m"}},
      {"all of them",
       "each failing rule is told, at each place",
       R"({"type": "array", "maxItems": 3, "items": {"type": "integer",
           "x-kubernetes-validations": [{"rule": "self > 1", "message": "p"}, {"rule": "self % 2 == 0", "message": "q"}]}})",
       "[1, 2, 3]",
       {R"(spec[0] Invalid value: "integer": p)", R"(spec[0] Invalid value: "integer": q)",
        R"(spec[2] Invalid value: "integer": q)"}},
      {"absent",
       "rules of what is not there do not run",
       R"({"type": "object", "properties": {"a": {"type": "integer", "nullable": true,
           "x-kubernetes-validations": [{"rule": "false"}]}}})",
       R"({"a": null})",
       {}},
      {"fault",
       "an evaluation that fails is a failing rule",
       R"({"type": "object", "properties": {"a": {"type": "integer"}},
           "x-kubernetes-validations": [{"rule": "self.a > 1"}]})",
       "{}",
       {R"(spec Invalid value: "object": no such key: a evaluation error for rule: self.a > 1)"}},
      {"new object",
       "rules about the old value do not run",
       R"({"type": "integer", "x-kubernetes-validations": [{"rule": "self > oldSelf"}]})",
       "1",
       {}},
      {"new object with optional",
       "unless they say that there may be none",
       R"({"type": "integer", "x-kubernetes-validations":
           [{"rule": "oldSelf.hasValue() || self == 1", "message": "m", "optionalOldSelf": true}]})",
       "2",
       {R"(spec Invalid value: "integer": m)"}},
  };
  for (const auto& row : rows) EXPECT_EQ(checked(row.spec, row.value), row.faults) << row.name << ": " << row.reason;
}

TEST(CelRules, CompareWithTheOldObject) {
  const std::string frozen = R"("x-kubernetes-validations": [{"rule": "self == oldSelf", "message": "m"}])";
  const std::string list = R"({"type": "array", "maxItems": 5, "x-kubernetes-list-type": "map",
    "x-kubernetes-list-map-keys": ["k"], "items": {"type": "object", "required": ["k"],
    "properties": {"k": {"type": "string"}, "v": {"type": "integer", )" +
                           frozen + "}}}}";
  EXPECT_EQ(checked(list, R"([{"k": "b", "v": 2}, {"k": "a", "v": 3}])", R"([{"k": "a", "v": 1}, {"k": "b", "v": 2}])"),
            Lines{R"(spec[1].v Invalid value: "integer": m)"})
      << "items of a map list are found by their key";
  const std::string map =
      R"({"type": "object", "maxProperties": 3, "additionalProperties": {"type": "integer", )" + frozen + "}}";
  EXPECT_EQ(checked(map, R"({"a": 1, "b": 2})", R"({"a": 0})"), Lines{R"(spec[a] Invalid value: "integer": m)"})
      << "what is new has no old value";
  const std::string rule = R"({"type": "object", "properties": {"a": {"type": "integer"}, "b": {"type": "integer",
    "x-kubernetes-validations": [{"rule": "self < 5", "message": "m"}]}}})";
  EXPECT_EQ(checked(rule, R"({"a": 2, "b": 9})", R"({"a": 1, "b": 9})"), Lines{}) << "what was bad before may stay";
  EXPECT_EQ(checked(rule, R"({"a": 2, "b": 8})", R"({"a": 1, "b": 9})"),
            Lines{R"(spec.b Invalid value: "integer": m)"});
  const std::string within = R"({"type": "object", "properties": {"a": {"type": "integer"}, "l": {"type": "array",
    "maxItems": 5, "items": {"type": "integer", "x-kubernetes-validations": [{"rule": "self < 5", "message": "m"}]}}}})";
  EXPECT_EQ(checked(within, R"({"a": 2, "l": [1, 9]})", R"({"a": 1, "l": [1, 9]})"), Lines{})
      << "also in a list whose items cannot be told apart, when the list is as it was";
  EXPECT_EQ(checked(within, R"({"l": [9]})", R"({"l": [1, 9]})"), Lines{R"(spec.l[0] Invalid value: "integer": m)"});
}

TEST(CelRules, BadOnesAreRefused) {
  struct Row {
    std::string name;
    std::string reason;
    std::string spec;
    Lines faults;
  };
  const std::string at = "s.properties[spec].x-kubernetes-validations[0]";
  const auto with = [](std::string_view type, std::string_view rule) {
    return fmt::format(R"({{{}, "x-kubernetes-validations": [{}]}})", type, rule);
  };
  const std::string number = R"("type": "integer")";
  const std::string object = R"("type": "object", "properties": {"b": {"type": "integer"}})";
  const std::vector<Row> rows = {
      {"syntax", "must be read", with(number, R"({"rule": "self ==="})"), {at + ".rule FieldValueInvalid"}},
      {"not bool", "must say yes or no", with(number, R"({"rule": "self + 1"})"), {at + ".rule FieldValueInvalid"}},
      {"unknown field",
       "is checked against the schema",
       with(object, R"({"rule": "self.zz > 1"})"),
       {at + ".rule FieldValueInvalid"}},
      {"empty", "a rule is needed", with(number, R"({"rule": " "})"), {at + ".rule FieldValueRequired"}},
      {"reason",
       "one of four",
       with(number, R"({"rule": "true", "reason": "Odd"})"),
       {at + ".reason FieldValueNotSupported"}},
      {"path",
       "must lead somewhere",
       with(object, R"({"rule": "true", "fieldPath": ".c"})"),
       {at + ".fieldPath FieldValueInvalid"}},
      {"path with index",
       "not into lists",
       with(object, R"({"rule": "true", "fieldPath": ".b[0]"})"),
       {at + ".fieldPath FieldValueInvalid"}},
      {"message",
       "one line",
       with(number, R"({"rule": "true", "message": "a\nb"})"),
       {at + ".message FieldValueInvalid"}},
      {"lines",
       "a long rule needs a message",
       with(number, R"({"rule": "true &&\ntrue"})"),
       {at + ".message FieldValueRequired"}},
      {"message expression",
       "is a text",
       with(number, R"({"rule": "true", "messageExpression": "1"})"),
       {at + ".messageExpression FieldValueInvalid"}},
      {"optional without old",
       "means nothing",
       with(number, R"({"rule": "true", "optionalOldSelf": true})"),
       {at + ".optionalOldSelf FieldValueInvalid"}},
      {"type left open",
       "cannot be read",
       with(R"("x-kubernetes-preserve-unknown-fields": true)", R"({"rule": "true"})"),
       {"s.properties[spec].x-kubernetes-validations FieldValueInvalid"}},
      {"default",
       "must keep the rule",
       with(R"("type": "integer", "default": 1)", R"({"rule": "self > 1"})"),
       {"s.properties[spec].default FieldValueInvalid"}},
      {"old item of a list",
       "cannot be told",
       R"({"type": "array", "maxItems": 3, "items": {"type": "integer", "x-kubernetes-validations": [{"rule": "self == oldSelf"}]}})",
       {"s.properties[spec].items.x-kubernetes-validations[0].rule FieldValueInvalid"}},
      {"unbounded",
       "could cost too much",
       R"({"type": "array", "items": {"type": "string"}, "x-kubernetes-validations": [{"rule": "self.all(a, self.all(b, a != b || a == b)) "}]})",
       {at + ".rule FieldValueForbidden"}},
  };
  for (const auto& row : rows)
    EXPECT_EQ(lines_of(compile(row.spec).errors, false), row.faults) << row.name << ": " << row.reason;
}

TEST(CelRules, TooDearOnesSayWhatHelps) {
  const auto compiled = compile(
      R"({"type": "array", "items": {"type": "string"}, "x-kubernetes-validations": [{"rule": "self.all(a, a.contains('x')) "}]})");
  ASSERT_EQ(compiled.errors.size(), 1u);
  EXPECT_EQ(
      compiled.errors.causes()[0].message,
      "Forbidden: estimated rule cost exceeds budget by factor of more than 100x (try simplifying the rule, or adding "
      "maxItems, maxProperties, and maxLength where arrays, maps, and strings are declared)");
  EXPECT_TRUE(compile(R"({"type": "array", "maxItems": 100, "items": {"type": "string", "maxLength": 100},
    "x-kubernetes-validations": [{"rule": "self.all(a, a.contains('x')) "}]})")
                  .errors.empty());
}

TEST(CelRules, LookingForATextInAListWithoutBoundsCostsNoMoreThanTheDocument) {
  EXPECT_TRUE(compile(R"({"type": "object", "properties": {"chosen": {"type": "string"},
    "offered": {"type": "array", "items": {"type": "string"}}},
    "x-kubernetes-validations": [{"rule": "self.chosen in self.offered"}]})")
                  .errors.empty());
}

TEST(CelRules, ManyRulesTogetherHaveALimitToo) {
  std::string rules;
  for (int i = 0; i < 60; ++i)
    rules += std::string(i == 0 ? "" : ",") + R"({"rule": "self.all(a, self.all(b, a == b)) "})";
  const auto compiled = compile(fmt::format(
      R"({{"type": "array", "maxItems": 700, "items": {{"type": "integer"}}, "x-kubernetes-validations": [{}]}})",
      rules));
  EXPECT_EQ(compiled.errors.size(), 60u);
}

TEST(CelRules, AnEvaluationStopsAtItsBudget) {
  // The list is longer than its schema allows, as an old object may be: the estimate does not protect.
  auto compiled = compile(R"({"type": "array", "maxItems": 100, "items": {"type": "integer"},
    "x-kubernetes-validations": [{"rule": "self.all(a, self.all(b, a + b >= 0)) "}, {"rule": "false"}]})");
  ASSERT_TRUE(compiled.errors.empty());
  json::Array list(5000, json::Value(1));
  const json::Value object = json::Object{{"spec", std::move(list)}};
  meta::FieldErrors errors;
  check_rules(*compiled.rules, object, nullptr, errors);
  ASSERT_EQ(errors.size(), 1u) << "the second rule is not run any more";
  EXPECT_NE(errors.causes()[0].message.find("cost limit"), std::string::npos) << errors.causes()[0].message;
}

TEST(CelRules, AnEvaluationThatDoesNothingCostsSomethingToo) {
  // Ten times nearly a million for the pairs of one list, and then as many evaluations as the other list has items.
  std::string pairs;
  for (int i = 0; i < 10; ++i) {
    pairs += std::string(i == 0 ? "" : ",") + R"({"rule": "self.all(a, self.all(b, a + b >= 0)) "})";
  }
  auto compiled = compile(fmt::format(
      R"({{"type": "object", "properties": {{
        "pairs": {{"type": "array", "maxItems": 300, "items": {{"type": "integer"}}, "x-kubernetes-validations": [{}]}},
        "rest": {{"type": "array", "items": {{"type": "integer", "x-kubernetes-validations": [{{"rule": "true"}}]}}}}}}}})",
      pairs));
  ASSERT_TRUE(compiled.errors.empty()) << compiled.errors.causes()[0].message;
  const json::Value object = json::Object{{"spec", json::Object{{"pairs", json::Array(400, json::Value(1))},
                                                                {"rest", json::Array(1'000'000, json::Value(1))}}}};
  meta::FieldErrors errors;
  check_rules(*compiled.rules, object, nullptr, errors);
  ASSERT_EQ(errors.size(), 1u);
  EXPECT_NE(errors.causes()[0].message.find("the cost limit was reached by rule: true"), std::string::npos)
      << errors.causes()[0].message;
}

TEST(CelRules, DefaultsAreCheckedWhileTheEstimateOfAllRulesAllowsIt) {
  const std::string dear =
      R"("type": "array", "maxItems": 700, "items": {"type": "integer"}, "x-kubernetes-validations":
    [{"rule": "self.all(a, self.all(b, a == b)) "}])";
  std::string properties;
  for (int i = 0; i < 60; ++i) properties += fmt::format(R"("p{:02}": {{{}, "default": []}},)", i, dear);
  const auto compiled =
      compile(R"({"type": "object", "properties": {)" + properties +
              R"("z": {"type": "integer", "default": 1, "x-kubernetes-validations": [{"rule": "self > 1"}]}}})");
  EXPECT_EQ(compiled.errors.size(), 60u) << "each is too dear with the others; the default of z is not looked at";
}

TEST(CelRules, RegularExpressionsTogetherAreBounded) {
  const auto with = [](int rules, std::string_view pattern) {
    std::string properties;
    for (int i = 0; i < rules; ++i) {
      const auto rule = fmt::format("self.matches('{}{}')", pattern, i);
      properties += fmt::format(
          R"({}"p{}": {{"type": "string", "maxLength": 9, "x-kubernetes-validations": [{{"rule": "{}"}}]}})",
          i == 0 ? "" : ",", i, rule);
    }
    return compile(R"({"type": "object", "properties": {)" + properties + "}}");
  };
  EXPECT_TRUE(with(300, "^[a-z]([-a-z0-9]{0,251}[a-z0-9])?$").errors.empty());
  const auto refused = with(1'000, "[^a]{1000}");
  ASSERT_FALSE(refused.errors.empty());
  EXPECT_NE(refused.errors.causes().back().message.find("too large"), std::string::npos)
      << refused.errors.causes().back().message;
}

TEST(CelRules, TheRootKnowsNameAndKind) {
  const json::Value root = document(R"({"type": "object", "x-kubernetes-validations":
    [{"rule": "self.metadata.name.startsWith('a') && self.kind == 'W'", "message": "m"}]})");
  meta::FieldErrors errors;
  const auto schema = meta::compile_schema(root, meta::Path("s"), {}, errors);
  const auto rules = compile_rules(root, schema, meta::Path("s"), errors);
  ASSERT_TRUE(errors.empty()) << lines_of(errors, true)[0];
  check_rules(*rules, document(R"({"kind": "W", "metadata": {"name": "ab"}})"), nullptr, errors);
  EXPECT_TRUE(errors.empty());
  check_rules(*rules, document(R"({"kind": "W", "metadata": {"name": "b"}})"), nullptr, errors);
  EXPECT_EQ(lines_of(errors, true), Lines{R"(<nil> Invalid value: "object": m)"});
}

}  // namespace
}  // namespace chandler::cel
