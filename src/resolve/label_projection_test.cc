#include "resolve/label_projection.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "json/reader.h"
#include "json/writer.h"
#include "json/yaml.h"

namespace chandler::resolve {
namespace {

using Kind = LabelObstacle::Kind;
using ::testing::HasSubstr;

LabelPath path_of(std::string_view text) { return std::move(LabelPath::parse(text)).value(); }

LabelClaim claim(std::string_view owner, std::vector<WantedLabel> labels,
                 std::string_view path = "spec.template.metadata.labels") {
  return {std::string(owner), path_of(path), std::move(labels), json::Object{{"usage", std::string(owner)}}};
}

json::Value yaml(std::string_view text) {
  auto parsed = json::parse_yaml(text);
  EXPECT_TRUE(parsed.ok()) << text;
  return parsed.ok() ? std::move(parsed).value() : json::Value();
}

std::string at(const json::Value& object, std::string_view path = "spec.template.metadata.labels") {
  const auto* labels = labels_at(object, path_of(path));
  return labels == nullptr ? "none" : json::write(*labels);
}

bool withdraw(json::Value& object, std::string_view owner, std::vector<std::string> own = {}) {
  return withdraw_labels(object, owner, path_of("spec.template.metadata.labels"), own);
}

const WantedLabel kUseA{"use-a", "1", ""};
const WantedLabel kTier{"tier", "db", "class-1"};

struct RoundRow {
  std::string name;
  std::string reason;
  std::string object;
  std::string want;  // labels while they are on
};

TEST(LabelProjection, LeavesNoTrace) {
  const std::vector<RoundRow> rows = {
      {"labels there", "the usual workload", "{metadata: {name: w}, spec: {template: {metadata: {labels: {app: w}}}}}",
       R"({"app":"w","tier":"db","use-a":"1"})"},
      {"nothing there", "the path is made and unmade", "{metadata: {name: w}}", R"({"tier":"db","use-a":"1"})"},
      {"half there", "only what was made goes", "{metadata: {name: w, annotations: {}}, spec: {template: {}}}",
       R"({"tier":"db","use-a":"1"})"},
      {"null labels", "null counts as absent and comes back",
       "{metadata: {name: w, annotations: null}, spec: {template: {metadata: {labels: null}}}}",
       R"({"tier":"db","use-a":"1"})"},
      {"null higher up", "comes back too", "{metadata: {name: w}, spec: null}", R"({"tier":"db","use-a":"1"})"},
      {"empty labels", "stay an empty map", "{metadata: {name: w}, spec: {template: {metadata: {labels: {}}}}}",
       R"({"tier":"db","use-a":"1"})"},
      {"label there already", "the user's own stays his",
       "{metadata: {name: w}, spec: {template: {metadata: {labels: {tier: db}}}}}", R"({"tier":"db","use-a":"1"})"},
      {"null label", "counts as absent", "{metadata: {name: w}, spec: {template: {metadata: {labels: {tier: null}}}}}",
       R"({"tier":"db","use-a":"1"})"},
      {"other annotations", "are left alone", "{metadata: {name: w, annotations: {a: b}}}",
       R"({"tier":"db","use-a":"1"})"},
  };
  for (const auto& row : rows) {
    SCOPED_TRACE(row.name + ": " + row.reason);
    auto object = yaml(row.object);
    const auto start = json::write(object);
    ASSERT_FALSE(project_labels(object, claim("a", {kUseA, kTier})));
    EXPECT_EQ(at(object), row.want);
    EXPECT_TRUE(holds_labels(object, "a"));
    const auto once = json::write(object);
    ASSERT_FALSE(project_labels(object, claim("a", {kUseA, kTier})));
    EXPECT_EQ(json::write(object), once) << "doing it again changes nothing";
    EXPECT_TRUE(withdraw(object, "a", {"use-a"}));
    EXPECT_EQ(json::write(object), start);
    EXPECT_FALSE(withdraw(object, "a", {"use-a"}));
  }
}

struct ObstacleRow {
  std::string name;
  std::string reason;
  std::string object;
  Kind want;
  std::string part;
};

TEST(LabelProjection, TouchesNothingWhenThereIsAnObstacle) {
  const std::vector<ObstacleRow> rows = {
      {"foreign label", "somebody else's", "{metadata: {}, spec: {template: {metadata: {labels: {tier: web}}}}}",
       Kind::kConflict, "label tier"},
      {"label that is no text", "not ours to judge",
       "{metadata: {}, spec: {template: {metadata: {labels: {tier: 1}}}}}", Kind::kConflict, "of type integer"},
      {"text on the way", "has no fields", "{metadata: {}, spec: {template: web}}", Kind::kPathBlocked,
       "spec.template"},
      {"list at the end", "is no map", "{metadata: {}, spec: {template: {metadata: {labels: []}}}}", Kind::kPathBlocked,
       "not a map"},
      {"damaged record", "cannot be trusted",
       "{metadata: {annotations: {servicecatalog.kyma-project.io/injected-labels: oops}}}", Kind::kRecordUnreadable,
       "remove it"},
      {"no metadata", "no place for a record", "{spec: {}}", Kind::kRecordUnreadable, "annotation"},
  };
  for (const auto& row : rows) {
    SCOPED_TRACE(row.name + ": " + row.reason);
    auto object = yaml(row.object);
    const auto start = json::write(object);
    const auto obstacle = project_labels(object, claim("a", {kUseA, kTier}));
    ASSERT_TRUE(obstacle);
    EXPECT_EQ(obstacle->kind, row.want);
    EXPECT_THAT(obstacle->message, HasSubstr(row.part));
    EXPECT_EQ(json::write(object), start);
  }
}

TEST(LabelProjection, SharedLabelGoesWithItsLastOwner) {
  auto object = yaml("{metadata: {name: w}}");
  const auto start = json::write(object);
  ASSERT_FALSE(project_labels(object, claim("a", {{"use-a", "1", ""}, kTier})));
  ASSERT_FALSE(project_labels(object, claim("b", {{"use-b", "1", ""}, kTier})));
  EXPECT_TRUE(withdraw(object, "a"));
  EXPECT_EQ(at(object), R"({"tier":"db","use-b":"1"})");
  EXPECT_TRUE(withdraw(object, "b"));
  EXPECT_EQ(json::write(object), start);
}

TEST(LabelProjection, OwnersOfDifferentMindAreAConflict) {
  auto object = yaml("{metadata: {name: w}}");
  ASSERT_FALSE(project_labels(object, claim("a", {kTier})));
  const auto before = json::write(object);
  const auto obstacle = project_labels(object, claim("b", {{"tier", "cache", "class-2"}}));
  ASSERT_TRUE(obstacle);
  EXPECT_EQ(obstacle->kind, Kind::kConflict);
  EXPECT_THAT(obstacle->message, HasSubstr("another usage"));
  EXPECT_EQ(json::write(object), before);
}

TEST(LabelProjection, ASourceThatChangesItsMindBlocksNobody) {
  auto object = yaml("{metadata: {name: w}, spec: {template: {metadata: {labels: {tier: db}}}}}");
  const auto start = json::write(object);
  ASSERT_FALSE(project_labels(object, claim("a", {kTier})));
  ASSERT_FALSE(project_labels(object, claim("b", {kTier})));
  ASSERT_FALSE(project_labels(object, claim("a", {{"tier", "cache", "class-1"}})));
  EXPECT_EQ(at(object), R"({"tier":"cache"})");
  ASSERT_FALSE(project_labels(object, claim("b", {{"tier", "cache", "class-1"}})));
  withdraw(object, "b");
  EXPECT_EQ(at(object), R"({"tier":"cache"})");
  withdraw(object, "a");
  EXPECT_EQ(json::write(object), start) << "the value from before comes back";
}

TEST(LabelProjection, HealsWhatOthersChanged) {
  auto object = yaml("{metadata: {name: w}}");
  ASSERT_FALSE(project_labels(object, claim("a", {kUseA})));
  const auto good = json::write(object);
  object.at("spec").at("template").as_object().clear();
  ASSERT_FALSE(project_labels(object, claim("a", {kUseA})));
  EXPECT_EQ(json::write(object), good);
  object.at("spec").at("template").at("metadata").at("labels").as_object()["use-a"] = "x";
  ASSERT_FALSE(project_labels(object, claim("a", {kUseA})));
  EXPECT_EQ(json::write(object), good);
}

TEST(LabelProjection, WhatAUserPutsIntoAMadeMapStays) {
  auto object = yaml("{metadata: {name: w}}");
  ASSERT_FALSE(project_labels(object, claim("a", {kUseA})));
  object.at("spec").at("template").at("metadata").at("labels").as_object()["mine"] = "x";
  withdraw(object, "a");
  EXPECT_EQ(json::write(object),
            json::write(yaml("{metadata: {name: w}, spec: {template: {metadata: {labels: {mine: x}}}}}")));
}

TEST(LabelProjection, ADifferentPathMovesTheLabels) {
  auto object = yaml("{metadata: {name: w}}");
  const auto start = json::write(object);
  ASSERT_FALSE(project_labels(object, claim("a", {kUseA})));
  ASSERT_FALSE(project_labels(object, claim("a", {kUseA}, "spec.labels")));
  EXPECT_EQ(at(object), "none");
  EXPECT_EQ(at(object, "spec.labels"), R"({"use-a":"1"})");
  withdraw(object, "a");
  EXPECT_EQ(json::write(object), start);
}

TEST(LabelProjection, OwnKeysGoEvenWhenTheRecordIsLost) {
  auto object = yaml("{metadata: {name: w}, spec: {template: {metadata: {labels: {app: w}}}}}");
  const auto start = json::write(object);
  ASSERT_FALSE(project_labels(object, claim("a", {kUseA})));
  object.at("metadata").as_object().erase("annotations");
  EXPECT_TRUE(withdraw(object, "a", {"use-a"}));
  EXPECT_EQ(json::write(object), start);
}

TEST(LabelProjection, TheRecordIsBounded) {
  auto object = yaml("{metadata: {name: w}}");
  const auto start = json::write(object);
  auto large = claim("a", {kUseA});
  large.note["x"] = std::string(kLargestLabelRecord, 'x');
  const auto obstacle = project_labels(object, large);
  ASSERT_TRUE(obstacle);
  EXPECT_EQ(obstacle->kind, Kind::kRecordTooLarge);
  EXPECT_EQ(json::write(object), start);
}

}  // namespace
}  // namespace chandler::resolve
