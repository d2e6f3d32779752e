#include "apiserver/openapi.h"

#include <gtest/gtest.h>

#include <functional>

#include "apiserver/embedded_kinds_fixture.h"
#include "apiserver/openapi_documents.h"
#include "json/writer.h"
#include "meta/protobuf/wire_reader.h"

namespace chandler::apiserver {
namespace {

using testing::load_custom;
using testing::parsed;
using testing::widget_definition;

class OpenApiTest : public ::testing::Test {
 protected:
  OpenApiTest() : cache_(nullptr, metrics_), openapi_(table_, cache_) {
    table_.put_all(testing::embedded_kinds());
    for (const auto& kind : testing::embedded_kinds()) EXPECT_TRUE(cache_.serve(*kind).ok());
  }

  json::Value v3(std::string_view group_version) {
    auto document = openapi_.v3(group_version);
    EXPECT_TRUE(document.ok()) << group_version;
    return parsed(*document->json);
  }

  // Stores the definition, as a client would, and serves its kind.
  void define_widget(std::string_view versions, storage::Revision revision) {
    const auto definition = widget_definition(parsed(versions).as_array());
    const auto text = json::write(definition);
    const storage::Change change{revision, "apiextensions.k8s.io/customresourcedefinitions/widgets.example.com", text};
    cache_.on_changes({&change, 1});
    table_.put(load_custom(definition));
  }

  metrics::Registry metrics_;
  registry::KindTable table_;
  registry::Cache cache_;
  OpenApi openapi_;
};

void each_object(const json::Value& value, const std::function<void(const json::Object&)>& visit) {
  if (const auto* object = value.if_object()) {
    visit(*object);
    for (const auto& member : *object) each_object(member.value(), visit);
  } else if (const auto* array = value.if_array()) {
    for (const auto& item : *array) each_object(item, visit);
  }
}

// References that lead nowhere.
std::vector<std::string> broken_references(const json::Value& document) {
  std::vector<std::string> out;
  each_object(document, [&](const json::Object& object) {
    const auto* reference = object.if_contains("$ref");
    if (reference == nullptr || !reference->is_string()) return;
    const std::string_view text = json::view(reference->get_string());
    for (const std::string_view root : {"#/components/schemas/", "#/definitions/"}) {
      if (!text.starts_with(root)) continue;
      const auto* schemas = root == "#/definitions/" ? json::find(document, "definitions")
                                                     : json::find_path(document, {"components", "schemas"});
      const auto* target = schemas == nullptr ? nullptr : json::find(*schemas, text.substr(root.size()));
      if (target != nullptr && target->is_object()) return;
    }
    out.emplace_back(text);
  });
  return out;
}

// The operation `method` on the path that ends as told.
const json::Value* operation(const json::Value& document, const std::string& path, std::string_view method) {
  return json::find_path(document, {"paths", path, method});
}

std::string object_path(const registry::Kind& kind, const registry::Version& version) {
  return (kind.group.empty() ? "/api/" : "/apis/" + kind.group + "/") + version.name + "/" +
         (kind.namespaced ? "namespaces/{namespace}/" : "") + kind.plural + "/{name}";
}

std::string document_name(const registry::Kind& kind, const registry::Version& version) {
  return (kind.group.empty() ? "api/" : "apis/" + kind.group + "/") + version.name;
}

TEST_F(OpenApiTest, EveryReferenceLeadsToASchema) {
  const auto index = openapi_.v3_index();
  const auto& paths = json::find(index, "paths")->as_object();
  EXPECT_GE(paths.size(), 11u);
  for (const auto& entry : paths) {
    EXPECT_EQ(broken_references(v3(entry.key())), std::vector<std::string>()) << entry.key();
  }
  EXPECT_EQ(broken_references(parsed(*openapi_.v2_json()->json)), std::vector<std::string>());
}

TEST_F(OpenApiTest, DocumentsStaySmall) {
  const auto index = openapi_.v3_index();
  for (const auto& entry : json::find(index, "paths")->as_object()) {
    EXPECT_LT(openapi_.v3(entry.key())->json->size(), 300u * 1024) << entry.key();
  }
}

TEST_F(OpenApiTest, IndexAndDocumentsShareTheirHash) {
  const auto index = openapi_.v3_index();
  const auto* entry = json::find_path(index, {"paths", "apis/apps/v1"});
  ASSERT_NE(entry, nullptr);
  EXPECT_EQ(json::string_or(*entry, "serverRelativeURL"),
            "/openapi/v3/apis/apps/v1?hash=" + openapi_.v3("apis/apps/v1")->hash);
  EXPECT_FALSE(openapi_.v3("apis/apps/v9").ok());
}

TEST_F(OpenApiTest, EveryKindThatCanBePatchedSaysHow) {
  for (const auto& kind : testing::embedded_kinds()) {
    for (const auto& version : kind->versions) {
      if (!version.served || !kind->allows(registry::Verb::kPatch)) continue;
      const auto document = v3(document_name(*kind, version));
      const auto* patch = operation(document, object_path(*kind, version), "patch");
      ASSERT_NE(patch, nullptr) << kind->plural;
      const auto* about = json::find(*patch, "x-kubernetes-group-version-kind");
      ASSERT_NE(about, nullptr);
      EXPECT_EQ(json::string_or(*about, "kind"), kind->kind);
      EXPECT_EQ(json::string_or(*about, "group"), kind->group);
      bool validation = false;
      for (const auto& parameter : *json::array_at(*patch, "parameters")) {
        validation = validation || json::string_at(parameter, "name") == "fieldValidation";
      }
      EXPECT_TRUE(validation) << kind->plural;
      const auto* content = json::find_path(*patch, {"requestBody", "content"});
      ASSERT_NE(content, nullptr);
      EXPECT_NE(json::find(*content, "application/merge-patch+json"), nullptr);
      EXPECT_NE(json::find(*content, "application/json-patch+json"), nullptr);
      EXPECT_EQ(json::find(*content, "application/strategic-merge-patch+json") != nullptr, kind->builtin)
          << kind->plural;
      EXPECT_NE(json::find(*content, "application/apply-patch+yaml"), nullptr);
    }
  }
}

TEST_F(OpenApiTest, PartsOfObjectsHavePathsOfTheirOwn) {
  const auto document = v3("api/v1");
  const struct {
    const char* reason;
    const char* path;
    const char* method;
    const char* id;
    const char* kind;
    const char* body;
  } rows[] = {
      {"a namespace's finalizers are replaced apart from the rest", "/api/v1/namespaces/{name}/finalize", "put",
       "replaceCoreV1NamespaceFinalize", "Namespace", "#/components/schemas/io.k8s.api.core.v1.Namespace"},
      {"a token is an answer of its own kind", "/api/v1/namespaces/{namespace}/serviceaccounts/{name}/token", "post",
       "createCoreV1NamespacedServiceAccountToken", "TokenRequest",
       "#/components/schemas/io.k8s.api.authentication.v1.TokenRequest"},
  };
  for (const auto& row : rows) {
    SCOPED_TRACE(row.reason);
    const auto* found = operation(document, row.path, row.method);
    ASSERT_NE(found, nullptr);
    EXPECT_EQ(json::string_or(*found, "operationId"), row.id);
    EXPECT_EQ(json::string_or(*json::find(*found, "x-kubernetes-group-version-kind"), "kind"), row.kind);
    const auto* schema = json::find_path(*found, {"requestBody", "content", "*/*", "schema"});
    ASSERT_NE(schema, nullptr);
    EXPECT_EQ(json::string_or(*schema, "$ref"), row.body);
  }
}

TEST_F(OpenApiTest, EveryKindHasADescribedSchemaThatNamesIt) {
  for (const auto& kind : testing::embedded_kinds()) {
    for (const auto& version : kind->versions) {
      const auto document = v3(document_name(*kind, version));
      bool found = false;
      for (const auto& schema : json::find_path(document, {"components", "schemas"})->as_object()) {
        const auto* names = json::array_at(schema.value(), "x-kubernetes-group-version-kind");
        if (names == nullptr || json::string_or(names->front(), "kind") != kind->kind) continue;
        found = true;
        EXPECT_NE(json::string_or(schema.value(), "description"), "") << kind->plural;
        EXPECT_NE(json::find_path(schema.value(), {"properties", "metadata"}), nullptr) << kind->plural;
      }
      EXPECT_TRUE(found) << kind->plural;
    }
  }
}

TEST_F(OpenApiTest, OnlyOpenApiRemains) {
  const auto index = openapi_.v3_index();
  for (const auto& entry : json::find(index, "paths")->as_object()) {
    EXPECT_EQ(openapi_.v3(entry.key())->json->find("\"fragment/"), std::string::npos) << entry.key();
  }
  const auto& text = *openapi_.v2_json()->json;
  EXPECT_EQ(text.find("\"fragment/"), std::string::npos);
  for (const auto* keyword : {"\"oneOf\":[", "\"anyOf\":[", "\"allOf\":[", "\"nullable\":true"}) {
    EXPECT_EQ(text.find(keyword), std::string::npos) << keyword << " is unknown to Swagger 2";
  }
}

TEST_F(OpenApiTest, MergeKeysStandBesideLists) {
  const auto document = v3("api/v1");
  const auto* containers =
      json::find_path(document, {"components", "schemas", "io.chandler.fragments.PodSpec", "properties", "containers"});
  ASSERT_NE(containers, nullptr);
  EXPECT_EQ(json::string_or(*containers, "x-kubernetes-patch-merge-key"), "name");
  EXPECT_EQ(json::string_or(*containers, "type"), "array");
  const auto* ports =
      json::find_path(document, {"components", "schemas", "io.chandler.fragments.Container", "properties", "ports"});
  ASSERT_NE(ports, nullptr);
  EXPECT_EQ(json::string_or(*ports, "x-kubernetes-patch-merge-key"), "containerPort")
      << "a fragment that is a list stays in place, where clients look for its merge key";
}

constexpr std::string_view kWidgetV1 = R"([{"name":"v1","served":true,"storage":true,"schema":{"openAPIV3Schema":{
    "type":"object","description":"A widget.","properties":{"spec":{"type":"object","properties":{
      "size":{"x-kubernetes-int-or-string":true,"description":"How big."},
      "free":{"type":"object","x-kubernetes-preserve-unknown-fields":true,"properties":{"a":{"type":"string"}}},
      "maybe":{"type":"string","nullable":true,"default":null}}}}}}}])";
constexpr std::string_view kOpenWidget = R"([{"name":"v1","served":true,"storage":true,"schema":{"openAPIV3Schema":{
    "type":"object","x-kubernetes-preserve-unknown-fields":true}}}])";

TEST_F(OpenApiTest, CustomResourcesAppearWhenTheyAreDefined) {
  EXPECT_FALSE(openapi_.v3("apis/example.com/v1").ok());
  define_widget(kWidgetV1, 1);
  const auto document = v3("apis/example.com/v1");
  EXPECT_EQ(broken_references(document), std::vector<std::string>());
  const auto* widget = json::find_path(document, {"components", "schemas", "com.example.v1.Widget"});
  ASSERT_NE(widget, nullptr);
  EXPECT_EQ(json::string_or(*widget, "description"), "A widget.");
  EXPECT_EQ(json::write(*json::find_path(*widget, {"properties", "spec", "properties", "size"})),
            R"({"allOf":[{"$ref":"#/components/schemas/io.k8s.apimachinery.pkg.util.intstr.IntOrString"}],)"
            R"("description":"How big."})");
  EXPECT_EQ(json::write(*json::find_path(*widget, {"properties", "spec", "properties", "maybe"})),
            R"({"nullable":true,"type":"string"})");
  const auto* patch = operation(document, "/apis/example.com/v1/namespaces/{namespace}/widgets/{name}", "patch");
  ASSERT_NE(patch, nullptr);
  EXPECT_EQ(json::find_path(*patch, {"requestBody", "content", "application/strategic-merge-patch+json"}), nullptr);
}

TEST_F(OpenApiTest, OnlyTheDocumentOfAChangedKindIsMadeAnew) {
  define_widget(kWidgetV1, 1);
  const auto apps = openapi_.v3("apis/apps/v1");
  const auto widgets = openapi_.v3("apis/example.com/v1");
  define_widget(kOpenWidget, 2);
  EXPECT_EQ(openapi_.v3("apis/apps/v1")->json, apps->json);
  EXPECT_NE(openapi_.v3("apis/example.com/v1")->hash, widgets->hash);
  table_.remove("example.com", "widgets");
  EXPECT_FALSE(openapi_.v3("apis/example.com/v1").ok());
}

TEST_F(OpenApiTest, SwaggerLetsUnknownMembersPassWhereTheyAreWelcome) {
  define_widget(kWidgetV1, 1);
  auto document = parsed(*openapi_.v2_json()->json);
  const auto* widget = json::find_path(document, {"definitions", "com.example.v1.Widget"});
  ASSERT_NE(widget, nullptr);
  EXPECT_EQ(json::write(*json::find_path(*widget, {"properties", "spec", "properties", "free"})),
            R"({"x-kubernetes-preserve-unknown-fields":true})");
  define_widget(kOpenWidget, 2);
  document = parsed(*openapi_.v2_json()->json);
  EXPECT_EQ(json::write(*json::find_path(document, {"definitions", "com.example.v1.Widget"})),
            R"({"x-kubernetes-group-version-kind":[{"group":"example.com","kind":"Widget","version":"v1"}],)"
            R"("x-kubernetes-preserve-unknown-fields":true})");
}

// All fields of a message under one number.
std::vector<std::string_view> fields(std::string_view message, uint32_t number) {
  std::vector<std::string_view> out;
  meta::WireReader reader(message);
  while (!reader.done()) {
    const auto field = reader.next();
    EXPECT_TRUE(field.ok());
    if (!field.ok()) break;
    if (field->number == number) out.push_back(field->bytes);
  }
  return out;
}

std::string_view field(std::string_view message, std::initializer_list<uint32_t> path) {
  for (const auto number : path) {
    const auto found = fields(message, number);
    if (found.empty()) return {};
    message = found.front();
  }
  return message;
}

// The value of an entry {name=1, value=2} among fields `number`.
std::string_view entry(std::string_view message, uint32_t number, std::string_view name) {
  for (const auto candidate : fields(message, number)) {
    if (field(candidate, {1}) == name) return field(candidate, {2});
  }
  return {};
}

TEST_F(OpenApiTest, ProtobufHoldsTheDefinitions) {
  const auto swagger = parsed(*openapi_.v2_json()->json);
  const auto document = openapi_.v2_protobuf();
  ASSERT_TRUE(document.ok());
  const std::string_view bytes = *document->json;
  EXPECT_EQ(field(bytes, {1}), "2.0");
  EXPECT_EQ(field(bytes, {2, 1}), "Chandler");

  const auto definitions = field(bytes, {9});
  EXPECT_EQ(fields(definitions, 1).size(), json::find(swagger, "definitions")->as_object().size());
  const auto config_map = entry(definitions, 1, "io.k8s.api.core.v1.ConfigMap");
  ASSERT_FALSE(config_map.empty());
  EXPECT_EQ(field(config_map, {22, 1}), "object");
  EXPECT_EQ(field(entry(config_map, 31, "x-kubernetes-group-version-kind"), {2}),
            R"([{"group":"","kind":"ConfigMap","version":"v1"}])");
  const auto data = entry(field(config_map, {25}), 1, "data");
  EXPECT_EQ(field(data, {22, 1}), "object");
  EXPECT_EQ(field(data, {21, 1, 22, 1}), "string");
  const auto metadata = entry(field(config_map, {25}), 1, "metadata");
  EXPECT_EQ(field(metadata, {1}), "#/definitions/io.k8s.apimachinery.pkg.apis.meta.v1.ObjectMeta");

  const auto containers = entry(field(entry(definitions, 1, "io.chandler.fragments.PodSpec"), {25}), 1, "containers");
  EXPECT_EQ(field(entry(containers, 31, "x-kubernetes-patch-merge-key"), {2}), R"("name")");
  EXPECT_EQ(field(containers, {23, 1, 1}), "#/definitions/io.chandler.fragments.Container");
}

TEST_F(OpenApiTest, ProtobufHoldsThePathsThatOldClientsAsk) {
  const std::string bytes = *openapi_.v2_protobuf()->json;
  const auto item = entry(field(bytes, {8}), 2, "/api/v1/namespaces/{namespace}/configmaps/{name}");
  const auto patch = field(item, {8});
  ASSERT_FALSE(patch.empty());
  EXPECT_EQ(field(entry(patch, 13, "x-kubernetes-group-version-kind"), {2}),
            R"({"group":"","kind":"ConfigMap","version":"v1"})");
  EXPECT_EQ(fields(patch, 7),
            (std::vector<std::string_view>{"application/json-patch+json", "application/merge-patch+json",
                                           "application/strategic-merge-patch+json", "application/apply-patch+yaml"}));
  std::vector<std::string_view> names;
  for (const auto parameter : fields(patch, 8)) names.push_back(field(parameter, {1, 2, 3, 4}));
  EXPECT_EQ(names, (std::vector<std::string_view>{"", "dryRun", "fieldManager", "fieldValidation", "force"}));
  EXPECT_EQ(field(fields(patch, 8).front(), {1, 1, 2}), "body");
  EXPECT_EQ(field(fields(item, 9).front(), {1, 2, 4, 4}), "name");
}

TEST(OpenApiProtobuf, EverySchemaKeywordHasItsField) {
  const auto swagger = parsed(R"({"definitions":{"X":{"title":"t","description":"d","format":"int32","default":{"a":1},
      "multipleOf":2,"maximum":9.5,"exclusiveMaximum":true,"maxLength":300,"minItems":1,"pattern":"^a$",
      "required":["a","b"],"enum":["x",1],"additionalProperties":true}}})");
  const auto bytes = openapi_v2_protobuf(swagger);
  const auto schema = entry(field(bytes, {9}), 1, "X");
  EXPECT_EQ(field(schema, {2}), "int32");
  EXPECT_EQ(field(schema, {3}), "t");
  EXPECT_EQ(field(schema, {4}), "d");
  EXPECT_EQ(field(schema, {5, 2}), R"({"a":1})");
  EXPECT_EQ(field(schema, {13}), "^a$");
  EXPECT_EQ(fields(schema, 19), (std::vector<std::string_view>{"a", "b"}));
  EXPECT_EQ(fields(schema, 20).size(), 2u);

  std::map<uint32_t, uint64_t> numbers;
  meta::WireReader reader(schema);
  while (!reader.done()) {
    const auto next = reader.next();
    ASSERT_TRUE(next.ok());
    if (next->type != meta::WireType::kBytes) numbers[next->number] = next->bits;
  }
  EXPECT_EQ(numbers, (std::map<uint32_t, uint64_t>{
                         {6, 0x4000000000000000}, {7, 0x4023000000000000}, {8, 1}, {11, 300}, {15, 1}}));
  EXPECT_EQ(field(schema, {21}), std::string_view("\x10\x01", 2));
}

TEST(OpenApiProtobuf, AnEmptyDocumentIsNoBytes) { EXPECT_EQ(openapi_v2_protobuf(json::Object()), ""); }

}  // namespace
}  // namespace chandler::apiserver
