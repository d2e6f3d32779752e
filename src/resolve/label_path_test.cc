#include "resolve/label_path.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "json/yaml.h"

namespace chandler::resolve {
namespace {

using Names = std::vector<std::string>;

struct ParseRow {
  std::string name;
  std::string reason;
  std::string text;
  Names want;              // empty: refused
  std::string want_error;  // part of the message
};

TEST(LabelPath, ReadsDotsAndBrackets) {
  const std::vector<ParseRow> rows = {
      {"template",
       "what most workloads have",
       "spec.template.metadata.labels",
       {"spec", "template", "metadata", "labels"},
       ""},
      {"own labels", "the only place in metadata", "metadata.labels", {"metadata", "labels"}, ""},
      {"one name", "a kind may keep labels at the top", "labels", {"labels"}, ""},
      {"brackets", "a dot inside of a name", "spec['a.b'].labels", {"spec", "a.b", "labels"}, ""},
      {"double quotes", "both quotes are common", "spec[\"it's\"]", {"spec", "it's"}, ""},
      {"leading bracket", "a bracket needs no name before it", "['a'].b", {"a", "b"}, ""},
      {"empty", "nothing is no place", "", {}, "it is empty"},
      {"leading dot", "as upstream, no JSONPath", ".spec.labels", {}, "a name is empty"},
      {"trailing dot", "a name is missing", "spec.", {}, "a name is empty"},
      {"two dots", "a name is missing", "spec..labels", {}, "a name is empty"},
      {"index", "labels belong to one place", "spec.items[0].labels", {}, "not an index"},
      {"wildcard", "labels belong to one place", "spec.*.labels", {}, "not allowed"},
      {"open quote", "never ends", "spec['a", {}, "never closed"},
      {"open bracket", "never ends", "spec['a'", {}, "closing bracket"},
      {"glued", "two names without separator", "spec['a']b", {}, "dot or a bracket"},
      {"empty in quotes", "no such field", "spec['']", {}, "a name is empty"},
      {"control character", "cannot be shown", "spec['a\n']", {}, "cannot be shown"},
      {"blank", "no such name", "spec. labels", {}, "not allowed"},
      {"status", "not ours to write", "status.labels", {}, "belongs to the controller"},
      {"annotations", "would break the record", "metadata.annotations", {}, "only labels in metadata"},
      {"below labels", "a label is no object", "metadata.labels.a", {}, "only labels in metadata"},
      {"kind", "no object", "kind", {}, "no object"},
      {"too long", "a bound", std::string(513, 'a'), {}, "at most 512"},
      {"too deep", "a bound", "a.a.a.a.a.a.a.a.a.a.a.a.a.a.a.a.a.a.a.a.a.a.a.a.a.a.a.a.a.a.a.a.a", {}, "more than 32"},
  };
  for (const auto& row : rows) {
    SCOPED_TRACE(row.name + ": " + row.reason);
    const auto path = LabelPath::parse(row.text);
    ASSERT_EQ(path.ok(), !row.want.empty());
    if (!path.ok()) {
      EXPECT_THAT(path.error().message, ::testing::HasSubstr(row.want_error));
      continue;
    }
    EXPECT_EQ(path->names(), row.want);
    const auto again = LabelPath::parse(path->str());
    ASSERT_TRUE(again.ok()) << path->str();
    EXPECT_EQ(*again, *path);
  }
}

struct JudgeRow {
  std::string name;
  std::string reason;
  std::string schema;
  std::string path;
  PathVerdict::Kind want;
};

TEST(LabelPath, IsJudgedByTheSchema) {
  using Kind = PathVerdict::Kind;
  const std::string closed =
      "{type: object, properties: {spec: {type: object, properties: {size: {type: integer}, labels: {type: object, "
      "additionalProperties: {type: string}}, counts: {type: object, additionalProperties: {type: integer}}, template: "
      "{type: object, properties: {metadata: {type: object}}}, pod: {type: object, x-kubernetes-embedded-resource: "
      "true, "
      "properties: {spec: {type: object}}}, free: {type: object, x-kubernetes-preserve-unknown-fields: true}}}}}";
  const std::vector<JudgeRow> rows = {
      {"map", "a map of texts", closed, "spec.labels", Kind::kFound},
      {"own", "every object has them", closed, "metadata.labels", Kind::kFound},
      {"embedded", "an embedded object has metadata", closed, "spec.pod.metadata.labels", Kind::kFound},
      {"embedded name", "the name is no place for labels", closed, "spec.pod.metadata.name", Kind::kNotLabels},
      {"free", "whatever is below stays", closed, "spec.free.a.b", Kind::kFound},
      {"free itself", "it takes any field", closed, "spec.free", Kind::kFound},
      {"typo", "would be dropped without a word", closed, "spec.lables", Kind::kMissing},
      {"bare metadata", "a template whose metadata has no fields drops them", closed, "spec.template.metadata.labels",
       Kind::kMissing},
      {"through number", "a number has no fields", closed, "spec.size.labels", Kind::kNotLabels},
      {"number", "a number is no map", closed, "spec.size", Kind::kNotLabels},
      {"map of numbers", "a label is a text", closed, "spec.counts", Kind::kNotLabels},
      {"object with fields", "other fields are dropped", closed, "spec.template", Kind::kNotLabels},
      {"open object", "anything goes", "{type: object, properties: {spec: {type: object, additionalProperties: true}}}",
       "spec.a.b", Kind::kFound},
  };
  for (const auto& row : rows) {
    SCOPED_TRACE(row.name + ": " + row.reason);
    const auto schema = json::parse_yaml(row.schema);
    const auto path = LabelPath::parse(row.path);
    ASSERT_TRUE(schema.ok() && path.ok());
    const auto verdict = judge_label_path(*schema, *path);
    EXPECT_EQ(verdict.kind, row.want) << verdict.message;
    EXPECT_EQ(verdict.message.empty(), row.want == Kind::kFound);
  }
}

}  // namespace
}  // namespace chandler::resolve
