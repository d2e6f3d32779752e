#include "apiserver/console.h"

#include <fmt/format.h>
#include <gtest/gtest.h>

#include "apiserver/handlers/handlers.h"
#include "apiserver/health.h"
#include "apiserver/housekeeping/world_fixture.h"
#include "apiserver/openapi.h"
#include "apiserver/request_metrics.h"
#include "apiserver/server.h"
#include "apiserver/server_fixture.h"
#include "apiserver/watch_stream.h"
#include "json/writer.h"

namespace chandler::apiserver {
namespace {

using testing::Answers;
using testing::FakeResponder;
using testing::NoAccounts;
using testing::parsed;

constexpr std::string_view kDeployment = R"(
metadata: {name: %}
spec:
  selector: {matchLabels: {app: x}}
  template:
    metadata: {labels: {app: x}}
    spec: {containers: [{name: c, image: i}]}
)";

std::string named(std::string_view yaml, std::string_view name) {
  std::string out(yaml);
  return out.replace(out.find('%'), 1, name);
}

// A whole server, so that requests pass through its filters.
class ConsoleTest : public ::testing::Test {
 protected:
  ConsoleTest() {
    world_.follow();
    for (const auto* ns : {"dev", "qa"}) world_.create_namespace(ns);
    usage_kind("deployment", "apps", "Deployment", "v1");
    usage_kind("function", "kubeless.io", "function", "v1beta1");
    const auto deployments = world_.kind("deployments", "apps");
    for (const auto* name : {"a", "b", "c"}) world_.create(deployments, "dev", named(kDeployment, name));
    world_.create(deployments, "qa", named(kDeployment, "other"));
    auto owned = named(kDeployment, "owned");
    owned.replace(owned.find("{name: owned}"), 13,
                  "{name: owned, ownerReferences: [{apiVersion: v1, kind: ConfigMap, name: x, uid: u-1}]}");
    world_.create(deployments, "dev", owned);
    policy_.apply(
        rule("kinds",
             R"({"apiGroups":["servicecatalog.kyma-project.io"],"resources":["usagekinds"],"verbs":["get","list"]})"));
    policy_.apply(rule("deployments", R"({"apiGroups":["apps"],"resources":["deployments"],"verbs":["list"]})"));
    bind("ClusterRoleBinding", "", "kinds", "viewer");
    bind("ClusterRoleBinding", "", "kinds", "developer");
    bind("RoleBinding", "dev", "deployments", "developer");
    bind("ClusterRoleBinding", "", "kinds", "operator");
    bind("ClusterRoleBinding", "", "deployments", "operator");
  }
  ~ConsoleTest() override { answers_.clear(); }

  void usage_kind(std::string_view name, std::string_view group, std::string_view kind, std::string_view version) {
    world_.create(world_.kind("usagekinds", "servicecatalog.kyma-project.io"), "",
                  fmt::format("{{metadata: {{name: {0}}}, spec: {{displayName: The {0}, labelsPath: "
                              "spec.template.metadata.labels, resource: {{group: {1}, kind: {2}, version: {3}}}}}}}",
                              name, group, kind, version));
  }
  static json::Value rule(std::string_view name, std::string_view rule) {
    return parsed(fmt::format(R"({{"kind":"ClusterRole","metadata":{{"name":"{}"}},"rules":[{}]}})", name, rule));
  }
  void bind(std::string_view kind, std::string_view ns, std::string_view role, std::string_view user) {
    policy_.apply(parsed(fmt::format(
        R"({{"kind":"{0}","metadata":{{"name":"{2}-{3}","namespace":"{1}"}},"roleRef":{{"kind":"ClusterRole","name":"{2}"}},"subjects":[{{"kind":"User","name":"{3}"}}]}})",
        kind, ns, role, user)));
  }

  // Code and body.
  std::pair<int, json::Value> ask(std::string_view user, std::string_view target,
                                  http::Method method = http::Method::kGet, std::string_view verb = "GET") {
    answers_.clear();
    auto request = std::make_shared<http::Request>();
    request->method = method;
    request->method_text = verb;
    request->target = target;
    auto peer = std::make_shared<http::Peer>();
    peer->common_name = user;
    request->peer = std::move(peer);
    server_.handle(std::move(request), std::make_unique<FakeResponder>(answers_));
    EXPECT_TRUE(::chandler::testing::eventually([&] { return answers_.count() > 0; })) << target;
    MutexLock lock(answers_.mutex);
    const auto& answer = answers_.all.front();
    auto body = json::parse(answer.body);
    return {answer.status, body.ok() ? std::move(body).value() : json::Value(answer.body)};
  }
  static std::string names(const json::Value& answer) {
    std::string out;
    for (const auto& item : *json::array_at(answer, "items")) {
      out += json::string_or(item, "namespace") + "/" + json::string_or(item, "name") + " ";
    }
    return out;
  }

  testing::World world_;
  auth::ClientCertificates authenticator_;
  auth::PolicyStore policy_;
  NoAccounts accounts_;
  auth::ServiceAccountTokens tokens_{
      *auth::SigningKey::from_pem(*auth::new_private_key_pem()), {}, accounts_, world_.clock};
  OpenApi openapi_{world_.kinds, world_.cache};
  Health health_;
  WatchTimer timer_{world_.clock};
  RequestMetrics request_metrics_{world_.metrics};
  Pool pool_{"test", 1, 10};
  Services services_{world_.kinds,     world_.cache,   world_.objects, authenticator_, policy_,
                     tokens_,          accounts_,      openapi_,       health_,        timer_,
                     request_metrics_, world_.metrics, pool_,          world_.clock};
  ApiServer server_{services_};
  Answers answers_;
};

TEST_F(ConsoleTest, ListsAllUsageKindsAndSaysOfEachWhetherItCanBeListed) {
  const auto [code, answer] = ask("developer", "/console/v1/usagekinds?namespace=dev");
  ASSERT_EQ(code, 200) << answer;
  const auto& items = *json::array_at(answer, "items");
  ASSERT_EQ(items.size(), 2u);
  EXPECT_EQ(
      json::write(items[0]),
      R"({"displayName":"The deployment","group":"apps","kind":"Deployment","labelsPath":"spec.template.metadata.labels",)"
      R"("listable":true,"name":"deployment","resource":"deployments","version":"v1"})");
  EXPECT_EQ(json::string_or(items[1], "name"), "function");
  EXPECT_EQ(json::bool_at(items[1], "listable"), false);
  EXPECT_EQ(json::string_or(items[1], "reason"), "NotFound");
  EXPECT_NE(json::string_or(items[1], "message").find("CustomResourceDefinition"), std::string::npos);
}

TEST_F(ConsoleTest, GoesByTheRightsOfTheCaller) {
  const struct {
    const char* reason;
    const char* user;
    const char* target;
    int code;
    const char* says;
  } rows[] = {
      {"nobody", "", "/console/v1/usagekinds", 403, "cannot list resource \\\"usagekinds\\\""},
      {"a user without rights", "nobody", "/console/v1/usagekinds", 403, "cannot list resource \\\"usagekinds\\\""},
      {"nor the second path", "nobody", "/console/v1/usagekinds/deployment/resources?namespace=dev", 403,
       "cannot get resource \\\"usagekinds\\\""},
      {"may see kinds, not workloads", "viewer", "/console/v1/usagekinds", 200, "\"listable\":false"},
      {"and is told so", "viewer", "/console/v1/usagekinds/deployment/resources?namespace=dev", 403,
       "cannot list resource \\\"deployments\\\" in API group \\\"apps\\\" in the namespace \\\"dev\\\""},
      {"workloads of the namespace", "developer", "/console/v1/usagekinds/deployment/resources?namespace=dev", 200,
       "\"name\":\"a\""},
      {"not of another one", "developer", "/console/v1/usagekinds/deployment/resources?namespace=qa", 403,
       "in the namespace \\\"qa\\\""},
      {"nor of all", "developer", "/console/v1/usagekinds/deployment/resources", 403, "at the cluster scope"},
      {"all for who may", "operator", "/console/v1/usagekinds/deployment/resources", 200, "\"name\":\"other\""},
  };
  for (const auto& row : rows) {
    const auto [code, answer] = ask(row.user, row.target);
    EXPECT_EQ(code, row.code) << row.reason << answer;
    EXPECT_NE(json::write(answer).find(row.says), std::string::npos) << row.reason << ": " << answer;
  }
}

TEST_F(ConsoleTest, LeavesOutWhatBelongsToAnotherObject) {
  const auto [code, answer] = ask("developer", "/console/v1/usagekinds/deployment/resources?namespace=dev");
  ASSERT_EQ(code, 200);
  EXPECT_EQ(names(answer), "dev/a dev/b dev/c ");
  EXPECT_EQ(json::string_or(*json::find(answer, "usageKind"), "resource"), "deployments");
  EXPECT_FALSE(json::find(answer, "continue"));
}

TEST_F(ConsoleTest, TellsInPages) {
  std::string seen, token;
  for (int pages = 0; pages < 10; ++pages) {
    const auto [code, answer] = ask("operator", "/console/v1/usagekinds/deployment/resources?limit=1" +
                                                    (token.empty() ? "" : "&continue=" + token));
    ASSERT_EQ(code, 200) << answer;
    EXPECT_LE(json::array_at(answer, "items")->size(), 1u);
    seen += names(answer);
    token = json::string_or(answer, "continue");
    if (token.empty()) break;
  }
  EXPECT_EQ(token, "");
  EXPECT_EQ(seen, "dev/a dev/b dev/c qa/other ");
}

TEST_F(ConsoleTest, RefusesWhatMakesNoSense) {
  usage_kind("node", "", "Namespace", "v1");
  const struct {
    const char* reason;
    const char* target;
    int code;
    const char* says;
  } rows[] = {
      {"no such usage kind", "/console/v1/usagekinds/gone/resources", 404, "usagekinds.servicecatalog.kyma-project.io"},
      {"a kind that is not served", "/console/v1/usagekinds/function/resources", 404, "does not serve a kind"},
      {"a kind outside namespaces", "/console/v1/usagekinds/node/resources", 400, "not in namespaces"},
      {"no number", "/console/v1/usagekinds/deployment/resources?limit=many", 400, "limit"},
      {"no token", "/console/v1/usagekinds/deployment/resources?continue=x", 400, "continue"},
      {"no such path", "/console/v1/usagekinds/deployment", 404, "404 page not found"},
      {"nor this", "/console/v1/usagekinds/a/b/resources", 404, "404 page not found"},
      {"nor that", "/console/v2/usagekinds", 404, "404 page not found"},
  };
  policy_.apply(rule("paths", R"({"nonResourceURLs":["/console/*"],"verbs":["get","post"]})"));
  bind("ClusterRoleBinding", "", "paths", "operator");
  policy_.apply(rule("namespaces", R"({"apiGroups":[""],"resources":["namespaces"],"verbs":["list"]})"));
  bind("ClusterRoleBinding", "", "namespaces", "operator");
  for (const auto& row : rows) {
    const auto [code, answer] = ask("operator", row.target);
    EXPECT_EQ(code, row.code) << row.reason << answer;
    EXPECT_NE(json::write(answer).find(row.says), std::string::npos) << row.reason << ": " << answer;
  }
  EXPECT_EQ(ask("operator", "/console/v1/usagekinds", http::Method::kPost, "POST").first, 405);
  EXPECT_EQ(ask("nobody", "/console/v1/usagekinds", http::Method::kPost, "POST").first, 403);
}

TEST_F(ConsoleTest, IsDescribed) {
  const auto document = parsed(*openapi_.v3("console/v1")->json);
  for (const auto* path : {"/console/v1/usagekinds", "/console/v1/usagekinds/{name}/resources"}) {
    EXPECT_NE(json::find_path(document, {"paths", path, "get"}), nullptr) << path;
  }
  // What is answered is what is described.
  const auto& fields =
      json::find_path(document, {"components", "schemas", "io.chandler.console.v1.UsageKind", "properties"})
          ->as_object();
  const auto answer = ask("viewer", "/console/v1/usagekinds").second;
  for (const auto& item : *json::array_at(answer, "items")) {
    for (const auto& member : item.as_object()) EXPECT_TRUE(fields.contains(member.key())) << member.key();
  }
  const auto index = openapi_.v3_index();
  EXPECT_NE(json::find_path(index, {"paths", "console/v1"}), nullptr);
  EXPECT_NE(openapi_.v2_json()->json->find("/console/v1/usagekinds"), std::string::npos);
}

}  // namespace
}  // namespace chandler::apiserver
