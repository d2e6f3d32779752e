// use, unuse and get usages; complete outputs are in tests/golden/svcat.
#include <gtest/gtest.h>

#include "svcat/catalog_objects_fixture.h"
#include "svcat/fake_server_fixture.h"
#include "svcat/usagekinds/usage_objects_fixture.h"

namespace chandler::svcat {
namespace {

using namespace testing;

const std::string kUsages = "/apis/servicecatalog.kyma-project.io/v1alpha1/namespaces/default/servicebindingusages/";

struct Usages : ::testing::Test {
  Usages() {
    for (const auto yaml : {kBinding, kUsageKinds, kUsage, kWeb}) shell.server.put(yaml);
    shell.server.texts = discovery_documents();
  }
  Shell shell;
};

TEST_F(Usages, AreListedWithOneRequest) {
  EXPECT_EQ(shell.run("get usages"), 0) << shell.err;
  EXPECT_EQ(shell.server.take_requests().size(), 1u);
}

TEST_F(Usages, AreFoundByBindingAndWorkload) {
  for (const std::string filter : {"--binding mydb-admin", "--by deployment/web",
                                   "--by Deployment/web --binding mydb-admin", "--by deployments/web"}) {
    ASSERT_EQ(shell.run("get usages " + filter), 0) << shell.err;
    EXPECT_NE(shell.out.find("deployment-web-mydb-admin"), std::string::npos) << filter;
  }
  for (const std::string filter : {"--binding other", "--by deployment/other", "--by function/web"}) {
    ASSERT_EQ(shell.run("get usages " + filter), 0) << shell.err;
    EXPECT_EQ(shell.out.find("deployment-web-mydb-admin"), std::string::npos) << filter;
  }
  shell.server.selects_fields = false;
  ASSERT_EQ(shell.run("get usages --binding other"), 0) << "a server that cannot select by fields: " << shell.err;
  EXPECT_EQ(shell.out.find("deployment-web-mydb-admin"), std::string::npos);
}

TEST_F(Usages, AreMade) {
  EXPECT_EQ(shell.run("use mydb-admin --by deployment/web --name web-db --env-prefix DB_ --restart-on-change"), 0);
  EXPECT_EQ(shell.err, "");
  const auto* usage = shell.server.object(kUsages + "web-db");
  ASSERT_NE(usage, nullptr);
  EXPECT_EQ(json::write(*json::find(*usage, "spec")),
            R"({"onSecretChange":"Restart","parameters":{"envPrefix":{"name":"DB_"}},)"
            R"("serviceBindingRef":{"name":"mydb-admin"},"usedBy":{"kind":"deployment","name":"web"}})");
}

TEST_F(Usages, AreNamedAfterWhatTheyJoin) {
  ASSERT_EQ(shell.run("use mydb-admin --by Deployment/worker -o name"), 0) << shell.err;
  EXPECT_EQ(shell.out, "servicebindingusage.servicecatalog.kyma-project.io/deployment-worker-mydb-admin\n");
  EXPECT_EQ(
      shell.err,
      "Warning: there is no deployment worker in namespace default yet; it gets the credentials when it is created\n");
}

TEST_F(Usages, AreWaitedFor) {
  int pauses = 0;
  shell.pause = [&](std::chrono::milliseconds) {
    const bool last = ++pauses == 2;
    shell.server.object(kUsages + "deployment-web-mydb-admin2")->as_object()["status"] =
        json::parse(
            last
                ? R"({"observedGeneration":1,"conditions":[{"type":"Ready","status":"True","reason":"Delivered"}]})"
                : R"({"observedGeneration":1,"conditions":[{"type":"Ready","status":"False","reason":"WorkloadNotFound","message":"There is no deployment web."}]})")
            .value();
    return true;
  };
  EXPECT_EQ(shell.run("use mydb-admin --by deployment/web --name deployment-web-mydb-admin2 --wait"), 0) << shell.err;
  EXPECT_EQ(pauses, 2);
  EXPECT_NE(shell.err.find("usage deployment-web-mydb-admin2: WorkloadNotFound - There is no deployment web."),
            std::string::npos)
      << shell.err;
  EXPECT_NE(cells(shell.out).find("Status: Ready"), std::string::npos) << shell.out;
  shell.pause = {};
  EXPECT_EQ(shell.run("use mydb-admin --by deployment/web --name late --wait --timeout 3s"), 3);
  EXPECT_NE(shell.err.find("svcat describe usage late -n default"), std::string::npos) << shell.err;
}

TEST_F(Usages, End) {
  EXPECT_EQ(shell.run("unuse mydb-admin --yes"), 0) << shell.err;
  EXPECT_EQ(shell.out, "deleted deployment-web-mydb-admin\n");
  EXPECT_EQ(shell.server.object(kUsages + "deployment-web-mydb-admin"), nullptr);
  EXPECT_EQ(shell.run("unuse mydb-admin"), 0);
  EXPECT_EQ(shell.err, "Nothing uses it.\n");
}

TEST_F(Usages, AreWaitedForUntilTheyAreGone) {
  const auto path = kUsages + "deployment-web-mydb-admin";
  shell.server.faults["DELETE " + path] = {200, {}, "{}"};  // finalizers hold it
  int pauses = 0;
  shell.pause = [&](std::chrono::milliseconds) {
    if (++pauses == 2) shell.server.faults["GET " + path] = FakeServer::status(404, "NotFound", "gone", "x");
    shell.server.object(path)->as_object()["status"] =
        json::parse(
            R"({"conditions":[{"type":"Ready","status":"False","reason":"Undoing","message":"Labels are taken off."},{"type":"RolledOut","status":"True"}]})")
            .value();
    return true;
  };
  EXPECT_EQ(shell.run("unuse mydb-admin --yes --wait"), 0) << shell.err;
  EXPECT_EQ(shell.err,
            "usage deployment-web-mydb-admin: deleting (0s)\n"
            "usage deployment-web-mydb-admin: deleting - Labels are taken off. (0s)\n");
  EXPECT_EQ(shell.out, "deleted deployment-web-mydb-admin\n");
}

TEST_F(Usages, ThatEndedByThemselvesAreWhatWasAskedFor) {
  const std::string name = "deployment-web-mydb-admin";
  shell.server.faults["DELETE " + kUsages + name] = FakeServer::status(404, "NotFound", "gone", name);
  EXPECT_EQ(shell.run("unuse mydb-admin --yes"), 0) << shell.err;
  EXPECT_EQ(shell.out, "deleted " + name + "\n");
  EXPECT_EQ(shell.run("unuse --name " + name + " --yes"), 1) << "a name is perhaps wrong";
}

TEST_F(Usages, EndOnlyWhereTheyAreMeant) {
  EXPECT_EQ(shell.run("unuse mydb-admin --by deployment/other --yes"), 0);
  EXPECT_EQ(shell.run("unuse --by function/web --yes"), 0);
  EXPECT_NE(shell.server.object(kUsages + "deployment-web-mydb-admin"), nullptr);
  shell.typed = "n\n";
  EXPECT_EQ(shell.run("unuse mydb-admin --by deployment/web"), 1);
  EXPECT_NE(shell.err.find("The pods are started anew without the credentials."), std::string::npos) << shell.err;
  EXPECT_NE(shell.server.object(kUsages + "deployment-web-mydb-admin"), nullptr);
  EXPECT_EQ(shell.run("unuse --name deployment-web-mydb-admin --yes"), 0);
  EXPECT_EQ(shell.server.object(kUsages + "deployment-web-mydb-admin"), nullptr);
}

TEST_F(Usages, AreCompleted) {
  const struct {
    const char* line;
    const char* offers;
  } rows[] = {
      {"use my", "mydb-admin\n"},
      {"describe usage d", "deployment-web-mydb-admin\n"},
      {"test usagekind ''", "deployment\nfunction\n"},
      {"get usage", "usagekinds\nusages\n"},
      {"un", "unbind\nunuse\n"},
      {"use mydb-admin --by dep", "deployment/\n"},
      {"use mydb-admin --by deployment/", "deployment/web\n"},
  };
  for (const auto& row : rows) {
    EXPECT_EQ(shell.run(std::string("__complete -- ") + row.line), 0) << row.line;
    EXPECT_EQ(shell.out, row.offers) << row.line;
  }
}

}  // namespace
}  // namespace chandler::svcat
