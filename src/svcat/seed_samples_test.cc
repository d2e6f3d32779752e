// The console samples of the proposal "Default Service Plans", cell by cell.
#include <gtest/gtest.h>

#include "svcat/catalog_objects_fixture.h"
#include "svcat/fake_server_fixture.h"

namespace chandler::svcat {
namespace {

using namespace testing;

struct SeedSamples : ::testing::Test {
  SeedSamples() {
    shell.server.put(kBrokers);
    shell.server.put(kClasses);
    shell.server.put(kPlans);
    shell.ns = "dev";
  }
  void expect_cells(std::string_view line, std::string_view sample) {
    EXPECT_EQ(shell.run(line), 0) << line << ": " << shell.err;
    EXPECT_EQ(cells(shell.out), cells(sample)) << line;
  }
  Shell shell;
};

TEST_F(SeedSamples, ClassesOfTheNamespace) {
  expect_cells("get classes", R"(
	TYPE     	NAME           	DESCRIPTION          	SCOPE
+------------+------------------+---------------------+-----------+
  postgres     postgres-dev       Dev DB   	           ns (dev)
)");
  EXPECT_EQ(shell.server.take_requests().size(), 1u) << "one request suffices";
}

TEST_F(SeedSamples, ClassesOfAnotherNamespace) {
  expect_cells("get classes --namespace qa", R"(
	TYPE     	NAME           	DESCRIPTION          	SCOPE
+------------+------------------+---------------------+-----------+
  postgres     postgres-qa        QA DB   	           ns (qa)
)");
}

TEST_F(SeedSamples, ClassesOfTheCluster) {
  expect_cells("get classes --cluster", R"(
	TYPE     	NAME           	DESCRIPTION          	SCOPE
+------------+------------------+---------------------+-----------+
  redis        azure-redis        Azure Redis       	broker (azure)
  postgres     azure-postgresql   Azure PostgreSQL  	broker (azure)
  postgres     postgres-dev       Dev DB   	           cluster
)");
  EXPECT_EQ(shell.server.take_requests().size(), 1u);
}

TEST_F(SeedSamples, ClassesOfEverywhere) {
  expect_cells("get classes --cluster --all-namespaces", R"(
	TYPE     	NAME           	DESCRIPTION          	SCOPE
+------------+------------------+---------------------+-----------+
  redis        azure-redis        Azure Redis       	broker (azure)
  postgres     azure-postgresql   Azure PostgreSQL  	broker (azure)
  postgres     postgres-dev       Dev DB   	           cluster
  postgres     postgres-dev       Dev DB   	           ns (dev)
  postgres     postgres-qa        QA DB   	           ns (qa)
)");
}

TEST_F(SeedSamples, ClassesOfAType) {
  expect_cells("get classes --type redis", R"(
	TYPE     	NAME           	DESCRIPTION          	SCOPE
+------------+------------------+---------------------+-----------+
  redis        azure-redis    	 Azure Redis       	broker (azure)
)");
}

TEST_F(SeedSamples, DefaultPlans) {
  expect_cells("get plans --default", R"(
	TYPE  NAME     CLASS DESCRIPTION          	SCOPE
+------------+--------+--------------+---------------+-----------+
  redis*     basic    azure-redis    Azure Redis     broker (azure)
  postgres*  tiny     postgres-dev   Tiny Dev DB   	cluster
)");
}

TEST_F(SeedSamples, DescribedClasses) {
  ASSERT_EQ(shell.run("describe class postgres-dev"), 0);
  EXPECT_TRUE(cells(shell.out).starts_with("Name: postgres-dev\nScope: namespace\nNamespace: dev\n")) << shell.out;
  ASSERT_EQ(shell.run("describe class postgres-dev --cluster"), 0);
  EXPECT_TRUE(cells(shell.out).starts_with("Name: postgres-dev\nScope: cluster\n")) << shell.out;
  ASSERT_EQ(shell.run("describe class azure-postgresql --cluster"), 0);
  EXPECT_TRUE(cells(shell.out).starts_with("Name: azure-postgresql\nScope: broker\nBroker: azure\n")) << shell.out;
}

TEST_F(SeedSamples, ANewDefaultPlan) {
  ASSERT_EQ(shell.run("set plan premium --default"), 0) << shell.err;
  EXPECT_EQ(shell.out, "basic is no longer the default plan for redis\npremium is the default plan for redis\n");
  const std::string plans = "/apis/servicecatalog.k8s.io/v1beta1/clusterserviceplans/";
  EXPECT_EQ(annotation_of(*shell.server.object(plans + "1-premium"), kDefaultPlanAnnotation), "true");
  EXPECT_EQ(annotation_of(*shell.server.object(plans + "1-basic"), kDefaultPlanAnnotation), "");
  EXPECT_EQ(annotation_of(*shell.server.object(plans + "tiny"), kDefaultPlanAnnotation), "true") << "another type";
}

TEST(SeedSample, DescribedInstance) {
  Shell shell;
  shell.server.put(kInstance);
  ASSERT_EQ(shell.run("describe instance mydb"), 0) << shell.err;
  // Keys in the order of the alphabet, and times in UTC.
  EXPECT_TRUE(flat(shell.out).starts_with(flat(R"(
  Name:    	mydb
  Namespace:    default
  Status:  	Ready - The instance was provisioned successfully @
                2017-11-30 19:11:49 +0000 UTC
  Type:    	mysql
  Class:   	azure-mysql
  Plan:    	basic50

Parameters:
  firewallRules:
  - endIPAddress: 255.255.255.255
    name: AllowAll
    startIPAddress: 0.0.0.0
  location: westus
  resourceGroup: default
  sslEnforcement: disabled
)"))) << shell.out;
}

TEST(SeedSample, DescribedBinding) {
  Shell shell;
  shell.server.put(kBinding);
  ASSERT_EQ(shell.run("describe binding mydb-admin"), 0) << shell.err;
  EXPECT_EQ(cells(shell.out), cells(R"(
  Name:    	mydb-admin
  Namespace:    default
  Status:  	Ready - The binding was injected successfully @ 2017-11-30 19:11:49 +0000 UTC
  Type:    	mysql
  Instance: mydb
  Secret: mydb-admin

Parameters:
  user: admin

Secret Transform:
  db-name -> database

Secret Data:
  password:  6 bytes
  username:  5 bytes
)"));
}

}  // namespace
}  // namespace chandler::svcat
