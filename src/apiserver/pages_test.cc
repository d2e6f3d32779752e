// Pages, selectors and shapes through a whole server: what list, deletecollection and the writing verbs have in common.
#include "apiserver/pages.h"

#include <gtest/gtest.h>

#include "apiserver/whole_server_fixture.h"
#include "json/reader.h"
#include "json/writer.h"

namespace chandler::apiserver {
namespace {

using http::Method;
using testing::WholeServer;

constexpr std::string_view kConfigs = "/api/v1/namespaces/ns/configmaps";
constexpr std::string_view kPartialList = "application/json;as=PartialObjectMetadataList;v=v1;g=meta.k8s.io";
constexpr std::string_view kPartial = "application/json;as=PartialObjectMetadata;v=v1;g=meta.k8s.io";

class PagesTest : public ::testing::Test {
 protected:
  PagesTest() {
    server_.world.create_namespace("ns");
    for (const auto* name : {"a", "b", "c", "d"}) {
      server_.world.create_config(name, std::string(", labels: {half: ") + (name[0] < 'c' ? "first" : "second") + "}");
    }
  }

  struct Got {
    int status = 0;
    json::Value body;
  };

  Got ask(Method method, const std::string& target, std::string_view accept, std::string_view body = "",
          std::string_view type = "application/json") {
    http::Headers headers;
    if (!accept.empty()) headers.set("Accept", accept);
    if (!body.empty()) headers.set("Content-Type", type);
    const auto text = server_.ask(method, target, body, "admin", std::string(auth::kMasters), headers);
    auto parsed = json::parse(std::string_view(text).substr(4));
    EXPECT_TRUE(parsed.ok()) << text;
    return {std::stoi(text), parsed.ok() ? std::move(*parsed) : json::Value()};
  }

  static std::string names(const json::Value& list) {
    std::string out;
    const auto* items = json::array_at(list, "items");
    for (size_t i = 0; items != nullptr && i < items->size(); ++i) {
      out += json::string_or((*items)[i].at("metadata"), "name") + " ";
    }
    return out;
  }
  static std::string continue_of(const json::Value& list) { return json::string_or(list.at("metadata"), "continue"); }

  WholeServer server_;
};

TEST_F(PagesTest, APageWhoseSnapshotIsGoneSaysHowToGoOn) {
  const auto first = ask(Method::kGet, std::string(kConfigs) + "?limit=2", kPartialList);
  ASSERT_EQ(names(first.body), "a b ");
  const auto token = continue_of(first.body);
  server_.world.create_config("bb");
  const auto consistent = ask(Method::kGet, std::string(kConfigs) + "?limit=2&continue=" + token, kPartialList);
  EXPECT_EQ(names(consistent.body), "c d ") << "a page shows the state of the first one";

  ASSERT_TRUE(server_.world.store.compact(server_.world.cache.revision()).ok());
  ASSERT_TRUE(
      ::chandler::testing::eventually([&] { return server_.world.cache.floor() >= server_.world.cache.revision(); }));
  const auto gone = ask(Method::kGet, std::string(kConfigs) + "?limit=2&continue=" + token, kPartialList);
  EXPECT_EQ(gone.status, 410);
  EXPECT_EQ(json::string_or(gone.body, "reason"), "Expired");
  const auto fresh = continue_of(gone.body);
  ASSERT_FALSE(fresh.empty()) << json::write(gone.body);
  const auto rest = ask(Method::kGet, std::string(kConfigs) + "?limit=9&continue=" + fresh, kPartialList);
  EXPECT_EQ(rest.status, 200);
  EXPECT_EQ(names(rest.body), "bb c d ") << "the current state, after where the list stood";
}

TEST_F(PagesTest, ACollectionIsDeletedBySelectorsAndByPages) {
  const auto by_label = ask(Method::kDelete, std::string(kConfigs) + "?labelSelector=half%3Dfirst", kPartialList);
  EXPECT_EQ(by_label.status, 200);
  EXPECT_EQ(json::string_or(by_label.body, "kind"), "PartialObjectMetadataList");
  EXPECT_EQ(json::string_or(by_label.body.at("items").at(0), "kind"), "PartialObjectMetadata");
  EXPECT_EQ(names(by_label.body), "a b ");
  EXPECT_FALSE(server_.world.has_config("a"));
  EXPECT_TRUE(server_.world.has_config("c"));

  const auto page = ask(Method::kDelete, std::string(kConfigs) + "?limit=1", "");
  EXPECT_EQ(json::string_or(page.body, "kind"), "ConfigMapList");
  EXPECT_EQ(names(page.body), "c ");
  ASSERT_FALSE(continue_of(page.body).empty());
  const auto next = ask(Method::kDelete, std::string(kConfigs) + "?limit=1&continue=" + continue_of(page.body), "");
  EXPECT_EQ(names(next.body), "d ");

  server_.world.create_config("e");
  server_.world.create_config("f");
  const auto by_field = ask(Method::kDelete, std::string(kConfigs) + "?fieldSelector=metadata.name%3Df", "");
  EXPECT_EQ(names(by_field.body), "f ");
  EXPECT_TRUE(server_.world.has_config("e"));
}

TEST_F(PagesTest, ADeletedCollectionIsATableForWhoAsks) {
  const auto table = ask(Method::kDelete, std::string(kConfigs), "application/json;as=Table;v=v1;g=meta.k8s.io");
  EXPECT_EQ(json::string_or(table.body, "kind"), "Table");
  EXPECT_EQ(json::array_at(table.body, "rows")->size(), 4u);
}

TEST_F(PagesTest, EveryVerbAnswersWithMetadataAlone) {
  struct Row {
    std::string name;
    std::string reason;
    Method method;
    std::string target;
    std::string body;
    std::string type;
  };
  const std::string a = std::string(kConfigs) + "/a";
  const std::vector<Row> rows = {
      {"get", "one object", Method::kGet, a, "", ""},
      {"create", "what was made", Method::kPost, std::string(kConfigs),
       R"({"metadata": {"name": "n"}, "data": {"k": "v"}})", "application/json"},
      {"update", "what was replaced", Method::kPut, a, R"({"metadata": {"name": "a"}, "data": {"k": "v"}})",
       "application/json"},
      {"patch", "what was changed", Method::kPatch, a, R"({"data": {"k": "w"}})", "application/merge-patch+json"},
  };
  for (const auto& row : rows) {
    const auto got = ask(row.method, row.target, kPartial, row.body, row.type);
    EXPECT_EQ(json::string_or(got.body, "kind"), "PartialObjectMetadata") << row.name << ": " << row.reason;
    EXPECT_EQ(json::find(got.body, "data"), nullptr) << row.name;
    EXPECT_FALSE(json::string_or(got.body.at("metadata"), "uid").empty()) << row.name;
  }
}

TEST_F(PagesTest, TheBookmarkOfAWatchHasTheShapeOfItsEvents) {
  struct Row {
    std::string name;
    std::string accept;
    std::string kind;
  };
  for (const auto& row : {Row{"plain", "application/json", "ConfigMap"},
                          Row{"metadata alone", std::string(kPartial), "PartialObjectMetadata"},
                          Row{"table", "application/json;as=Table;v=v1;g=meta.k8s.io", "Table"}}) {
    http::Headers headers;
    headers.set("Accept", row.accept);
    (void)server_.ask(Method::kGet,
                      std::string(kConfigs) +
                          "?watch=1&sendInitialEvents=true&resourceVersionMatch=NotOlderThan"
                          "&allowWatchBookmarks=true",
                      "", "admin", std::string(auth::kMasters), headers);
    std::string text;
    {
      MutexLock lock(server_.answers.mutex);
      ASSERT_NE(server_.answers.all.front().source, nullptr) << row.name;
      (void)server_.answers.all.front().source->fill(text, 1 << 20);
    }
    const auto at = text.find("{\"type\":\"BOOKMARK\"");
    ASSERT_NE(at, std::string::npos) << row.name << ": " << text;
    const auto event = json::parse(std::string_view(text).substr(at));
    ASSERT_TRUE(event.ok()) << row.name;
    const auto& object = event->at("object");
    EXPECT_EQ(json::string_or(object, "kind"), row.kind) << row.name;
    const auto* annotations = json::find_path(object, {"metadata", "annotations"});
    ASSERT_NE(annotations, nullptr) << row.name;
    EXPECT_EQ(json::string_or(*annotations, "k8s.io/initial-events-end"), "true") << row.name;
  }
}

TEST_F(PagesTest, AggregatedDiscoveryIsTaggedInBothVersions) {
  for (const std::string version : {"v2", "v2beta1"}) {
    for (const auto* path : {"/api", "/apis"}) {
      const std::string accept = "application/json;g=apidiscovery.k8s.io;v=" + version + ";as=APIGroupDiscoveryList";
      http::Headers headers;
      headers.set("Accept", accept + ",application/json");
      (void)server_.ask(Method::kGet, path, "", "admin", std::string(auth::kMasters), headers);
      std::string tag;
      {
        MutexLock lock(server_.answers.mutex);
        const auto& answer = server_.answers.all.front();
        EXPECT_EQ(answer.status, 200);
        EXPECT_EQ(answer.headers.get("Content-Type"), accept) << path;
        EXPECT_EQ(answer.headers.get("Vary"), "Accept");
        tag = answer.headers.get("ETag");
      }
      ASSERT_FALSE(tag.empty()) << path;
      headers.set("If-None-Match", tag);
      EXPECT_EQ(server_.ask(Method::kGet, path, "", "admin", std::string(auth::kMasters), headers), "304 ") << version;
      headers.set("Accept", accept);
      EXPECT_EQ(server_.ask(Method::kGet, path, "", "admin", std::string(auth::kMasters), headers), "304 ")
          << "who takes nothing else is served too";
      headers.set("If-None-Match", "\"other\"");
      EXPECT_EQ(server_.ask(Method::kGet, path, "", "admin", std::string(auth::kMasters), headers).substr(0, 4),
                "200 ");
    }
  }
}

TEST_F(PagesTest, AScaleIsReadAndWrittenThroughTheObject) {
  server_.world.create(
      server_.world.kind("deployments", "apps"), "ns",
      "{metadata: {name: web}, spec: {replicas: 2, selector: {matchLabels: {a: b}}, template: {metadata: "
      "{labels: {a: b}}, spec: {containers: [{name: c, image: i}]}}}}");
  const std::string path = "/apis/apps/v1/namespaces/ns/deployments/web/scale";
  auto scale = ask(Method::kGet, path, "").body;
  EXPECT_EQ(json::write(scale.at("spec")), R"({"replicas":2})");
  scale.at("spec").as_object()["replicas"] = 3;
  const auto put = ask(Method::kPut, path, "", json::write(scale));
  EXPECT_EQ(put.status, 200) << json::write(put.body);
  EXPECT_EQ(ask(Method::kPut, path, "", json::write(scale)).status, 409) << "that version is an old one now";
  const auto patched = ask(Method::kPatch, path, "", R"([{"op": "replace", "path": "/spec/replicas", "value": 0}])",
                           "application/json-patch+json");
  EXPECT_EQ(json::write(patched.body.at("spec")), R"({"replicas":0})");
  EXPECT_EQ(ask(Method::kPatch, path, "", R"({"spec": {"replicas": -1}})", "application/merge-patch+json").status, 422);
  EXPECT_EQ(ask(Method::kPatch, path, "", R"({"kind": "Deployment"})", "application/merge-patch+json").status, 400);
  EXPECT_EQ(ask(Method::kDelete, path, "").status, 405);
  EXPECT_EQ(ask(Method::kPatch, path, "", "{}", "text/plain").status, 415);
  EXPECT_EQ(ask(Method::kGet, "/apis/apps/v1/namespaces/ns/daemonsets/web/scale", "").status, 404);
  const auto object = server_.world.get(server_.world.kind("deployments", "apps"), "ns", "web")->parse();
  EXPECT_EQ(json::write(object.at("spec").at("replicas")), "0");
  EXPECT_EQ(json::int_at(object.at("metadata"), "generation"), 3);
}

TEST_F(PagesTest, AScaleIsAppliedAsAFieldOfTheObject) {
  const auto kind = server_.world.kind("deployments", "apps");
  server_.world.create(
      kind, "ns",
      "{metadata: {name: web}, spec: {replicas: 2, selector: {matchLabels: {a: b}}, template: {metadata: "
      "{labels: {a: b}}, spec: {containers: [{name: c, image: i}]}}}}");
  const auto apply = [&](const std::string& name, const std::string& query, std::string_view body) {
    return ask(Method::kPatch, "/apis/apps/v1/namespaces/ns/deployments/" + name + "/scale" + query, "", body,
               "application/apply-patch+yaml");
  };
  constexpr std::string_view kThree =
      "{apiVersion: autoscaling/v1, kind: Scale, metadata: {name: web}, "
      "spec: {replicas: 3}}";
  constexpr std::string_view kFour =
      "{apiVersion: autoscaling/v1, kind: Scale, metadata: {name: web}, "
      "spec: {replicas: 4}}";
  EXPECT_EQ(apply("web", "", kThree).status, 422) << "who is it?";
  EXPECT_EQ(apply("web", "?fieldManager=one", "{metadata: {name: web}}").status, 400);
  EXPECT_EQ(apply("web", "?fieldManager=one", "{apiVersion: apps/v1, kind: Deployment, metadata: {name: web}}").status,
            400);
  EXPECT_EQ(
      apply("gone", "?fieldManager=one", "{apiVersion: autoscaling/v1, kind: Scale, metadata: {name: gone}}").status,
      404)
      << "a Scale makes no object";
  EXPECT_EQ(apply("web", "?fieldManager=one", kThree).status, 409) << "set before anybody applied";
  const auto three = apply("web", "?fieldManager=one&force=true", kThree);
  ASSERT_EQ(three.status, 200) << json::write(three.body);
  EXPECT_EQ(json::string_or(three.body, "kind"), "Scale");
  EXPECT_EQ(json::write(three.body.at("spec")), R"({"replicas":3})");
  const auto object = server_.world.get(kind, "ns", "web")->parse();
  bool found = false;
  for (const auto& entry : object.at("metadata").at("managedFields").as_array()) {
    if (json::string_or(entry, "manager") != "one") continue;
    found = true;
    EXPECT_EQ(json::write(entry.at("fieldsV1")), R"({"f:spec":{"f:replicas":{}}})");
    EXPECT_EQ(json::string_or(entry, "operation") + json::string_or(entry, "subresource"), "Applyscale");
  }
  EXPECT_TRUE(found);
  const auto refused = apply("web", "?fieldManager=two", kFour);
  EXPECT_EQ(refused.status, 409);
  EXPECT_EQ(json::string_or(refused.body, "message"),
            "Apply failed with 1 conflict: conflict with \"one\" with subresource \"scale\": .spec.replicas");
  EXPECT_EQ(apply("web", "?fieldManager=two", kThree).status, 200) << "the same is shared";
}

TEST_F(PagesTest, WarningsGoWithARefusalToo) {
  EXPECT_EQ(ask(Method::kPost, std::string(kConfigs), "", R"({"metadata": {"name": "A"}, "what": 1})").status, 422);
  MutexLock lock(server_.answers.mutex);
  EXPECT_EQ(server_.answers.all.front().headers.get("Warning"), "299 - \"unknown field \\\"what\\\"\"");
}

}  // namespace
}  // namespace chandler::apiserver
