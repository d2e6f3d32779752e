#include "app/crd_export.h"

#include <algorithm>

#include <fmt/format.h>
#include <gtest/gtest.h>

#include "admission/kind_rules.h"
#include "cel/rules.h"
#include "json/writer.h"
#include "json/yaml.h"
#include "meta/schema.h"
#include "registry/kind_loader.h"

namespace chandler::app {
namespace {

std::vector<json::Value> exported(const std::string& group) {
  const auto text = export_crds(group);
  EXPECT_TRUE(text.ok()) << text.error().message;
  auto documents = json::parse_yaml_stream(text.ok() ? *text : "");
  EXPECT_TRUE(documents.ok());
  return documents.ok() ? std::move(documents).value() : std::vector<json::Value>();
}

// Words anywhere in the document that a cluster would refuse: references, and what only its own kinds may say.
size_t refused_words(const json::Value& node) {
  size_t count = 0;
  if (node.is_array()) {
    for (const auto& item : node.get_array()) count += refused_words(item);
  } else if (node.is_object()) {
    for (const auto& [key, value] : node.get_object()) {
      count += (key == "$ref" || key.starts_with("x-kubernetes-patch-") ? 1 : 0) + refused_words(value);
    }
  }
  return count;
}

TEST(ExportCrds, EveryDefinitionWouldBeAcceptedHere) {
  const auto documents = exported("");
  EXPECT_FALSE(documents.empty());
  for (const auto& document : documents) {
    auto crd = document;
    const auto name = json::string_or(crd.at("metadata"), "name");
    SCOPED_TRACE(name);
    EXPECT_EQ(json::string_or(crd, "apiVersion"), "apiextensions.k8s.io/v1");
    EXPECT_EQ(json::string_or(crd, "kind"), "CustomResourceDefinition");
    EXPECT_EQ(refused_words(crd), 0u);
    admission::Context context;
    context.object = &crd;
    admission::default_crd(context);
    meta::FieldErrors errors;
    std::vector<std::string> warnings;
    context.warnings = &warnings;
    admission::check_crd(context, errors);
    for (const auto& cause : errors.causes()) ADD_FAILURE() << cause.field << ": " << cause.message;
    EXPECT_EQ(warnings, std::vector<std::string>());
  }
}

TEST(ExportCrds, HoldsEveryKindThatAClusterLacks) {
  const auto embedded = registry::EmbeddedKinds::load();
  ASSERT_TRUE(embedded.ok());
  std::vector<std::string> want;
  for (const auto& kind : (*embedded)->kinds()) {
    if (!kind->builtin) want.push_back(kind->plural + "." + kind->group);
  }
  std::vector<std::string> names;
  for (const auto& document : exported("")) names.push_back(json::string_or(document.at("metadata"), "name"));
  std::sort(want.begin(), want.end());
  std::sort(names.begin(), names.end());
  EXPECT_EQ(names, want);
}

TEST(ExportCrds, ReadsBackAsTheKindThatIsServedHere) {
  const auto embedded = registry::EmbeddedKinds::load();
  ASSERT_TRUE(embedded.ok());
  for (const auto& document : exported("servicecatalog.k8s.io")) {
    meta::FieldErrors errors;
    const auto kind = registry::load_kind(document, nullptr, nullptr, errors);
    ASSERT_NE(kind, nullptr);
    SCOPED_TRACE(kind->plural);
    EXPECT_EQ(kind->group, "servicecatalog.k8s.io");
    const auto& kinds = (*embedded)->kinds();
    const auto ours = std::find_if(kinds.begin(), kinds.end(), [&](const registry::KindPtr& other) {
      return other->group == kind->group && other->plural == kind->plural;
    });
    ASSERT_NE(ours, kinds.end());
    EXPECT_EQ(kind->kind, (*ours)->kind);
    EXPECT_EQ(kind->namespaced, (*ours)->namespaced);
    EXPECT_EQ(kind->short_names, (*ours)->short_names);
    EXPECT_EQ(kind->storage_version().has_status, (*ours)->storage_version().has_status);
    EXPECT_EQ(kind->storage_version().columns.size(), (*ours)->storage_version().columns.size());
  }
}

TEST(ExportCrds, AQuantityIsCheckedWithoutItsFormat) {
  struct Row {
    std::string_view reason, amount;
    bool valid;
  };
  const std::vector<Row> rows{{"a number", "2", true},
                              {"a unit", "500Mi", true},
                              {"a fraction", "'0.5'", true},
                              {"an exponent", "'1e3'", true},
                              {"a number with a fraction, which int-or-string is not", "0.5", false},
                              {"no amount", "much", false},
                              {"no such unit", "5Zi", false},
                              {"neither text nor number", "[]", false}};
  for (const auto& document : exported("settings.svcat.k8s.io")) {
    meta::FieldErrors faults;
    const auto kind = registry::load_kind(document, nullptr, nullptr, faults);
    ASSERT_NE(kind, nullptr);
    for (const Row& row : rows) {
      const auto object = json::parse_yaml(fmt::format(
          "{{metadata: {{name: x}}, spec: {{volumes: [{{name: v, emptyDir: {{sizeLimit: {}}}}}]}}}}", row.amount));
      ASSERT_TRUE(object.ok());
      meta::FieldErrors errors;
      meta::validate(*kind->storage_version().schema, *object, nullptr, meta::Path(), errors);
      std::string said;
      for (const auto& cause : errors.causes()) said += cause.field + ": " + cause.message + "; ";
      EXPECT_EQ(said.find("sizeLimit") == std::string::npos, row.valid) << row.reason << ": " << said;
    }
  }
}

TEST(ExportCrds, OnlyWhatIsOnesOwnIsInTheCategoryAll) {
  const std::vector<std::string> want{"buckets",         "dynamodbinstances",    "mysqlinstances",
                                      "nosqlinstances",  "postgresqlinstances",  "redisclusters",
                                      "servicebindings", "servicebindingusages", "serviceinstances"};
  std::vector<std::string> all;
  for (const auto& document : exported("")) {
    meta::FieldErrors faults;
    const auto kind = registry::load_kind(document, nullptr, nullptr, faults);
    ASSERT_NE(kind, nullptr);
    const auto& categories = kind->categories;
    if (std::find(categories.begin(), categories.end(), "all") != categories.end()) all.push_back(kind->plural);
  }
  std::sort(all.begin(), all.end());
  EXPECT_EQ(all, want) << "`kubectl get all` is about what people made, not about the catalog";
}

// A cluster that has nothing but the definitions must not let anybody change what brokers know an object by.
TEST(ExportCrds, KeepWhatMayNotChange) {
  struct Row {
    std::string_view reason, plural, before, now;
    std::string fault;
  };
  const std::vector<Row> rows{
      {"another ID", "serviceinstances", "{externalID: a}", "{externalID: b}",
       "externalID cannot change once it is set"},
      {"no ID any more", "serviceinstances", "{externalID: a}", "{}", "externalID cannot change once it is set"},
      {"an ID for the first time", "serviceinstances", "{}", "{externalID: a}", ""},
      {"another class", "serviceinstances", "{clusterServiceClassExternalName: a}",
       "{clusterServiceClassExternalName: b}", "clusterServiceClassExternalName cannot change"},
      {"a class where there was none", "serviceinstances", "{serviceType: t}",
       "{serviceType: t, clusterServiceClassName: b}", "clusterServiceClassName cannot change"},
      {"another plan", "serviceinstances",
       "{externalID: a, clusterServiceClassExternalName: a, clusterServicePlanExternalName: p}",
       "{externalID: a, clusterServiceClassExternalName: a, clusterServicePlanExternalName: q}", ""},
      {"another ID of a plan", "clusterserviceplans", "{externalID: a}", "{externalID: b}",
       "externalID cannot change once it is set"},
      {"another class of a plan", "clusterserviceplans", "{clusterServiceClassRef: {name: a}}",
       "{clusterServiceClassRef: {name: b}}", "clusterServiceClassRef cannot change once it is set"},
      {"another broker of a class", "serviceclasses", "{serviceBrokerName: a}", "{serviceBrokerName: b}",
       "serviceBrokerName cannot change once it is set"}};
  for (const auto& document : exported("servicecatalog.k8s.io")) {
    meta::FieldErrors faults;
    const auto kind = registry::load_kind(document, nullptr, nullptr, faults);
    ASSERT_NE(kind, nullptr);
    for (const Row& row : rows) {
      if (kind->plural != row.plural) continue;
      const auto object = [&](std::string_view spec) {
        return json::parse_yaml(fmt::format("{{apiVersion: {}/v1beta1, kind: {}, metadata: {{name: x}}, spec: {}}}",
                                            kind->group, kind->kind, spec))
            .value();
      };
      const auto old = object(row.before);
      meta::FieldErrors errors;
      ASSERT_NE(kind->storage_version().rules, nullptr);
      cel::check_rules(*kind->storage_version().rules, object(row.now), &old, errors);
      const auto told = errors.empty() ? std::string() : errors.causes().front().message;
      EXPECT_EQ(told, row.fault.empty() ? "" : "Invalid value: \"object\": " + row.fault) << row.reason;
    }
  }
}

TEST(ExportCrds, AnUnknownGroupIsAnError) {
  EXPECT_FALSE(export_crds("example.com").ok());
  EXPECT_FALSE(export_crds("apps").ok()) << "every cluster has these";
}

}  // namespace
}  // namespace chandler::app
