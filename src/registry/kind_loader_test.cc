#include "registry/kind_loader.h"

#include <algorithm>
#include <set>

#include <fmt/format.h>

#include "base/embedded.h"
#include "registry/registry_fixture.h"

namespace chandler::registry {
namespace {

using testing::yaml;

const EmbeddedKinds& embedded() {
  static const auto loaded = [] {
    auto result = EmbeddedKinds::load();
    if (!result.ok()) ADD_FAILURE() << result.error().message;
    return std::move(result).value();
  }();
  return *loaded;
}

KindPtr embedded_kind(std::string_view group, std::string_view plural) {
  for (const auto& kind : embedded().kinds()) {
    if (kind->group == group && kind->plural == plural) return kind;
  }
  return nullptr;
}

const SelectableField* selectable(const Version& version, std::string_view label) {
  const auto found = std::find_if(version.selectable.begin(), version.selectable.end(),
                                  [&](const SelectableField& field) { return field.label == label; });
  return found == version.selectable.end() ? nullptr : &*found;
}

TEST(EmbeddedKinds, EveryFileIsAKindAsItSays) {
  std::set<std::string> prefixes;
  size_t files = 0;
  for (const auto& file : api_files()) {
    const std::string path(file.path);
    if (path.starts_with("fragments/") || path.starts_with("bootstrap/") || !path.ends_with(".yaml")) continue;
    SCOPED_TRACE(path);
    ++files;
    const auto documents = json::parse_yaml_stream(file.content);
    ASSERT_TRUE(documents.ok() && documents->size() == 2);
    const auto& crd = (*documents)[0];
    const auto& rules = (*documents)[1];
    const auto kind =
        embedded_kind(json::string_or(crd.at("spec"), "group"), json::string_or(crd.at("spec").at("names"), "plural"));
    ASSERT_NE(kind, nullptr);
    EXPECT_EQ(path, (kind->group.empty() ? "core" : kind->group) + "/" + kind->plural + ".yaml");
    EXPECT_TRUE(!kind->stored_as.empty() || prefixes.insert(kind->prefix()).second) << "two kinds share a prefix";
    EXPECT_EQ(std::count_if(kind->versions.begin(), kind->versions.end(), [](const Version& v) { return v.storage; }),
              1);

    const auto* versions = json::array_at(crd.at("spec"), "versions");
    for (const auto& version : kind->versions) {
      SCOPED_TRACE(version.name);
      EXPECT_TRUE(version.served);
      EXPECT_NE(version.schema, nullptr);
      const auto source = std::find_if(versions->begin(), versions->end(), [&](const json::Value& v) {
        return json::string_or(v, "name") == version.name;
      });
      ASSERT_NE(source, versions->end());

      // Columns of the rules stand instead of those of the definition.
      const auto* columns = json::array_at(rules, "columns");
      if (columns == nullptr) columns = json::array_at(*source, "additionalPrinterColumns");
      EXPECT_EQ(version.columns.size(), columns == nullptr ? 0 : columns->size());
      for (const auto& column : version.columns) {
        EXPECT_FALSE(column.name.empty());
        EXPECT_TRUE(column.path.has_value() != !column.computed.empty())
            << column.name << ": a path or a computed cell";
      }

      std::set<std::string> labels;
      const auto* fields = json::array_at(*source, "selectableFields");
      for (size_t i = 0; fields != nullptr && i < fields->size(); ++i) {
        labels.insert(json::string_or((*fields)[i], "jsonPath").substr(1));
      }
      const auto* more = json::array_at(rules, "selectableFields");
      for (size_t i = 0; more != nullptr && i < more->size(); ++i) labels.insert(json::string_or((*more)[i], "field"));
      std::set<std::string> loaded;
      for (const auto& field : version.selectable) loaded.insert(field.label);
      EXPECT_EQ(loaded, labels);
      EXPECT_EQ(version.selectable.size(), labels.size());
    }
  }
  EXPECT_EQ(files, embedded().kinds().size());
  EXPECT_GT(files, 0u);
}

TEST(EmbeddedKinds, HaveTheSelectableFieldsThatClientsUse) {
  const auto events = embedded_kind("", "events");
  ASSERT_NE(events, nullptr);
  ASSERT_NE(selectable(events->storage_version(), "involvedObject.name"), nullptr);
  ASSERT_NE(selectable(events->storage_version(), "source"), nullptr);
  EXPECT_EQ(selectable(events->storage_version(), "source")->path, (std::vector<std::string>{"source", "component"}));

  for (const auto* plural : {"clusterserviceclasses", "clusterserviceplans", "serviceclasses", "serviceplans"}) {
    const auto kind = embedded_kind("servicecatalog.k8s.io", plural);
    ASSERT_NE(kind, nullptr) << plural;
    EXPECT_NE(selectable(kind->storage_version(), "spec.externalName"), nullptr) << plural;
    EXPECT_NE(selectable(kind->storage_version(), "spec.externalID"), nullptr) << plural;
  }
}

TEST(EmbeddedKinds, IdsAtBrokersAreFoundWithoutRegardToCase) {
  for (const auto* plural : {"serviceinstances", "servicebindings"}) {
    const auto kind = embedded_kind("servicecatalog.k8s.io", plural);
    ASSERT_NE(kind, nullptr) << plural;
    const auto* exact = selectable(kind->storage_version(), "spec.externalID");
    const auto* folded = selectable(kind->storage_version(), "spec.externalID.folded");
    ASSERT_NE(exact, nullptr) << plural;
    ASSERT_NE(folded, nullptr) << plural;
    EXPECT_FALSE(exact->fold) << plural;
    EXPECT_TRUE(folded->fold) << plural;
    EXPECT_EQ(folded->path, exact->path) << plural;
  }
}

TEST(EmbeddedKinds, RulesAreRead) {
  const auto secrets = embedded_kind("", "secrets");
  ASSERT_NE(secrets, nullptr);
  EXPECT_TRUE(secrets->builtin);
  EXPECT_TRUE(secrets->encrypted);
  EXPECT_TRUE(secrets->unconditional_update);
  EXPECT_EQ(secrets->verbs, kAllVerbs);
  const auto reviews = embedded_kind("authorization.k8s.io", "selfsubjectaccessreviews");
  ASSERT_NE(reviews, nullptr);
  EXPECT_FALSE(reviews->stored);
  EXPECT_TRUE(reviews->allows(Verb::kCreate));
  EXPECT_FALSE(reviews->allows(Verb::kList));
  const auto events = embedded_kind("events.k8s.io", "events");
  ASSERT_NE(events, nullptr);
  EXPECT_EQ(events->prefix(), "core/events/");
}

TEST(EmbeddedKinds, GiveTheirDocumentsAndFragments) {
  const auto document = EmbeddedKinds::document("", "configmaps");
  ASSERT_TRUE(document.ok());
  EXPECT_EQ(json::string_or(document->at("spec").at("names"), "kind"), "ConfigMap");
  EXPECT_FALSE(EmbeddedKinds::document("", "nothing").ok());
  EXPECT_TRUE(EmbeddedKinds::fragment("ObjectMeta").ok());
  EXPECT_FALSE(EmbeddedKinds::fragment("Nothing").ok());
}

// Definitions with faults; what is said about each must lead to the place.
json::Value definition(std::string_view versions) {
  auto out = yaml("{spec: {group: example.com, scope: Namespaced, names: {plural: widgets, kind: Widget}}}");
  out.at("spec").as_object()["versions"] = yaml(versions);
  return out;
}

std::vector<std::string> faults(const json::Value& crd) {
  meta::FieldErrors errors;
  const auto kind = load_kind(crd, nullptr, nullptr, errors);
  EXPECT_EQ(kind == nullptr, !errors.empty());
  std::vector<std::string> fields;
  for (const auto& cause : errors.causes()) fields.push_back(cause.field);
  return fields;
}

TEST(LoadKind, NamesTheVersionOfAFaultOnlyWhereThereAreSeveral) {
  struct Row {
    std::string name;
    std::string reason;
    std::string version;
    std::string single;
    std::string second;  // the same fault in the second of two versions
  };
  const std::vector<Row> rows = {
      {"schema", "a single schema goes by its old name",
       "{name: v1, schema: {openAPIV3Schema: {type: object, properties: {a: {type: text}}}}}",
       "spec.validation.openAPIV3Schema.properties[a].type",
       "spec.versions[1].schema.openAPIV3Schema.properties[a].type"},
      {"rule", "rules are compiled with the schema",
       "{name: v1, schema: {openAPIV3Schema: {type: object, x-kubernetes-validations: [{rule: self.a > 1}]}}}",
       "spec.validation.openAPIV3Schema.x-kubernetes-validations[0].rule",
       "spec.versions[1].schema.openAPIV3Schema.x-kubernetes-validations[0].rule"},
      {"selectable path", "only simple paths are extracted",
       "{name: v1, schema: {openAPIV3Schema: {type: object}}, selectableFields: [{jsonPath: '.a[*].b'}]}",
       "spec.selectableFields[0].jsonPath", "spec.versions[1].selectableFields[0].jsonPath"},
      {"selectable type", "an object has no value to select by",
       "{name: v1, schema: {openAPIV3Schema: {type: object, properties: {a: {type: object}}}}, selectableFields: "
       "[{jsonPath: .a}]}",
       "spec.selectableFields[0].jsonPath", "spec.versions[1].selectableFields[0].jsonPath"},
      {"selectable unknown", "nothing can be extracted from a field that is pruned",
       "{name: v1, schema: {openAPIV3Schema: {type: object}}, selectableFields: [{jsonPath: .a}]}",
       "spec.selectableFields[0].jsonPath", "spec.versions[1].selectableFields[0].jsonPath"},
      {"column", "the path must be readable",
       "{name: v1, schema: {openAPIV3Schema: {type: object}}, additionalPrinterColumns: [{name: A, type: string, "
       "jsonPath: '.a['}]}",
       "spec.additionalPrinterColumns[0].JSONPath", "spec.versions[1].additionalPrinterColumns[0].JSONPath"},
  };
  for (const auto& row : rows) {
    SCOPED_TRACE(row.name + ": " + row.reason);
    EXPECT_EQ(faults(definition("[" + row.version + "]")), std::vector<std::string>{row.single});
    const std::string good = "{name: v2, schema: {openAPIV3Schema: {type: object}}}";
    EXPECT_EQ(faults(definition("[" + good + "," + row.version + "]")), std::vector<std::string>{row.second});
  }
}

TEST(LoadKind, FaultsOfDefaultsRulesAndSelectableFieldsAreToldTogether) {
  const auto version = [](std::string_view other) {
    return fmt::format(
        "[{{name: v1, schema: {{openAPIV3Schema: {{type: object, properties: {{a: {{type: string, default: 7}}, b: "
        "{{type: "
        "array, items: {{type: object, default: {{c: 1}}, properties: {{c: {{type: string}}}}}}}}, d: {{type: string, "
        "x-kubernetes-validations: [{{rule: self > 1}}]}}{}}}}}}}, selectableFields: [{{jsonPath: .a}}, {{jsonPath: "
        ".a}}, "
        "{{jsonPath: .b}}]}}]",
        other);
  };
  EXPECT_EQ(faults(definition(version(""))),
            (std::vector<std::string>{"spec.validation.openAPIV3Schema.properties[a].default",
                                      "spec.validation.openAPIV3Schema.properties[b].items.default.c",
                                      "spec.validation.openAPIV3Schema.properties[d].x-kubernetes-validations[0].rule",
                                      "spec.selectableFields[1].jsonPath", "spec.selectableFields[2].jsonPath"}));
  // A schema that has no sound structure says nothing about what refers to it.
  EXPECT_EQ(faults(definition(version(", e: {type: text}"))),
            (std::vector<std::string>{"spec.validation.openAPIV3Schema.properties[e].type",
                                      "spec.selectableFields[1].jsonPath"}));
}

TEST(LoadKind, FillsInTheNamesThatFollowFromTheKind) {
  const auto kind = testing::load(definition("[{name: v1, served: true, storage: true}]"));
  ASSERT_NE(kind, nullptr);
  EXPECT_EQ(kind->singular, "widget");
  EXPECT_EQ(kind->list_kind, "WidgetList");
  EXPECT_TRUE(kind->namespaced);
  EXPECT_FALSE(kind->builtin);
  EXPECT_TRUE(kind->generation);
}

TEST(LoadKind, PutsVersionsInTheOrderOfPreference) {
  const auto kind =
      testing::load(definition("[{name: v1alpha1, served: true}, {name: v2, served: false}, {name: v1, served: true, "
                               "storage: true}, {name: v1beta1, served: true}]"));
  ASSERT_NE(kind, nullptr);
  std::vector<std::string> order;
  for (const auto& version : kind->versions) order.push_back(version.name);
  EXPECT_EQ(order, (std::vector<std::string>{"v2", "v1", "v1beta1", "v1alpha1"}));
  EXPECT_EQ(kind->version("v2"), nullptr) << "not served";
  EXPECT_EQ(kind->version("v3"), nullptr);
  EXPECT_EQ(kind->storage_version().name, "v1");
}

TEST(LoadKind, ReadsSubresources) {
  const auto kind = testing::load(definition(
      "[{name: v1, served: true, storage: true, subresources: {status: {}, scale: {specReplicasPath: .spec.replicas, "
      "statusReplicasPath: .status.replicas, labelSelectorPath: .status.selector}}}]"));
  const auto& version = kind->storage_version();
  EXPECT_TRUE(version.has_status);
  ASSERT_TRUE(version.scale.has_value());
  EXPECT_EQ(version.scale->spec_replicas, (std::vector<std::string>{"spec", "replicas"}));
  EXPECT_EQ(version.scale->status_replicas, (std::vector<std::string>{"status", "replicas"}));
  EXPECT_EQ(version.scale->label_selector, (std::vector<std::string>{"status", "selector"}));
}

TEST(LoadKind, ADefinitionWithoutNamesIsAFault) {
  EXPECT_EQ(faults(yaml("{spec: {group: example.com}}")), std::vector<std::string>{"spec.names"});
  EXPECT_EQ(faults(yaml("{metadata: {}}")), std::vector<std::string>{"spec.names"});
}

}  // namespace
}  // namespace chandler::registry
