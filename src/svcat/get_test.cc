// get, describe and marketplace: layouts, scopes, forms of output, pages, watches.
#include <gtest/gtest.h>

#include "svcat/catalog_objects_fixture.h"
#include "svcat/fake_server_fixture.h"

namespace chandler::svcat {
namespace {

using namespace testing;

struct Get : ::testing::Test {
  Get() {
    for (const auto yaml : {kBrokers, kClasses, kPlans, kMysql, kInstance, kBinding}) shell.server.put(yaml);
  }
  void expect(std::string_view line, std::string_view output) {
    EXPECT_EQ(shell.run(line), 0) << line << ": " << shell.err;
    EXPECT_EQ(shell.out, output) << line;
  }
  Shell shell;
};

TEST_F(Get, Instances) {
  expect("get instances",
         "  NAME   NAMESPACE      CLASS       PLAN     STATUS  \n"
         "+------+-----------+-------------+---------+--------+\n"
         "  mydb   default     azure-mysql   basic50   Ready   \n");
  EXPECT_EQ(shell.server.take_requests(),
            std::vector<std::string>{
                "GET /apis/servicecatalog.k8s.io/v1beta1/namespaces/default/serviceinstances?limit=500"});
}

TEST_F(Get, Bindings) {
  expect("get bindings",
         "     NAME      NAMESPACE   INSTANCE   STATUS  \n"
         "+------------+-----------+----------+--------+\n"
         "  mydb-admin   default     mydb       Ready   \n");
}

TEST_F(Get, Brokers) {
  expect("get brokers",
         "  NAME    NAMESPACE            URL             STATUS  \n"
         "+-------+-----------+------------------------+--------+\n"
         "  azure               https://broker.example   Ready   \n");
}

TEST_F(Get, InstancesByClassPlanAndType) {
  for (const std::string filter : {"--class azure-mysql", "--plan basic50", "--type mysql", "-c azure-mysql -p basic50",
                                   "--class 997b8372-8dac-40ac-ae65-758b4a5075a5"}) {
    ASSERT_EQ(shell.run("get instances " + filter), 0);
    EXPECT_NE(shell.out.find("mydb"), std::string::npos) << filter;
  }
  ASSERT_EQ(shell.run("get instances --class other"), 0);
  EXPECT_EQ(shell.out.find("mydb"), std::string::npos);
  EXPECT_EQ(shell.run("get instances mydb --class other"), 2);
}

TEST_F(Get, PlansWithTheirStars) {
  ASSERT_EQ(shell.run("get plans --cluster"), 0) << shell.err;
  EXPECT_EQ(cells(shell.out), cells(R"(
      TYPE         NAME          CLASS                                 DESCRIPTION             SCOPE
    +-----------+------------+--------------+-----------------+----+
      redis*      basic        azure-redis    Azure Redis                      broker (azure)
      mysql       basic50      azure-mysql    Basic Tier, 50 DTUs.             cluster
      mysql*      premium-p1   azure-mysql    PremiumP1 Tier, 125 DTUs,        cluster
                                              500GB, 35 days point-in-time
                                              restore
      postgres*   tiny         postgres-dev   Tiny Dev DB                      cluster
      redis       premium      azure-redis    Large Redis                      broker (azure)
)")) << shell.out;
}

TEST_F(Get, ASuggestedPlanHasAStarWhenThereIsNoDefault) {
  ASSERT_EQ(shell.run("set plan azure-redis/basic --default=false"), 0) << shell.err;
  ASSERT_EQ(shell.run("get plans --type redis"), 0);
  EXPECT_NE(cells(shell.out).find("redis* premium"), std::string::npos) << shell.out;
  EXPECT_NE(cells(shell.out).find("redis basic"), std::string::npos) << shell.out;
  ASSERT_EQ(shell.run("get plans --default"), 0);
  EXPECT_NE(cells(shell.out).find("redis* premium"), std::string::npos) << shell.out;
}

TEST_F(Get, ADefaultOfTheClusterOverrulesASuggestionOfTheNamespace) {
  shell.server.put(R"(
apiVersion: servicecatalog.k8s.io/v1beta1
kind: ServicePlan
metadata: {name: small, namespace: default, annotations: {servicecatalog.kubernetes.io/is-suggested-plan: "true"}}
spec: {serviceBrokerName: b, serviceClassRef: {name: c}, externalName: small, externalID: s, description: Small, serviceType: redis}
)");
  ASSERT_EQ(shell.run("get plans"), 0);
  EXPECT_NE(cells(shell.out).find("redis small c Small ns (default)"), std::string::npos) << shell.out;
}

TEST_F(Get, OneByName) {
  ASSERT_EQ(shell.run("get plan azure-mysql/basic50"), 0) << shell.err;
  EXPECT_NE(cells(shell.out).find("mysql basic50 azure-mysql"), std::string::npos) << shell.out;
  ASSERT_EQ(shell.run("get plan basic50 -o name"), 0);
  EXPECT_EQ(shell.out, "clusterserviceplan.servicecatalog.k8s.io/427559f1-bf2a-45d3-8844-32374a3e58aa\n");
  ASSERT_EQ(shell.run("get class 997b8372-8dac-40ac-ae65-758b4a5075a5 -k -o jsonpath={.spec.externalName}"), 0);
  EXPECT_EQ(shell.out, "azure-mysql");
}

TEST_F(Get, AllFormsCarryVersionAndKind) {
  ASSERT_EQ(shell.run("get instance mydb -o json"), 0);
  auto one = json::parse(shell.out).value();
  EXPECT_EQ(text_at(one, {"apiVersion"}), "servicecatalog.k8s.io/v1beta1");
  EXPECT_EQ(text_at(one, {"kind"}), "ServiceInstance");
  ASSERT_EQ(shell.run("get plans --cluster -o json"), 0);
  auto list = json::parse(shell.out).value();
  EXPECT_EQ(text_at(list, {"kind"}), "ClusterServicePlanList");
  EXPECT_EQ(text_at(json::find(list, "items")->as_array().at(0), {"kind"}), "ClusterServicePlan");
  ASSERT_EQ(shell.run("get classes --cluster -A -o yaml"), 0);
  EXPECT_NE(shell.out.find("kind: List\n"), std::string::npos) << "of several kinds";
  ASSERT_EQ(shell.run("get instances -o custom-columns=NAME:.metadata.name,PLAN:.spec.clusterServicePlanExternalName"),
            0);
  EXPECT_EQ(shell.out, "NAME   PLAN\nmydb   basic50\n");
  ASSERT_EQ(shell.run("get instances -o jsonpath='{.items[*].metadata.name}'"), 0);
  EXPECT_EQ(shell.out, "mydb");
  ASSERT_EQ(shell.run("get instances -o JSON"), 0) << "in any case of letters";
}

TEST_F(Get, WorksWithServersThatCannotSelectByFields) {
  shell.server.selects_fields = false;
  ASSERT_EQ(shell.run("get classes --type redis"), 0) << shell.err;
  EXPECT_NE(shell.out.find("azure-redis"), std::string::npos);
  EXPECT_EQ(shell.out.find("azure-mysql"), std::string::npos);
  ASSERT_EQ(shell.run("describe plan azure-mysql/basic50"), 0) << shell.err;
  EXPECT_NE(cells(shell.out).find("mydb default Ready"), std::string::npos) << shell.out;
}

TEST_F(Get, LongListsArePrintedPageByPage) {
  shell.server.page_size = 2;
  ASSERT_EQ(shell.run("get plans --cluster"), 0);
  const auto requests = shell.server.take_requests();
  EXPECT_GT(requests.size(), 3u);
  const auto text = cells(shell.out);
  for (const std::string name : {"basic ", "basic50", "premium-p1", "tiny", "premium "}) {
    EXPECT_NE(text.find(name), std::string::npos) << name;
  }
  EXPECT_EQ(text.find("TYPE"), text.rfind("TYPE")) << "the titles come once";
}

TEST_F(Get, KindsOfNamespacesMayBeMissing) {
  shell.server.faults["GET /apis/servicecatalog.k8s.io/v1beta1/namespaces/default/serviceclasses"] =
      FakeServer::status(404, "NotFound", "the server could not find the requested resource");
  ASSERT_EQ(shell.run("get classes --scope all"), 0) << shell.err;
  EXPECT_NE(shell.out.find("azure-redis"), std::string::npos);
}

TEST_F(Get, NothingIsSaidWithAHint) {
  ASSERT_EQ(shell.run("get classes -n empty"), 0);
  EXPECT_EQ(shell.out, "  TYPE   NAME   DESCRIPTION   SCOPE  \n+------+------+-------------+-------+\n");
  EXPECT_EQ(shell.err, "No classes in namespace empty. Those of the cluster: svcat get classes --cluster\n");
}

TEST_F(Get, WatchTellsWhatChanges) {
  shell.server.watch_lines = {
      R"({"type":"MODIFIED","object":{"metadata":{"name":"other","namespace":"default","resourceVersion":"90"},"spec":{}}})",
      R"({"type":"BOOKMARK","object":{"metadata":{"resourceVersion":"91"}}})"};
  ASSERT_EQ(shell.run("get instances --watch"), 0) << shell.err;
  EXPECT_NE(cells(shell.out).find("mydb default azure-mysql basic50 Ready\nother default\n"), std::string::npos)
      << shell.out;
  EXPECT_EQ(shell.run("get classes --scope all --watch"), 2) << "one scope at a time";
}

TEST_F(Get, ColoursOnATerminalOnly) {
  shell.variables["TERM"] = "xterm";
  shell.terminal = true;
  ASSERT_EQ(shell.run("get instances"), 0);
  EXPECT_NE(shell.out.find("\033[32mReady\033[0m"), std::string::npos);
  shell.variables["NO_COLOR"] = "1";
  ASSERT_EQ(shell.run("get instances"), 0);
  EXPECT_EQ(shell.out.find('\033'), std::string::npos);
}

TEST_F(Get, Marketplace) {
  ASSERT_EQ(shell.run("marketplace"), 0);
  EXPECT_EQ(cells(shell.out), cells(R"(
       CLASS          PLANS        DESCRIPTION
+------------+------------+------+
  azure-redis        basic        Azure Redis
                     premium
  azure-postgresql                Azure PostgreSQL
  azure-mysql        basic50      Azure MySQL
                     premium-p1
  postgres-dev       tiny         Dev DB
)")) << shell.out;
  ASSERT_EQ(shell.run("mp -o name"), 0);
  EXPECT_NE(shell.out.find("clusterserviceclass.servicecatalog.k8s.io/1-redis\n"), std::string::npos);
}

TEST_F(Get, DescribedPlan) {
  ASSERT_EQ(shell.run("describe plan azure-mysql/basic50"), 0) << shell.err;
  EXPECT_EQ(cells(shell.out), cells(R"(
  Name:             basic50
  Scope:            cluster
  Broker:           azure
  Type:             mysql
  Default:          false
  Description:      Basic Tier, 50 DTUs.
  Kubernetes Name:  427559f1-bf2a-45d3-8844-32374a3e58aa
  Status:           Active
  Free:             false
  Class:            azure-mysql

Default Binding Parameters:
  user: reader

Default Secret Transform:
  db-name -> database

Instances:
  NAME   NAMESPACE   STATUS
+------+-----------+--------+
  mydb   default     Ready
)"));
  ASSERT_EQ(shell.run("describe plan premium-p1"), 0);
  EXPECT_NE(cells(shell.out).find("Default: true\n"), std::string::npos);
}

TEST_F(Get, DescribedClassWithDefaultsAndPlans) {
  ASSERT_EQ(shell.run("describe class azure-mysql"), 0) << shell.err;
  const auto text = cells(shell.out);
  for (const std::string_view part :
       {"Type: mysql\nDescription: Azure MySQL\nKubernetes Name: 997b8372-8dac-40ac-ae65-758b4a5075a5\nStatus: Active\n"
        "Tags: mysql, database\n",
        "Default Provision Parameters:\n", "location: eastus\n", "Plans:\n", "basic50 Basic Tier, 50 DTUs.\n"}) {
    EXPECT_NE(text.find(part), std::string::npos) << part << "\nnot in\n" << text;
  }
}

TEST_F(Get, DescribedBroker) {
  expect("describe broker azure",
         "  Name:    azure\n"
         "  Scope:   cluster\n"
         "  URL:     https://broker.example\n"
         "  Status:  Ready - Successfully fetched catalog entries from broker @ 2017-11-30 19:11:49 +0000 UTC\n");
}

TEST_F(Get, SecretsAreShownOnlyOnDemand) {
  ASSERT_EQ(shell.run("describe binding mydb-admin"), 0);
  EXPECT_EQ(shell.out.find("s3cr3t"), std::string::npos);
  ASSERT_EQ(shell.run("describe binding mydb-admin --show-secrets"), 0);
  EXPECT_NE(shell.out.find("password:  s3cr3t\n"), std::string::npos) << shell.out;
}

TEST_F(Get, TheStoryOfAnInstance) {
  shell.server.put(R"(
apiVersion: v1
kind: Event
metadata: {name: e1, namespace: default}
involvedObject: {kind: ServiceInstance, name: mydb, uid: i-1}
type: Normal
reason: ProvisionedSuccessfully
message: The instance was provisioned successfully
lastTimestamp: "2017-11-30T19:11:49Z"
count: 2
)");
  ASSERT_EQ(shell.run("explain instance mydb"), 0) << shell.err;
  const auto text = cells(shell.out);
  for (const std::string_view part :
       {"Instance mydb of namespace default is ready.\n", "Asked for: type mysql, class azure-mysql, plan basic50\n",
        "it was named in the request.\n", "location westus instance (you)\n", "resourceGroup default class default\n",
        "Carried out: the request to broker azure, plan basic50 (427559f1-bf2a-45d3-8844-32374a3e58aa), on behalf of "
        "jane\n",
        "ProvisionedSuccessfully", "(2 times)", "What happens next:\nNothing: it is done.\n"}) {
    EXPECT_NE(text.find(part), std::string::npos) << part << "\nnot in\n" << text;
  }
  ASSERT_EQ(shell.run("explain binding mydb-admin"), 0) << shell.err;
  EXPECT_NE(shell.out.find("db-name -> database"), std::string::npos);
}

}  // namespace
}  // namespace chandler::svcat
