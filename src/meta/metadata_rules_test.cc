#include <gtest/gtest.h>

#include "meta/names.h"
#include "meta/schema_fixture.h"

namespace chandler::meta {
namespace {

using Lines = std::vector<std::string>;

Lines check(std::string_view metadata, std::string_view old = "", const MetadataOptions& options = {}) {
  FieldErrors errors;
  const json::Value before = old.empty() ? json::Value() : doc(old);
  validate_metadata(doc(metadata), old.empty() ? nullptr : &before, errors, options);
  return lines(errors);
}

TEST(Metadata, FaultsAreReportedWhereTheApiReportsThem) {
  struct Row {
    const char* reason;
    const char* metadata;
    Lines want;
  };
  const std::vector<Row> rows = {
      {"all fine",
       R"({"name":"a","labels":{"ok.io/A_b.c":""},"annotations":{"A.IO/x":"y"},"finalizers":["x.io/f"]})",
       {}},
      {"null means absent", R"({"labels":null,"annotations":null,"finalizers":null,"ownerReferences":null})", {}},
      {"no object", R"([])", {"metadata FieldValueTypeInvalid"}},
      {"label key", R"({"labels":{"a b":"c"}})", {"metadata.labels FieldValueInvalid"}},
      {"label value", R"({"labels":{"a":"b c"}})", {"metadata.labels FieldValueInvalid"}},
      {"label of another type", R"({"labels":{"a":1}})", {"metadata.labels[a] FieldValueTypeInvalid"}},
      {"labels of another type", R"({"labels":["a"]})", {"metadata.labels FieldValueTypeInvalid"}},
      {"annotation key", R"({"annotations":{"a b":"c"}})", {"metadata.annotations FieldValueInvalid"}},
      {"name of another type", R"({"name":1})", {"metadata.name FieldValueTypeInvalid"}},
      {"time", R"({"creationTimestamp":"yesterday"})", {"metadata.creationTimestamp FieldValueInvalid"}},
      {"generation", R"({"generation":"1"})", {"metadata.generation FieldValueTypeInvalid"}},
      {"finalizer without a domain", R"({"finalizers":["plain"]})", {"metadata.finalizers[0] FieldValueInvalid"}},
      {"finalizer that is no name",
       R"({"finalizers":["bad name"]})",
       {"metadata.finalizers FieldValueInvalid", "metadata.finalizers[0] FieldValueInvalid"}},
      {"finalizers of the system", R"({"finalizers":["orphan"]})", {}},
      {"both at once", R"({"finalizers":["orphan","foregroundDeletion"]})", {"metadata.finalizers FieldValueInvalid"}},
      {"finalizer type", R"({"finalizers":[1]})", {"metadata.finalizers[0] FieldValueTypeInvalid"}},
      {"owner", R"({"ownerReferences":[{"apiVersion":"v1","kind":"X","name":"o","uid":"u"}]})", {}},
      {"owner without kind",
       R"({"ownerReferences":[{"apiVersion":"v1","name":"o","uid":"u"}]})",
       {"metadata.ownerReferences.kind FieldValueInvalid"}},
      {"owner without name",
       R"({"ownerReferences":[{"apiVersion":"v1","kind":"X","uid":"u"}]})",
       {"metadata.ownerReferences.name FieldValueInvalid"}},
      {"owner without uid",
       R"({"ownerReferences":[{"apiVersion":"v1","kind":"X","name":"o"}]})",
       {"metadata.ownerReferences.uid FieldValueInvalid"}},
      {"owner without version",
       R"({"ownerReferences":[{"kind":"X","name":"o","uid":"u"}]})",
       {"metadata.ownerReferences.apiVersion FieldValueInvalid"}},
      {"owner with a bad version",
       R"({"ownerReferences":[{"apiVersion":"a/b/c","kind":"X","name":"o","uid":"u"}]})",
       {"metadata.ownerReferences.apiVersion FieldValueInvalid"}},
      {"an Event owns nothing",
       R"({"ownerReferences":[{"apiVersion":"v1","kind":"Event","name":"o","uid":"u"}]})",
       {"metadata.ownerReferences FieldValueInvalid"}},
      {"one controller",
       R"({"ownerReferences":[{"apiVersion":"v1","kind":"X","name":"o","uid":"u","controller":true},
                              {"apiVersion":"v1","kind":"X","name":"p","uid":"v","controller":true}]})",
       {"metadata.ownerReferences FieldValueInvalid"}},
      {"a controller yet to come",
       R"({"ownerReferences":[{"apiVersion":"servicecatalog.k8s.io/v1beta1","controller":true}]})",
       {}},
      {"half an owner is none to come",
       R"({"ownerReferences":[{"apiVersion":"v1","controller":true,"kind":"X"}]})",
       {"metadata.ownerReferences.name FieldValueInvalid", "metadata.ownerReferences.uid FieldValueInvalid"}},
      {"owner type", R"({"ownerReferences":["x"]})", {"metadata.ownerReferences[0] FieldValueTypeInvalid"}},
  };
  for (const auto& row : rows) EXPECT_EQ(check(row.metadata), row.want) << row.reason;
}

TEST(Metadata, AnnotationsTogetherHaveALimit) {
  const auto with = [](size_t size) { return R"({"annotations":{"abc":")" + std::string(size, 'x') + "\"}}"; };
  EXPECT_EQ(check(with(256 * 1024 - 3)), Lines{});
  EXPECT_EQ(check(with(256 * 1024 - 2)), Lines{"metadata.annotations FieldValueTooLong"});
}

TEST(Metadata, CustomResourcesMayUseFinalizersWithoutADomain) {
  EXPECT_EQ(check(R"({"finalizers":["plain"]})", "", {"metadata", false}), Lines{});
  EXPECT_EQ(check(R"({"labels":{"a b":""}})", "", {"spec.e.metadata", false}),
            Lines{"spec.e.metadata.labels FieldValueInvalid"});
}

TEST(Metadata, AnUpdateCannotChangeWhatTheServerSets) {
  const std::string old = R"({"name":"a","namespace":"n","uid":"u","creationTimestamp":"2026-01-01T00:00:00Z"})";
  EXPECT_EQ(check(old, old), Lines{});
  EXPECT_EQ(check("{}", old), Lines{}) << "left out is unchanged";
  EXPECT_EQ(check(R"({"name":"b","namespace":"m","uid":"v","creationTimestamp":"2026-01-02T00:00:00Z",
                      "deletionTimestamp":"2026-01-02T00:00:00Z"})",
                  old),
            (Lines{"metadata.creationTimestamp FieldValueInvalid", "metadata.deletionTimestamp FieldValueInvalid",
                   "metadata.name FieldValueInvalid", "metadata.namespace FieldValueInvalid",
                   "metadata.uid FieldValueInvalid"}));
}

TEST(Metadata, NoFinalizerIsAddedWhileDeleting) {
  const std::string deleting = R"({"deletionTimestamp":"2026-01-01T00:00:00Z","finalizers":["x.io/f"]})";
  EXPECT_EQ(check(R"({"finalizers":["x.io/f","x.io/g"]})", deleting), Lines{"metadata.finalizers FieldValueForbidden"});
  EXPECT_EQ(check(R"({"finalizers":[]})", deleting), Lines{});
  EXPECT_EQ(check(R"({"finalizers":["x.io/f","x.io/g"]})", R"({"finalizers":["x.io/f"]})"), Lines{});
}

}  // namespace
}  // namespace chandler::meta
