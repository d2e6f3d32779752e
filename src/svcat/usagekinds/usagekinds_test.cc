// describe and test usagekinds; complete outputs are in tests/golden/svcat.
#include <fstream>

#include <gtest/gtest.h>

#include "svcat/fake_server_fixture.h"
#include "svcat/usagekinds/usage_objects_fixture.h"

namespace chandler::svcat {
namespace {

using namespace testing;

constexpr std::string_view kController = "system:serviceaccount:kube-system:binding-usage-controller";

struct UsageKinds : ::testing::Test {
  UsageKinds() {
    for (const auto yaml : {kUsageKinds, kUsage, kWeb}) shell.server.put(yaml);
    shell.server.texts = discovery_documents();
  }
  // "passed" and so on, by check.
  std::map<std::string, std::string> results(const std::string& line) {
    shell.run(line + " -o json");
    std::map<std::string, std::string> out;
    const auto report = json::parse(shell.out);
    EXPECT_TRUE(report.ok()) << shell.out << shell.err;
    if (!report.ok()) return out;
    for (const auto& check : *json::array_at(*report, "checks")) {
      out[json::string_or(check, "name")] = json::string_or(check, "result") + ": " + json::string_or(check, "message");
    }
    return out;
  }
  void expect_result(const std::string& line, const std::string& check, std::string_view begins) {
    const auto all = results(line);
    const auto it = all.find(check);
    ASSERT_NE(it, all.end()) << line << ": " << shell.out;
    EXPECT_TRUE(it->second.starts_with(begins)) << line << ": " << it->second;
  }
  Shell shell;
};

TEST_F(UsageKinds, AreDescribedToWhoeverMayNotSeeTheirUsages) {
  shell.server.faults["GET /apis/servicecatalog.kyma-project.io/v1alpha1/servicebindingusages"] =
      FakeServer::status(403, "Forbidden", "no");
  ASSERT_EQ(shell.run("describe usagekind deployment"), 0);
  EXPECT_NE(shell.out.find("You may not see the usages of all namespaces"), std::string::npos) << shell.out;
}

TEST_F(UsageKinds, PassTheirTest) {
  EXPECT_EQ(shell.run("test usagekind deployment"), 0) << shell.out << shell.err;
  EXPECT_EQ(shell.err, "");
  for (const auto& request : shell.server.take_requests()) {
    const bool harmless = request.starts_with("GET ") || request.find("accessreviews") != std::string::npos ||
                          request.find("dryRun=All") != std::string::npos;
    EXPECT_TRUE(harmless) << request;
  }
}

TEST_F(UsageKinds, PassOnARealWorkload) {
  EXPECT_EQ(shell.run("test usagekind deployment --resource default/web"), 0) << shell.out << shell.err;
  EXPECT_NE(flat(shell.out).find("deployment default/web takes a label at spec.template.metadata.labels"),
            std::string::npos)
      << shell.out;
  EXPECT_NE(flat(shell.out).find("deployment default/web is as it was before"), std::string::npos);
}

TEST_F(UsageKinds, OfOwnDefinitionsAreTriedOnAnObjectMadeOfTheirSchema) {
  EXPECT_EQ(shell.run("test usagekind function"), 0) << shell.out << shell.err;
  json::Value sent;
  shell.server.prunes = [&](json::Value& object) { sent = object; };
  EXPECT_EQ(shell.run("test usagekind function"), 0) << shell.out << shell.err;
  EXPECT_EQ(json::write(*json::find(sent, "spec")),
            R"({"deps":"","handlers":["sam"],"mode":"event","runtime":"samplexx","timeout":30})");
}

TEST_F(UsageKinds, FailForAReason) {
  const struct {
    const char* reason;
    std::function<void(FakeServer&)> arrange;
    const char* line;
    const char* check;
    const char* result;
  } rows[] = {
      {"the kind is not there", [](FakeServer& server) { server.texts.erase("/apis/kubeless.io"); },
       "test usagekind function", "kind", "failed: the server does not serve a kind \"function\" in API group"},
      {"the kind is of the cluster",
       [](FakeServer& server) {
         server.put(R"(
apiVersion: servicecatalog.kyma-project.io/v1alpha1
kind: UsageKind
metadata: {name: trigger}
spec: {displayName: T, resource: {group: kubeless.io, kind: Trigger}, labelsPath: spec.labels}
)");
       },
       "test usagekind trigger", "kind", "failed: triggers.kubeless.io are not in namespaces"},
      {"a path that is none",
       [](FakeServer& server) {
         server.put(R"(
apiVersion: servicecatalog.kyma-project.io/v1alpha1
kind: UsageKind
metadata: {name: bad}
spec: {displayName: T, resource: {group: apps, kind: deployment}, labelsPath: "spec..labels"}
)");
       },
       "test usagekind bad", "labels path", "failed: "},
      {"a typo in the path",
       [](FakeServer& server) {
         server.put(R"(
apiVersion: servicecatalog.kyma-project.io/v1alpha1
kind: UsageKind
metadata: {name: typo}
spec: {displayName: T, resource: {group: apps, kind: deployment}, labelsPath: spec.temlate.metadata.labels}
)");
       },
       "test usagekind typo", "schema", "failed: the schema has no field spec.temlate"},
      {"the server drops the labels",
       [](FakeServer& server) {
         server.prunes = [](json::Value& object) { object.as_object()["spec"].as_object().erase("template"); };
       },
       "test usagekind deployment --resource web", "injecting (dry run)",
       "failed: the server drops what is written to"},
      {"the server puts something of its own there",
       [](FakeServer& server) {
         server.prunes = [](json::Value& object) { object.as_object()["spec"].as_object()["counter"] = 7; };
       },
       "test usagekind deployment --resource web", "removing (dry run)",
       "failed: deployment default/web differs in spec.counter"},
      {"the server refuses the labels",
       [](FakeServer& server) {
         server.faults["PUT /apis/apps/v1/namespaces/default/deployments/web"] =
             FakeServer::status(422, "Invalid", "spec.template: field is immutable");
       },
       "test usagekind deployment --resource web", "injecting (dry run)",
       "failed: the server refuses deployment default/web with a label at spec.template.metadata.labels: "},
      {"the controller lacks rights",
       [](FakeServer& server) {
         server.denies = [](const std::string& user, const std::string& verb, const std::string&) {
           return user == kController && verb == "update";
         };
       },
       "test usagekind function", "rights of the controller",
       "failed: system:serviceaccount:kube-system:binding-usage-controller may not update functions.kubeless.io"},
      {"nobody may ask, and the status does not say",
       [](FakeServer& server) {
         server.faults["POST /apis/authorization.k8s.io/v1/subjectaccessreviews"] =
             FakeServer::status(403, "Forbidden", "no");
       },
       "test usagekind function", "rights of the controller", "not tested: you may not ask about the rights"},
      {"nobody may ask, but the status says it",
       [](FakeServer& server) {
         server.faults["POST /apis/authorization.k8s.io/v1/subjectaccessreviews"] =
             FakeServer::status(403, "Forbidden", "no");
       },
       "test usagekind deployment", "rights of the controller", "passed: as the controller itself says"},
      {"the caller lacks rights",
       [](FakeServer& server) {
         server.denies = [](const std::string& user, const std::string& verb, const std::string&) {
           return user.empty() && verb == "update";
         };
       },
       "test usagekind deployment --resource web", "injecting (dry run)", "not tested: you lack the rights"},
      {"the caller may not list",
       [](FakeServer& server) {
         server.denies = [](const std::string& user, const std::string& verb, const std::string&) {
           return user.empty() && verb == "list";
         };
       },
       "test usagekind deployment", "your rights", "failed: you may not list deployments.apps in namespace default"},
      {"the workload is not there", [](FakeServer&) {}, "test usagekind deployment --resource default/gone",
       "injecting (dry run)", "not tested: there is no deployment gone in namespace default"},
      {"a made-up object that the server refuses proves nothing",
       [](FakeServer& server) {
         server.faults["POST /apis/kubeless.io/v1beta1/namespaces/default/functions"] =
             FakeServer::status(422, "Invalid", "spec.runtime: unknown");
       },
       "test usagekind function", "injecting (dry run)", "not tested: the server refuses a made-up function"},
      {"the server tells no schema",
       [](FakeServer& server) { server.texts.erase("/openapi/v3/apis/kubeless.io/v1beta1"); },
       "test usagekind function --sample SAMPLE", "schema", "not tested: the server does not tell the schema"},
  };
  const auto file = ::testing::TempDir() + "svcat-sample.yaml";
  std::ofstream(file) << "spec: {runtime: go}\n";
  for (const auto& row : rows) {
    SCOPED_TRACE(row.reason);
    row.arrange(shell.server);
    std::string line = row.line;
    if (const auto at = line.find("SAMPLE"); at != std::string::npos) line.replace(at, 6, file);
    expect_result(line, row.check, row.result);
    if (!std::string_view(row.result).starts_with("passed")) {
      EXPECT_EQ(shell.run(line), 1) << "for whoever builds on it";
    }
    shell.server.texts = discovery_documents();
    shell.server.denies = {};
    shell.server.prunes = {};
    shell.server.faults.clear();
  }
}

TEST_F(UsageKinds, AreJudgedByTheirDefinitionWhereThereIsNoOpenApi) {
  shell.server.texts.erase("/openapi/v3/apis/kubeless.io/v1beta1");
  shell.server.put(R"(
apiVersion: apiextensions.k8s.io/v1
kind: CustomResourceDefinition
metadata: {name: functions.kubeless.io}
spec:
  versions:
  - name: v1beta1
    schema: {openAPIV3Schema: {type: object, properties: {spec: {type: object, properties: {runtime: {type: string}}}}}}
)");
  expect_result("test usagekind function", "schema", "failed: the schema has no field spec.deployment");
}

TEST_F(UsageKinds, TellWhichRolesAreMissing) {
  shell.server.denies = [](const std::string& user, const std::string&, const std::string&) { return !user.empty(); };
  EXPECT_EQ(shell.run("test usagekind function"), 1);
  const auto roles = shell.out.substr(std::min(shell.out.find("Roles that grant"), shell.out.size()));
  EXPECT_EQ(
      roles,
      "Roles that grant what is missing, for kubectl apply -f -:\n"
      "---\napiVersion: rbac.authorization.k8s.io/v1\nkind: ClusterRole\nmetadata:\n  name: binding-usage-functions\n"
      "rules:\n- apiGroups:\n  - kubeless.io\n  resources:\n  - functions\n  verbs:\n  - get\n"
      "  - update\n"
      "---\napiVersion: rbac.authorization.k8s.io/v1\nkind: ClusterRoleBinding\nmetadata:\n"
      "  name: binding-usage-functions\nroleRef:\n  apiGroup: rbac.authorization.k8s.io\n  kind: ClusterRole\n"
      "  name: binding-usage-functions\nsubjects:\n- kind: ServiceAccount\n  name: binding-usage-controller\n"
      "  namespace: kube-system\n");
  EXPECT_EQ(shell.err, "Error: usagekind function does not pass: rights of the controller (failed)\n");
  EXPECT_EQ(shell.run("test usagekind function -o yaml --controller someone"), 1);
  EXPECT_NE(shell.out.find("kind: User\n"), std::string::npos) << shell.out;
  EXPECT_NE(shell.out.find("passed: false\n"), std::string::npos) << shell.out;
}

}  // namespace
}  // namespace chandler::svcat
