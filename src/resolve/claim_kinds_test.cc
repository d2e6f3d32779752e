#include "resolve/claim_kinds.h"

#include <gtest/gtest.h>

#include "json/writer.h"
#include "json/yaml.h"

namespace chandler::resolve {
namespace {

TEST(ClaimKinds, AreNamedInLowerCase) {
  EXPECT_EQ(claim_kind_name("PostgreSQLInstance", "storage.crossplane.io"), "postgresqlinstance.storage.crossplane.io");
  EXPECT_EQ(claim_kind_name("Bucket", ""), "bucket");
  EXPECT_EQ(kind_in("bucket.storage.crossplane.io"), "bucket");
  EXPECT_EQ(group_in("bucket.storage.crossplane.io"), "storage.crossplane.io");
  EXPECT_EQ(kind_in("bucket"), "bucket");
  EXPECT_EQ(group_in("bucket"), "");
}

TEST(ClaimKinds, LabelsFollowTheList) {
  const struct {
    std::string_view why, object;
    std::set<std::string> before;
    std::string_view labels;
    bool changed;
  } rows[] = {
      {"an entry gets its label",
       "{defaultForClaimKinds: [Bucket.Storage.crossplane.io]}",
       {},
       R"({"bucket.storage.crossplane.io/default":"true"})",
       true},
      {"a bare kind too", "{defaultForClaimKinds: [bucket]}", {}, R"({"bucket/default":"true"})", true},
      {"an entry that went takes its label along",
       "{metadata: {labels: {b.c/default: 'true', x: v}}}",
       {"b.c"},
       R"({"x":"v"})",
       true},
      {"nothing is left",
       "{metadata: {labels: {b.c/default: 'true'}}, defaultForClaimKinds: []}",
       {"b.c"},
       "null",
       true},
      {"a label of the user's stays",
       "{metadata: {labels: {b.c/default: 'true'}}}",
       {},
       R"({"b.c/default":"true"})",
       false},
      {"both are there",
       "{metadata: {labels: {b.c/default: 'true'}}, defaultForClaimKinds: [b.c]}",
       {"b.c"},
       R"({"b.c/default":"true"})",
       false},
      {"a label that was taken away comes back",
       "{defaultForClaimKinds: [b.c]}",
       {"b.c"},
       R"({"b.c/default":"true"})",
       true},
      {"nothing", "{metadata: {labels: {x: v}}}", {}, R"({"x":"v"})", false},
  };
  for (const auto& row : rows) {
    auto object = json::parse_yaml(row.object);
    ASSERT_TRUE(object.ok()) << row.why;
    EXPECT_EQ(label_defaults(object->as_object(), row.before), row.changed) << row.why;
    const auto* labels = json::find_path(*object, {"metadata", "labels"});
    EXPECT_EQ(labels == nullptr ? "null" : json::write(*labels), row.labels) << row.why;
    const auto listed = defaults_by_list(*object);
    const auto labelled = defaults_by_label(*object);
    for (const auto& kind : listed) EXPECT_TRUE(labelled.contains(kind)) << row.why;
    EXPECT_FALSE(label_defaults(object->as_object(), listed)) << row.why << ": done once is done";
  }
}

TEST(ClaimKinds, OnlyTrueMakesALabelAMark) {
  const auto object = json::parse_yaml(
      "{metadata: {labels: {a.b/default: 'true', c.d/default: 'false', default: 'true', /default: 'true', e: "
      "'true'}}}");
  ASSERT_TRUE(object.ok());
  EXPECT_EQ(defaults_by_label(*object), (std::set<std::string>{"a.b"}));
  EXPECT_EQ(defaults_by_list(*object), std::set<std::string>());
}

}  // namespace
}  // namespace chandler::resolve
