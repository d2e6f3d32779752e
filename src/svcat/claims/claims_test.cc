// Claims and the classes that serve them; complete outputs are in tests/golden/svcat.
#include <gtest/gtest.h>

#include "resolve/claim_kinds.h"
#include "svcat/claims/claim_kinds.h"
#include "svcat/claims/claim_objects_fixture.h"
#include "svcat/fake_server_fixture.h"

namespace chandler::svcat {
namespace {

using namespace testing;

const std::string kClasses = "/apis/core.crossplane.io/v1alpha1/namespaces/crossplane-system/resourceclasses/";

struct Claims : ::testing::Test {
  Claims() {
    for (const auto yaml : {kResourceClasses, kClaims}) shell.server.put(yaml);
    shell.ns = "demo";
  }
  void expect(std::string_view line, std::string_view output) {
    EXPECT_EQ(shell.run(line), 0) << line << ": " << shell.err;
    EXPECT_EQ(shell.out, output) << line;
  }
  Shell shell;
};

TEST(ClaimKinds, AreThoseThatTheControllerKnows) {
  std::vector<std::string> names;
  for (const auto& kind : known_claim_kinds()) names.push_back(kind.qualified());
  EXPECT_EQ(names, resolve::built_in_claim_kinds());
}

TEST_F(Claims, OfAllKindsAreListed) {
  ASSERT_EQ(shell.run("get claims -o name"), 0) << shell.err;
  EXPECT_EQ(shell.out,
            "nosqlinstance.storage.crossplane.io/dynamo-claim\n"
            "postgresqlinstance.storage.crossplane.io/cloud-postgresql-claim\n"
            "queue.example.com/jobs\n");
  for (const std::string word : {"queue", "Queues", "q", "queue.example.com"}) {
    ASSERT_EQ(shell.run("get claims " + word), 0) << word << shell.err;
    EXPECT_NE(shell.out.find("jobs"), std::string::npos) << word;
  }
}

TEST_F(Claims, ThatComeAlongAreListedForWhoeverMayNotReadDefinitions) {
  shell.server.faults["GET /apis/apiextensions.k8s.io"] = FakeServer::status(403, "Forbidden", "no");
  ASSERT_EQ(shell.run("get claims"), 0) << shell.err;
  EXPECT_NE(shell.out.find("cloud-postgresql-claim"), std::string::npos);
  EXPECT_EQ(shell.out.find("jobs"), std::string::npos);
}

TEST_F(Claims, AreDecidedAnewWithTheCodeOfTheController) {
  const struct {
    const char* reason;
    const char* claim;
    const char* says;
  } rows[] = {
      {"a default", "kind: PostgreSQLInstance\nmetadata: {name: x, namespace: demo}\nspec: {}",
       "crossplane-system/cloud-postgresql OperatorDefault Chosen"},
      {"a reference",
       "kind: PostgreSQLInstance\nmetadata: {name: x, namespace: demo}\nspec: {classReference: {name: own}}",
       "demo/own Reference Chosen"},
      {"the other spelling",
       "kind: PostgreSQLInstance\nmetadata: {name: x, namespace: demo}\nspec: {classRef: {name: own}}",
       "demo/own Reference Chosen"},
      {"a selector",
       "kind: MySQLInstance\nmetadata: {name: x, namespace: demo}\nspec: {classSelector: {matchExpressions: [{key: "
       "tier, "
       "operator: In, values: [gold, silver]}]}}",
       "demo/own Selector Chosen"},
      {"a default for another group", "kind: NoSQLInstance\nmetadata: {name: x, namespace: demo}\nspec: {}",
       "crossplane-system/cloud-nosql OperatorDefault OtherGroup"},
      {"versions that do not agree",
       "kind: PostgreSQLInstance\nmetadata: {name: x, namespace: demo}\nspec: {classReference: {name: own}, "
       "engineVersion: '10'}",
       "demo/own Reference EngineVersionMismatch"},
  };
  for (const auto& row : rows) {
    Shell fresh;
    fresh.ns = "demo";
    fresh.server.put(kResourceClasses);
    fresh.server.put(std::string("apiVersion: storage.crossplane.io/v1alpha1\n") + row.claim);
    const std::string kind = std::string(row.claim).substr(6, std::string(row.claim).find('\n') - 6);
    ASSERT_EQ(fresh.run("explain claim " + kind + " x"), 0) << row.reason << fresh.err;
    EXPECT_NE(cells(fresh.out).find(row.says), std::string::npos) << row.reason << ":\n" << cells(fresh.out);
  }
}

TEST_F(Claims, SayWhatWouldBeDecidedNowOnlyWhereItDiffers) {
  constexpr std::string_view kAnew = "Class, if it were decided anew:";
  ASSERT_EQ(shell.run("explain claim pgclaim cloud-postgresql-claim"), 0) << shell.err;
  EXPECT_EQ(shell.out.find(kAnew), std::string::npos) << shell.out;
  ASSERT_EQ(shell.run("set resourceclass own --default-for pgclaim"), 0) << shell.err;
  ASSERT_EQ(shell.run("explain claim pgclaim cloud-postgresql-claim"), 0) << shell.err;
  const auto anew = shell.out.substr(std::min(shell.out.find(kAnew), shell.out.size()));
  EXPECT_NE(cells(anew).find("demo/own NamespaceDefault Chosen"), std::string::npos) << shell.out;
}

TEST_F(Claims, SayWhichClassesCouldNotBeSeen) {
  shell.server.faults["GET /apis/core.crossplane.io/v1alpha1/namespaces/crossplane-system"] =
      FakeServer::status(403, "Forbidden", "no");
  ASSERT_EQ(shell.run("explain claim nosqlinstance dynamo-claim"), 0) << shell.err;
  EXPECT_NE(shell.out.find("You may not read the resourceclasses of namespace crossplane-system"), std::string::npos)
      << shell.out;
}

TEST_F(Claims, OfOtherOperatorsNamespacesAreFoundWhenTheyAreNamed) {
  shell.server.put(R"(
apiVersion: core.crossplane.io/v1alpha1
kind: ResourceClass
metadata: {name: second, namespace: platform}
provisioner: x.example.com/v1
defaultForClaimKinds: [nosqlinstance]
)");
  ASSERT_EQ(shell.run("explain claim nosqlinstance dynamo-claim --claim-class-namespaces platform,crossplane-system"),
            0);
  EXPECT_NE(cells(shell.out).find("platform/second OperatorDefault Chosen"), std::string::npos) << cells(shell.out);
}

TEST_F(Claims, ClassesAreListed) {
  expect("get resourceclasses -n crossplane-system --default-for DynamoDBInstance -o name",
         "resourceclass.core.crossplane.io/cloud-nosql\n");
  ASSERT_EQ(shell.run("get resourceclasses -n empty"), 0);
  EXPECT_NE(shell.err.find("svcat get resourceclasses -n crossplane-system"), std::string::npos) << shell.err;
}

TEST_F(Claims, ANewDefaultTakesOver) {
  expect("set resourceclass cloud-nosql --default-for PostgreSQLInstance -n crossplane-system",
         "cloud-postgresql is no longer the default class for PostgreSQLInstance\n"
         "cloud-nosql is the default class for PostgreSQLInstance\n");
  const auto* now = shell.server.object(kClasses + "cloud-nosql");
  const auto* before = shell.server.object(kClasses + "cloud-postgresql");
  EXPECT_EQ(json::write(*json::find(*now, "defaultForClaimKinds")),
            R"(["nosqlinstance.database.crossplane.io","dynamodbinstance.storage.crossplane.io",)"
            R"("postgresqlinstance.storage.crossplane.io"])");
  EXPECT_EQ(text_at(*now, {"metadata", "labels", "postgresqlinstance.storage.crossplane.io/default"}), "true");
  EXPECT_EQ(json::write(*json::find_path(*before, {"metadata", "labels"})), "{}");
  expect("set resourceclass cloud-nosql --no-default-for PostgreSQLInstance -n crossplane-system",
         "cloud-nosql is no longer the default class for PostgreSQLInstance\n");
  expect("set resourceclass cloud-nosql --no-default-for PostgreSQLInstance -n crossplane-system",
         "cloud-nosql was not the default class for PostgreSQLInstance\n");
  EXPECT_EQ(json::write(*json::find(*shell.server.object(kClasses + "cloud-nosql"), "defaultForClaimKinds")),
            R"(["nosqlinstance.database.crossplane.io","dynamodbinstance.storage.crossplane.io"])");
}

TEST_F(Claims, AreCompleted) {
  const struct {
    const char* line;
    const char* offers;
  } rows[] = {
      {"explain claim p", "postgresqlinstance\n"},
      {"explain claim q", "queue\n"},
      {"describe claim postgresqlinstance ''", "cloud-postgresql-claim\n"},
      {"describe claim postgresqlinstance x ''", ""},
      {"set resourceclass -n crossplane-system cloud-n", "cloud-nosql\n"},
      {"set resourceclass cloud-nosql --default-for my", "mysqlinstance\n"},
      {"explain claim a b --claim-default-policy N", "Newest\n"},
  };
  for (const auto& row : rows) {
    EXPECT_EQ(shell.run(std::string("__complete -- ") + row.line), 0) << row.line;
    EXPECT_EQ(shell.out, row.offers) << row.line;
  }
}

}  // namespace
}  // namespace chandler::svcat
