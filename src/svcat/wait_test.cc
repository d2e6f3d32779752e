#include "svcat/wait.h"

#include <gtest/gtest.h>

#include "svcat/catalog_objects_fixture.h"
#include "svcat/fake_server_fixture.h"

namespace chandler::svcat {
namespace {

using namespace testing;

const std::string kPath = "/apis/servicecatalog.k8s.io/v1beta1/namespaces/default/serviceinstances/mydb";

struct Wait : ::testing::Test {
  // What the controller does in the n-th pause.
  void play(std::vector<std::string> statuses) {
    shell.pause = [this, statuses, next = size_t{0}](std::chrono::milliseconds) mutable {
      if (next < statuses.size())
        shell.server.object(kPath)->as_object()["status"] = json::parse(statuses[next++]).value();
      return true;
    };
  }
  Shell shell;
};

constexpr const char* kWorking =
    R"json({"asyncOpInProgress":true,"currentOperation":"Provision","retry":{"nextAttemptTime":"2023-11-14T22:13:26Z"},"conditions":[{"type":"Ready","status":"False","reason":"Provisioning","message":"The instance is being provisioned asynchronously (half done)"}]})json";
constexpr const char* kDone = R"({"conditions":[{"type":"Ready","status":"True","reason":"ProvisionedSuccessfully"}]})";
constexpr const char* kFailed =
    R"({"conditions":[{"type":"Ready","status":"False","reason":"ProvisionCallFailed"},{"type":"Failed","status":"True","reason":"x","message":"The broker said no."}]})";

TEST_F(Wait, TellsChangesInPlainLines) {
  play({kWorking, kWorking, kDone});
  EXPECT_EQ(shell.run("provision mydb --type mysql --wait"), 0) << shell.err;
  EXPECT_EQ(shell.err,
            "instance mydb: waiting for the controller (0s)\n"
            "instance mydb: Provisioning - The instance is being provisioned asynchronously (half done); next poll in "
            "6s (0s)\n");
  EXPECT_NE(cells(shell.out).find("Status: Ready"), std::string::npos);
}

TEST_F(Wait, RewritesOneLineOnATerminal) {
  shell.terminal = true;
  play({kWorking, kDone});
  EXPECT_EQ(shell.run("provision mydb --type mysql --wait"), 0);
  EXPECT_NE(shell.err.find("\r\033[Kinstance mydb: Provisioning - The instance is being provisioned asynchronously "
                           "(half done); next poll in 6s (0s)"),
            std::string::npos)
      << shell.err;
  EXPECT_TRUE(shell.err.ends_with("\r\033[K")) << "nothing is left of it";
}

TEST_F(Wait, FailureIsExitCodeOne) {
  play({kFailed});
  EXPECT_EQ(shell.run("provision mydb --type mysql --wait"), 1);
  EXPECT_NE(shell.out.find("Failed - The broker said no"), std::string::npos) << shell.out;
  EXPECT_NE(shell.err.find("svcat explain instance mydb"), std::string::npos);
}

TEST_F(Wait, TimeOutIsExitCodeThree) {
  play({kWorking});
  EXPECT_EQ(shell.run("provision mydb --type mysql --wait --timeout 10s"), 3);
  EXPECT_NE(shell.err.find("Error: instance mydb is not ready after 9s: Provisioning - The instance is being "
                           "provisioned asynchronously (half done); it goes on"),
            std::string::npos)
      << shell.err;
}

TEST_F(Wait, InterruptLeavesTheOperationAlone) {
  shell.pause = [](std::chrono::milliseconds) { return false; };
  EXPECT_EQ(shell.run("provision mydb --type mysql --wait"), 130);
  EXPECT_NE(shell.err.find("The operation on instance mydb goes on; see how it stands: svcat describe instance mydb"),
            std::string::npos)
      << shell.err;
  EXPECT_NE(shell.server.object(kPath), nullptr);
}

TEST_F(Wait, ADeletionIsWaitedForUntilItIsGone) {
  shell.server.put(kInstance);
  shell.server.faults["DELETE " + kPath] = {200, {}, "{}"};  // finalizers hold it
  int pauses = 0;
  shell.pause = [&](std::chrono::milliseconds) {
    if (++pauses == 3) shell.server.faults["GET " + kPath] = FakeServer::status(404, "NotFound", "gone", "mydb");
    return true;
  };
  EXPECT_EQ(shell.run("deprovision mydb --yes --wait"), 0) << shell.err;
  EXPECT_EQ(pauses, 3);
}

TEST_F(Wait, BadDurationsAreUsageErrors) {
  EXPECT_EQ(shell.run("provision mydb --type mysql --wait --timeout soon"), 2);
  EXPECT_TRUE(shell.server.take_requests().empty()) << "nothing was created";
}

}  // namespace
}  // namespace chandler::svcat
