#include "registry/scale_conversion.h"

#include <gtest/gtest.h>

#include "json/reader.h"
#include "json/writer.h"

namespace chandler::registry {
namespace {

json::Value scale_doc(std::string_view text) { return json::parse(text).value(); }

ScalePaths workload_paths() { return {{"spec", "replicas"}, {"status", "replicas"}, {"spec", "selector"}}; }

TEST(Scale, IsReadByThePathsOfTheKind) {
  struct Row {
    std::string name;
    std::string reason;
    std::string object;
    std::string spec;
    std::string status;
  };
  const std::vector<Row> rows = {
      {"workload", "a selector in body form is told as text",
       R"({"spec": {"replicas": 2, "selector": {"matchLabels": {"a": "b"}}}, "status": {"replicas": 1}})",
       R"({"replicas":2})", R"({"replicas":1,"selector":"a=b"})"},
      {"custom", "a selector that is text", R"({"spec": {"replicas": 2, "selector": "x in (y) "}})",
       R"({"replicas":2})", R"({"replicas":0,"selector":"x in (y) "})"},
      {"bare", "what is absent counts as none", R"({"spec": {}})", R"({"replicas":0})", R"({"replicas":0})"},
      {"odd", "what is no number is none", R"({"spec": {"replicas": "many"}})", R"({"replicas":0})",
       R"({"replicas":0})"},
  };
  for (const auto& row : rows) {
    const auto scale = scale_of(workload_paths(), scale_doc(row.object));
    EXPECT_EQ(json::write(scale.at("spec")), row.spec) << row.name << ": " << row.reason;
    EXPECT_EQ(json::write(scale.at("status")), row.status) << row.name << ": " << row.reason;
    EXPECT_EQ(json::string_or(scale, "apiVersion") + json::string_or(scale, "kind"), "autoscaling/v1Scale");
  }
}

TEST(Scale, TellsTheIdentityOfTheObjectAlone) {
  const auto scale = scale_of(workload_paths(), scale_doc(R"({"metadata": {"name": "d", "namespace": "n", "uid": "u",
    "resourceVersion": "5", "creationTimestamp": "t", "labels": {"a": "b"}, "generation": 3}})"));
  EXPECT_EQ(json::write(scale.at("metadata")),
            R"({"creationTimestamp":"t","name":"d","namespace":"n","resourceVersion":"5","uid":"u"})");
}

TEST(Scale, BadOnesAreRefused) {
  struct Row {
    std::string name;
    std::string reason;
    std::string scale;
    Reason expected;
  };
  const std::vector<Row> rows = {
      {"another kind", "the body is a Scale", R"({"apiVersion": "apps/v1", "kind": "Deployment"})",
       Reason::kBadRequest},
      {"no object", "a list is none", "[]", Reason::kBadRequest},
      {"text", "replicas are a number", R"({"spec": {"replicas": "1"}})", Reason::kBadRequest},
      {"huge", "of 32 bits", R"({"spec": {"replicas": 4294967296}})", Reason::kBadRequest},
      {"negative", "less than none", R"({"spec": {"replicas": -1}})", Reason::kInvalid},
  };
  for (const auto& row : rows) {
    const auto checked = check_scale(scale_doc(row.scale), "d");
    ASSERT_FALSE(checked.ok()) << row.name;
    EXPECT_EQ(checked.error().reason, row.expected) << row.name << ": " << row.reason;
  }
  EXPECT_TRUE(check_scale(scale_doc(R"({"spec": {"replicas": 0}})"), "d").ok());
  EXPECT_TRUE(check_scale(scale_doc("{}"), "d").ok());
}

TEST(Scale, IsPutWhereTheKindKeepsIt) {
  const ScalePaths deep = {{"spec", "size", "wanted"}, {"status", "n"}, {}};
  auto object = scale_doc(R"({"metadata": {"name": "d", "resourceVersion": "7"}})");
  ASSERT_TRUE(put_scale(deep, scale_doc(R"({"spec": {"replicas": 3}})"), object).ok());
  EXPECT_EQ(json::write(object), R"({"metadata":{"name":"d","resourceVersion":"7"},"spec":{"size":{"wanted":3}}})");
  ASSERT_TRUE(put_scale(deep, scale_doc(R"({"metadata": {"resourceVersion": "6"}, "spec": {}})"), object).ok());
  EXPECT_EQ(json::write(object), R"({"metadata":{"name":"d","resourceVersion":"6"},"spec":{"size":{"wanted":0}}})")
      << "the version that the client saw counts";
  auto taken = scale_doc(R"({"spec": {"size": "large"}})");
  EXPECT_FALSE(put_scale(deep, scale_doc(R"({"spec": {"replicas": 3}})"), taken).ok());
}

TEST(Scale, AppliedItIsAConfigurationOfTheReplicasAlone) {
  Kind kind;
  kind.group = "example.com";
  kind.kind = "Farm";
  Version version;
  version.name = "v1";
  version.api_version = "example.com/v1";
  version.scale = ScalePaths{{"spec", "size", "wanted"}, {"status", "n"}, {}};
  EXPECT_EQ(json::write(scale_config(kind, version, scale_doc(R"({"metadata": {"name": "d", "labels": {"a": "b"},
              "resourceVersion": "5"}, "spec": {"replicas": 3}, "status": {"replicas": 1}})"))),
            R"({"apiVersion":"example.com/v1","kind":"Farm","metadata":{"name":"d","resourceVersion":"5"},)"
            R"("spec":{"size":{"wanted":3}}})");
  EXPECT_EQ(json::write(scale_config(kind, version, scale_doc(R"({"metadata": {"name": "d"}, "spec": {}})"))),
            R"({"apiVersion":"example.com/v1","kind":"Farm","metadata":{"name":"d"}})");
}

}  // namespace
}  // namespace chandler::registry
