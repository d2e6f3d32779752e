// Lives of instances that go well: made, changed, ended.
#include "reconcilers/instance/instance_story_fixture.h"

namespace chandler::reconcilers::testing {
namespace {

TEST_F(InstanceStory, ProvisionAndDeprovision) {
  broker.dashboard = "https://dashboard";
  apply_instance("{" + kSmall + "}");
  settle();
  EXPECT_EQ(conditions(), "Ready=True:ProvisionedSuccessfully");
  EXPECT_EQ(instance("status.dashboardURL"), R"("https://dashboard")");
  EXPECT_EQ(instance("metadata.generation"), "2") << "the references were written into the spec";
  EXPECT_EQ(instance("status.observedGeneration"), "2");
  EXPECT_EQ(instance("status.reconciledGeneration"), "2");
  EXPECT_EQ(instance("status.provisionStatus"), R"("Provisioned")");
  EXPECT_EQ(instance("status.lastConditionState"), R"("Ready")");
  for (const auto* absent : {"currentOperation", "operationStartTime", "inProgressProperties", "asyncOpInProgress",
                             "lastOperation", "retry"})
    EXPECT_EQ(instance(fmt::format("status.{}", absent)), "null") << absent;
  EXPECT_EQ(broker.take_lines(), Lines{"ProvisionInstance id-mydb"});
  expect_quiet();
  remove(kInstances, "mydb");
  settle();
  EXPECT_EQ(conditions(), "gone");
  EXPECT_EQ(broker.take_lines(), Lines{"DeprovisionInstance id-mydb"});
  EXPECT_TRUE(broker.instances.empty());
  EXPECT_TRUE(has_event("ProvisionedSuccessfully"));
  EXPECT_TRUE(has_event("DeprovisionedSuccessfully"));
}

TEST_F(InstanceStory, Asynchronous) {
  broker.async = true;
  broker.polls_needed = 3;
  apply_instance("{" + kSmall + "}");
  settle();
  EXPECT_EQ(conditions(), "Ready=False:Provisioning");
  EXPECT_EQ(instance("status.asyncOpInProgress"), "true");
  EXPECT_EQ(instance("status.lastOperation"), R"("op-1")");
  advance(std::chrono::seconds(1));
  EXPECT_EQ(message(), "The instance is being provisioned asynchronously (half way)");
  finish();
  EXPECT_EQ(conditions(), "Ready=True:ProvisionedSuccessfully");
  change_plan("clusterServicePlanExternalName", "large");
  finish();
  EXPECT_EQ(conditions(), "Ready=True:InstanceUpdatedSuccessfully");
  remove(kInstances, "mydb");
  finish();
  EXPECT_EQ(conditions(), "gone");
  EXPECT_TRUE(broker.instances.empty());
}

TEST_F(InstanceStory, PlanChangeInBothScopes) {
  provision();
  change_plan("clusterServicePlanExternalName", "large");
  settle();
  EXPECT_EQ(conditions(), "Ready=True:InstanceUpdatedSuccessfully");
  EXPECT_EQ(instance("spec.clusterServicePlanRef.name"), R"("p2")");
  EXPECT_EQ(instance("status.externalProperties.clusterServicePlanExternalName"), R"("large")");
  EXPECT_EQ(instance("status.userSpecifiedPlanName"), R"("large")");
  EXPECT_EQ(instance("status.reconciledGeneration"), instance("metadata.generation"));
  expect_quiet();

  apply(kBrokers,
        "{apiVersion: servicecatalog.k8s.io/v1beta1, kind: ServiceBroker, metadata: {name: azure, namespace: dev}, "
        "spec: {url: \"https://dev.example.com\"}}");
  apply_class("nc1", "externalName: mysql", Scope::kNamespace);
  apply_plan("np1", "externalName: small", Scope::kNamespace, "nc1");
  apply_plan("np2", "externalName: large", Scope::kNamespace, "nc1");
  apply_instance("{serviceClassExternalName: mysql, servicePlanExternalName: small}", "other");
  settle();
  edit_spec(kInstances, "other", [](json::Object& spec) {
    spec["servicePlanExternalName"] = "large";
    spec.erase("servicePlanRef");
  });
  settle();
  EXPECT_EQ(conditions(kInstances, "other"), "Ready=True:InstanceUpdatedSuccessfully");
  EXPECT_EQ(broker.instances["id-other"].plan_id, "np2");
}

TEST_F(InstanceStory, PlanChangeWithoutAServerThatClearsTheReference) {
  provision();
  edit_spec(kInstances, "mydb", [](json::Object& spec) { spec["clusterServicePlanExternalName"] = "large"; });
  settle();
  EXPECT_EQ(instance("spec.clusterServicePlanRef.name"), R"("p2")");
  EXPECT_EQ(broker.instances["id-mydb"].plan_id, "p2");
}

TEST_F(InstanceStory, ParametersChangeAndGo) {
  provision(", parameters: {a: 1}");
  edit_spec(kInstances, "mydb", [](json::Object& spec) { spec["parameters"].as_object()["b"] = 2; });
  settle();
  EXPECT_EQ(json::write(broker.instances["id-mydb"].parameters), R"({"a":1,"b":2})");
  edit_spec(kInstances, "mydb", [](json::Object& spec) { spec.erase("parameters"); });
  settle();
  EXPECT_EQ(json::write(broker.calls.back().body.at("parameters")), "{}") << "all were removed";
  EXPECT_EQ(instance("status.externalProperties.parameters"), "null");
  expect_quiet();
}

TEST_F(InstanceStory, ATouchAsksTheBrokerAgain) {
  apply_secret("params", "json", R"({"p":"s3cret"})");
  provision(", parametersFrom: [{secretKeyRef: {name: params, key: json}}]");
  apply_secret("params", "json", R"({"p":"s3cret2"})");
  settle();
  EXPECT_EQ(broker.take_lines(), Lines()) << "a changed secret alone triggers nothing";
  edit_spec(kInstances, "mydb", [](json::Object& spec) { spec["updateRequests"] = 1; });
  settle();
  EXPECT_EQ(broker.take_lines(), Lines{"UpdateInstance id-mydb"});
  EXPECT_EQ(json::write(broker.instances["id-mydb"].parameters), R"({"p":"s3cret2"})");
  edit_spec(kInstances, "mydb", [](json::Object& spec) { spec["updateRequests"] = 2; });
  settle();
  EXPECT_EQ(broker.take_lines(), Lines{"UpdateInstance id-mydb"});
}

TEST_F(InstanceStory, WhatDoesNotConcernTheBrokerIsNotSent) {
  provision();
  edit_spec(kInstances, "mydb", [](json::Object& spec) { spec["deletionPolicy"] = "Cascade"; });
  settle();
  EXPECT_EQ(broker.take_lines(), Lines());
  EXPECT_EQ(conditions(), "Ready=True:ProvisionedSuccessfully");
  EXPECT_EQ(instance("status.observedGeneration"), instance("metadata.generation"));
  expect_quiet();
}

TEST_F(InstanceStory, AFinalizerComesBeforeAnyEffect) {
  apply_instance("{" + kSmall + "}");
  edit(kInstances, "mydb", [](json::Object& root) { object_in(root, "metadata").erase("finalizers"); });
  start();
  while (broker.calls.empty()) engine->turn();
  EXPECT_EQ(instance("metadata.finalizers"), R"(["kubernetes-incubator/service-catalog"])");
  settle();
  EXPECT_EQ(conditions(), "Ready=True:ProvisionedSuccessfully");
}

TEST_F(InstanceStory, ARemovedPlanServesWhoHasItAndNobodyElse) {
  provision();
  const auto removed = [](json::Object& root) { object_in(root, "status")["removedFromBrokerCatalog"] = true; };
  edit(kClusterPlans, "p1", removed, "");
  edit(kClusterPlans, "p2", removed, "");
  edit_spec(kInstances, "mydb", [](json::Object& spec) { spec["parameters"] = json::Object{{"a", 1}}; });
  settle();
  EXPECT_EQ(conditions(), "Ready=True:InstanceUpdatedSuccessfully");
  change_plan("clusterServicePlanExternalName", "large");
  settle();
  EXPECT_EQ(conditions(), "Ready=False:ReferencesDeletedServicePlan");
  EXPECT_EQ(broker.instances["id-mydb"].plan_id, "p1");
  expect_quiet();
}

TEST_F(InstanceStory, ANamespaceThatIsNotThereIsWaitedFor) {
  objects.remove(kNamespaces, "", "dev");
  apply_instance("{" + kSmall + "}");
  settle();
  EXPECT_EQ(conditions(), "Ready=False:ErrorFindingNamespaceForInstance");
  expect_quiet();
  objects.put(kNamespaces, "{apiVersion: v1, kind: Namespace, metadata: {name: dev, uid: uid-dev}}");
  settle();
  EXPECT_EQ(conditions(), "Ready=True:ProvisionedSuccessfully");
}

TEST_F(InstanceStory, TheUserBehindEachRequestIsTold) {
  provision();
  EXPECT_EQ(instance("status.externalProperties.userInfo.username"), R"("ann")");
  edit_spec(kInstances, "mydb", [](json::Object& spec) {
    spec["updateRequests"] = 1;
    spec["userInfo"].as_object()["username"] = "eve";
  });
  settle();
  EXPECT_NE(broker.recorded(osb::Method::kUpdate).find(R"("username":"eve")"), std::string::npos);
  remove(kInstances, "mydb", "bob");
  settle();
  EXPECT_NE(broker.recorded(osb::Method::kDeprovision).find(R"("username":"bob")"), std::string::npos);
}

TEST_F(InstanceStory, WithoutABrokerNothingBegins) {
  objects.remove(kClusterBrokers, "", "azure");
  apply_instance("{" + kSmall + "}");
  finish();
  EXPECT_EQ(conditions(), "Ready=False:ReferencesNonexistentBroker");
  EXPECT_EQ(message(), "The ClusterServiceBroker \"azure\" does not exist. Register it, or choose another class.");
  EXPECT_EQ(instance("status.currentOperation"), "null");
  remove(kInstances, "mydb");
  finish();
  EXPECT_EQ(conditions(), "gone") << "nobody has anything of it";

  apply_instance("{" + kSmall + "}");
  finish();
  register_catalog();
  finish();
  EXPECT_EQ(conditions(), "Ready=True:ProvisionedSuccessfully");
}

TEST_F(InstanceStory, BrokerCredentialsAreReadAtEachCall) {
  apply(kClusterBrokers,
        "{apiVersion: servicecatalog.k8s.io/v1beta1, kind: ClusterServiceBroker, metadata: {name: azure}, spec: {url: "
        "\"https://azure.example.com\", authInfo: {bearer: {secretRef: {namespace: ops, name: token}}}}}");
  apply_instance("{" + kSmall + "}");
  settle();
  EXPECT_EQ(conditions(), "Ready=False:ErrorGettingAuthCredentials");
  EXPECT_NE(message().find("ops/token"), std::string::npos) << message();
  expect_quiet();
  apply_secret("token", "token", "s3cret", "ops");
  settle();
  EXPECT_EQ(conditions(), "Ready=True:ProvisionedSuccessfully");
  EXPECT_EQ(broker.authorizations.back(), "Bearer s3cret");
}

}  // namespace
}  // namespace chandler::reconcilers::testing
