// Lives of instances, told from beginning to end.
#include "reconcilers/reconciler_fixture.h"

namespace chandler::reconcilers::testing {
namespace {

const std::string kSmall = "clusterServiceClassExternalName: mysql, clusterServicePlanExternalName: small";

class InstanceStory : public CatalogStory {
 protected:
  InstanceStory() { register_catalog(); }
  void provision(const std::string& more = "") {
    apply_instance("{" + kSmall + more + "}");
    finish();
    ASSERT_EQ(conditions(), "Ready=True:ProvisionedSuccessfully");
    broker.calls.clear();
  }
};

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

TEST_F(InstanceStory, AFailureIsCleanedUpAndTriedAgain) {
  int failures = 3;
  broker.script = [&](const osb::Call& call) -> std::optional<osb::Answer> {
    if (call.method != osb::Method::kProvision || failures-- <= 0) return std::nullopt;
    broker.instances["id-mydb"] = {"c1", "p1", {}, {}};  // it did it all the same
    return answer_of(500);
  };
  apply_instance("{" + kSmall + "}");
  settle();
  EXPECT_EQ(conditions(), "Ready=False:OrphanMitigationSuccessful");
  EXPECT_TRUE(broker.instances.empty());
  EXPECT_EQ(instance("status.retry.rounds"), "1");
  EXPECT_EQ(instance("status.deprovisionStatus"), R"("NotRequired")");
  expect_quiet();
  finish();
  EXPECT_EQ(conditions(), "Ready=True:ProvisionedSuccessfully");
  EXPECT_EQ(instance("status.retry"), "null");
  EXPECT_EQ(broker.most_instances, 1u);
}

TEST_F(InstanceStory, AnAsynchronousCleanUp) {
  int failures = 1;
  broker.async = true;
  broker.script = [&](const osb::Call& call) -> std::optional<osb::Answer> {
    if (call.method != osb::Method::kProvision || failures-- <= 0) return std::nullopt;
    broker.instances["id-mydb"] = {"c1", "p1", {}, {}};
    return no_answer(http::ClientFailure::Kind::kTimeout);
  };
  apply_instance("{" + kSmall + "}");
  settle();
  EXPECT_EQ(conditions(), "Ready=False:StartingInstanceOrphanMitigation OrphanMitigation=True:ErrorCallingProvision")
      << "the request may still arrive";
  advance(std::chrono::seconds(60));
  EXPECT_EQ(conditions(), "Ready=False:Deprovisioning OrphanMitigation=True:ErrorCallingProvision");
  EXPECT_EQ(instance("status.currentOperation"), R"("Provision")");
  finish();
  EXPECT_EQ(conditions(), "Ready=True:ProvisionedSuccessfully");
  EXPECT_EQ(broker.most_instances, 1u);
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

TEST_F(InstanceStory, ABrokerThatAlwaysFailsIsNotFlooded) {
  broker.script = [](const osb::Call& call) -> std::optional<osb::Answer> {
    return call.method == osb::Method::kProvision ? std::optional(answer_of(500)) : std::nullopt;
  };
  apply_instance("{" + kSmall + "}");
  settle();
  const auto until = clock.now() + std::chrono::hours(24);
  while (clock.now() < until) advance(*engine->next_due() - clock.now());
  EXPECT_LT(broker.calls.size(), 250u);
}

TEST_F(InstanceStory, RefusedThenRepairedByTheUser) {
  broker.script = [](const osb::Call&) { return answer_of(400, "{description: the plan is sold out}"); };
  apply_instance("{" + kSmall + "}");
  settle();
  EXPECT_EQ(conditions(), "Ready=False:ProvisionCallFailed Failed=True:ClusterServiceBrokerReturnedFailure");
  EXPECT_NE(message().find("sold out"), std::string::npos);
  EXPECT_EQ(instance("status.lastConditionState"), R"("Failed")");
  expect_quiet();
  broker.script = nullptr;
  change_plan("clusterServicePlanExternalName", "large");
  settle();
  EXPECT_EQ(conditions(), "Ready=True:ProvisionedSuccessfully");
  EXPECT_EQ(broker.instances["id-mydb"].plan_id, "p2");
}

TEST_F(InstanceStory, ASpecChangedDuringTheRequestIsNotForgotten) {
  broker.script = [&](const osb::Call& call) -> std::optional<osb::Answer> {
    if (call.method == osb::Method::kProvision && broker.calls.size() == 1) {
      edit_spec(kInstances, "mydb", [](json::Object& spec) { spec["parameters"] = json::Object{{"a", 1}}; });
      return answer_of(400);
    }
    return std::nullopt;
  };
  apply_instance("{" + kSmall + "}");
  finish();
  EXPECT_EQ(conditions(), "Ready=True:ProvisionedSuccessfully") << "only the old spec was refused";
  EXPECT_EQ(json::write(broker.instances["id-mydb"].parameters), R"({"a":1})");
}

TEST_F(InstanceStory, ASpecChangedWhileTheBrokerWorksFollowsAfterwards) {
  broker.async = true;
  apply_instance("{" + kSmall + "}");
  settle();
  change_plan("clusterServicePlanExternalName", "large");
  finish();
  EXPECT_EQ(conditions(), "Ready=True:InstanceUpdatedSuccessfully");
  EXPECT_EQ(broker.instances["id-mydb"].plan_id, "p2");
  EXPECT_EQ(broker.most_instances, 1u);
}

// On a cluster without our rules somebody may write between our two writes.
TEST_F(InstanceStory, ASpecChangedBeforeItWasCompleted) {
  for (int turns = 1; turns < 12; ++turns) {
    apply_instance("{" + kSmall + "}");
    start();
    for (int i = 0; i < turns; ++i) engine->turn();
    edit_spec(kInstances, "mydb", [](json::Object& spec) {
      spec["clusterServicePlanExternalName"] = "large";
      spec.erase("clusterServicePlanRef");
    });
    finish();
    EXPECT_EQ(broker.instances["id-mydb"].plan_id, "p2") << turns << " " << all_conditions();
    EXPECT_EQ(instance("spec.clusterServicePlanRef.name"), R"("p2")") << turns;
    EXPECT_EQ(broker.most_instances, 1u);
    remove(kInstances, "mydb");
    finish();
    ASSERT_EQ(conditions(), "gone");
  }
}

TEST_F(InstanceStory, AWaitingRetryEndsWhenTheSpecChanges) {
  broker.script = [](const osb::Call&) { return answer_of(429); };
  apply_instance("{" + kSmall + "}");
  settle();
  advance(std::chrono::hours(3));
  advance(std::chrono::hours(3));
  broker.script = nullptr;
  broker.calls.clear();
  edit_spec(kInstances, "mydb", [](json::Object& spec) { spec["parameters"] = json::Object{{"a", 1}}; });
  settle();
  EXPECT_EQ(conditions(), "Ready=True:ProvisionedSuccessfully") << "without waiting for the old delay";
  EXPECT_EQ(broker.most_instances, 1u);
}

TEST_F(InstanceStory, ParametersFromSecretsThatChangeBetweenRetriesAreSettledFirst) {
  apply_secret("params", "json", R"({"p":"s3cret"})");
  bool lost = true;
  broker.script = [&](const osb::Call& call) -> std::optional<osb::Answer> {
    if (call.method != osb::Method::kProvision || !lost) return std::nullopt;
    broker.instances["id-mydb"] = {"c1", "p1", call.body.at("parameters"), {}};
    return malformed(200);
  };
  apply_instance("{" + kSmall + ", parametersFrom: [{secretKeyRef: {name: params, key: json}}]}");
  settle();
  lost = false;
  apply_secret("params", "json", R"({"p":"s3cret2"})");
  broker.calls.clear();
  finish();
  EXPECT_EQ(conditions(), "Ready=True:ProvisionedSuccessfully");
  EXPECT_EQ(broker.take_lines(), (Lines{"DeprovisionInstance id-mydb", "ProvisionInstance id-mydb"}));
  EXPECT_EQ(json::write(broker.instances["id-mydb"].parameters), R"({"p":"s3cret2"})");
}

TEST_F(InstanceStory, DeletionDoesNotWaitForAnAsynchronousProvision) {
  broker.async = true;
  broker.polls_needed = 1000;
  apply_instance("{" + kSmall + "}");
  settle();
  bool busy = true;
  broker.script = [&](const osb::Call& call) -> std::optional<osb::Answer> {
    if (call.method != osb::Method::kDeprovision) return std::nullopt;
    return busy ? std::optional(answer_of(422, "{error: ConcurrencyError}")) : answer_of(200);
  };
  remove(kInstances, "mydb");
  broker.calls.clear();
  settle();
  EXPECT_EQ(broker.take_lines(), Lines{"DeprovisionInstance id-mydb"}) << "at once";
  EXPECT_EQ(conditions(), "Ready=Unknown:DeprovisionCallFailed");
  busy = false;
  finish();
  EXPECT_EQ(conditions(), "gone");
}

TEST_F(InstanceStory, DeletionSaysWhyItIsStuckAndAbandonLetsGo) {
  provision();
  objects.remove(kClusterBrokers, "", "azure");
  remove(kInstances, "mydb");
  settle();
  EXPECT_EQ(conditions(), "Ready=False:ReferencesNonexistentBroker");
  EXPECT_NE(message().find("servicecatalog.kubernetes.io/abandon"), std::string::npos) << message();
  expect_quiet();
  annotate(kInstances, "mydb", kAbandonAnnotation, "true");
  settle();
  EXPECT_EQ(conditions(), "gone");
  const auto records = objects.list(kConfigMaps, {});
  ASSERT_EQ(records.size(), 1u);
  EXPECT_EQ(text_at(member(records[0].value(), "data"), "instanceID"), "id-mydb");
  EXPECT_EQ(text_at(member(records[0].value(), "data"), "broker"), "azure");
  EXPECT_EQ(text_at(member(records[0].value(), "data"), "serviceID"), "c1");
  EXPECT_TRUE(has_event("Abandoned", "id-mydb"));
}

TEST_F(InstanceStory, DeletionNeedsNeitherClassNorPlan) {
  provision();
  objects.remove(kClusterPlans, "", "p1");
  objects.remove(kClusterPlans, "", "p2");
  objects.remove(kClusterClasses, "", "c1");
  settle();
  remove(kInstances, "mydb");
  settle();
  EXPECT_EQ(conditions(), "gone");
  EXPECT_TRUE(broker.instances.empty());
}

TEST_F(InstanceStory, DeletionOfWhatWasNeverSentAsksNobody) {
  apply_instance("{serviceType: nothing}");
  settle();
  remove(kInstances, "mydb");
  settle();
  EXPECT_EQ(conditions(), "gone");
  EXPECT_EQ(broker.take_lines(), Lines());
}

TEST_F(InstanceStory, DeletionWaitsForBindings) {
  provision();
  apply_binding();
  settle();
  ASSERT_EQ(binding_conditions(), "Ready=True:InjectedBindResult");
  remove(kInstances, "mydb");
  settle();
  EXPECT_EQ(conditions(), "Ready=False:DeprovisionBlockedByExistingCredentials");
  EXPECT_NE(message().find("b"), std::string::npos);
  expect_quiet();
  remove(kBindings, "b");
  settle();
  EXPECT_EQ(conditions(), "gone");
  EXPECT_EQ(binding_conditions(), "gone");
  EXPECT_TRUE(broker.instances.empty());
}

TEST_F(InstanceStory, DeletionCascades) {
  provision(", deletionPolicy: Cascade");
  apply_binding();
  apply_binding("{instanceRef: {name: mydb}}", "b2");
  settle();
  remove(kInstances, "mydb");
  settle();
  EXPECT_EQ(conditions(), "gone");
  EXPECT_EQ(binding_conditions(), "gone");
  EXPECT_TRUE(broker.instances.empty());
  EXPECT_TRUE(has_event("ServiceBindingsDeletion"));
}

TEST_F(InstanceStory, ABindingThatWaitsHoldsUpNobody) {
  apply_binding();
  broker.script = [](const osb::Call& call) -> std::optional<osb::Answer> {
    return call.method == osb::Method::kProvision ? std::optional(answer_of(500)) : std::nullopt;
  };
  apply_instance("{" + kSmall + "}");
  settle();
  EXPECT_EQ(conditions(), "Ready=False:OrphanMitigationSuccessful") << "cleaned up";
  EXPECT_EQ(binding_conditions(), "Ready=False:ErrorInstanceNotReady");
  broker.script = [](const osb::Call&) { return answer_of(503); };
  advance(std::chrono::minutes(1));
  remove(kInstances, "mydb");
  settle();
  broker.script = nullptr;
  finish();
  EXPECT_EQ(conditions(), "gone") << "the binding holds nothing";
  EXPECT_EQ(binding_conditions(), "Ready=False:ReferencesNonexistentInstance");
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

TEST_F(InstanceStory, AnAnswerThatWasLostStrandsNothing) {
  // The broker made it, the process died, and then the broker refuses to talk.
  apply_instance("{" + kSmall + "}");
  start();
  while (broker.calls.empty()) engine->turn();
  ASSERT_EQ(broker.instances.size(), 1u);
  for (const int status : {429, 401}) {
    broker.script = [=](const osb::Call&) { return answer_of(status); };
    crash();
    settle();
    EXPECT_EQ(conditions(), "Ready=False:ProvisionCallFailed");
  }
  remove(kInstances, "mydb");
  broker.script = nullptr;
  finish();
  EXPECT_EQ(conditions(), "gone");
  EXPECT_TRUE(broker.instances.empty());
}

TEST_F(InstanceStory, ARefusalSaysNothingAboutAnAnswerThatWasLost) {
  apply_instance("{" + kSmall + "}");
  start();
  while (broker.calls.empty()) engine->turn();
  ASSERT_EQ(broker.instances.size(), 1u);
  broker.script = [](const osb::Call& call) -> std::optional<osb::Answer> {
    return call.method == osb::Method::kProvision ? std::optional(answer_of(400)) : std::nullopt;
  };
  crash();
  finish();
  EXPECT_EQ(conditions(), "Ready=False:OrphanMitigationSuccessful Failed=True:ClusterServiceBrokerReturnedFailure");
  EXPECT_TRUE(broker.instances.empty());
  expect_quiet();
}

TEST_F(InstanceStory, WhatIsSomebodyElsesIsNeverRemoved) {
  broker.instances["id-mydb"] = {"c1", "p9", {}, {}};
  apply_instance("{" + kSmall + "}");
  start();
  while (broker.calls.empty()) engine->turn();
  crash();
  finish();
  EXPECT_EQ(conditions(), "Ready=False:ProvisionCallFailed Failed=True:ClusterServiceBrokerReturnedFailure");
  remove(kInstances, "mydb");
  finish();
  EXPECT_EQ(conditions(), "gone");
  EXPECT_EQ(broker.instances.size(), 1u);
}

TEST_F(InstanceStory, WhatAnEarlierRunLeftIsRemoved) {
  bool failed = true;  // an asynchronous provision whose 202 was lost, and which then failed
  own_ids = true;
  broker.script = [&](const osb::Call& call) -> std::optional<osb::Answer> {
    if (call.method == osb::Method::kDeprovision) failed = false;
    if (call.method == osb::Method::kProvision && failed) return answer_of(409);
    return std::nullopt;
  };
  apply_instance("{" + kSmall + "}");
  start();
  while (broker.calls.empty()) engine->turn();
  crash();
  finish();
  EXPECT_EQ(conditions(), "Ready=True:ProvisionedSuccessfully");
  EXPECT_FALSE(failed);
}

TEST_F(InstanceStory, AfterAnUpdateThatNobodyConfirmedTheBrokerIsToldEverything) {
  provision(", parameters: {a: 1}");
  broker.script = [](const osb::Call& call) -> std::optional<osb::Answer> {
    return call.method == osb::Method::kUpdate ? std::optional(answer_of(422)) : std::nullopt;
  };
  change_plan("clusterServicePlanExternalName", "large");
  settle();
  broker.instances["id-mydb"].plan_id = "p2";  // it did it all the same
  broker.script = nullptr;
  change_plan("clusterServicePlanExternalName", "small");
  settle();
  EXPECT_EQ(conditions(), "Ready=True:InstanceUpdatedSuccessfully");
  EXPECT_EQ(broker.instances["id-mydb"].plan_id, "p1");
  EXPECT_EQ(instance("status.unconfirmedProperties"), "null");
}

// The process dies after any number of pieces of work, twice.
TEST_F(InstanceStory, CrashesLoseAndDoubleNothing) {
  for (const bool async : {false, true}) {
    for (int first = 0; first < 40; ++first) {
      broker.async = async;
      apply_instance("{" + kSmall + ", parameters: {a: 1}}");
      const auto live_through = [&] {
        start();
        for (int i = 0; i < first && engine->turn(); ++i) {
        }
        crash();
        for (int i = 0; i < first / 2 && engine->turn(); ++i) {
        }
        crash();
        finish();
      };
      live_through();
      ASSERT_EQ(conditions(), "Ready=True:ProvisionedSuccessfully") << first;
      ASSERT_EQ(broker.instances.size(), 1u);
      edit_spec(kInstances, "mydb", [](json::Object& spec) {
        spec["clusterServicePlanExternalName"] = "large";
        spec["parameters"] = json::Object{{"a", 2}};
      });
      live_through();
      ASSERT_EQ(conditions(), "Ready=True:InstanceUpdatedSuccessfully") << first;
      ASSERT_EQ(broker.instances["id-mydb"].plan_id, "p2");
      ASSERT_EQ(json::write(broker.instances["id-mydb"].parameters), R"({"a":2})");
      expect_quiet();
      remove(kInstances, "mydb");
      live_through();
      ASSERT_EQ(conditions(), "gone") << first;
      ASSERT_TRUE(broker.instances.empty());
      ASSERT_EQ(broker.most_instances, 1u);
    }
  }
}

TEST_F(InstanceStory, DeletedWhileNobodyKnowsWhichPlanItHas) {
  for (const bool carried_out : {false, true}) {
    broker.script = nullptr;
    provision();
    broker.script = [&](const osb::Call& call) -> std::optional<osb::Answer> {
      auto& plan = broker.instances["id-mydb"].plan_id;
      if (call.method == osb::Method::kUpdate && carried_out) plan = "p2";
      if (call.method == osb::Method::kUpdate) return answer_of(500);
      // Wants to hear the plan that it has.
      if (call.method == osb::Method::kDeprovision && call.plan_id != plan) return answer_of(400);
      return std::nullopt;
    };
    change_plan("clusterServicePlanExternalName", "large");
    settle();
    remove(kInstances, "mydb");
    finish();
    EXPECT_EQ(conditions(), "gone") << carried_out;
    EXPECT_TRUE(broker.instances.empty()) << carried_out;
  }
}

TEST_F(InstanceStory, DeletedAtAnyMoment) {
  for (const bool async : {false, true}) {
    for (const int status : {200, 500, 400}) {
      for (int turns = 0; turns < 30; ++turns) {
        broker.async = async;
        broker.script = [=](const osb::Call& call) -> std::optional<osb::Answer> {
          return call.method == osb::Method::kProvision && status != 200 ? std::optional(answer_of(status))
                                                                         : std::nullopt;
        };
        apply_instance("{" + kSmall + "}");
        start();
        for (int i = 0; i < turns && engine->turn(); ++i) {
        }
        remove(kInstances, "mydb");
        finish();
        ASSERT_EQ(conditions(), "gone") << async << " " << status << " " << turns;
        ASSERT_TRUE(broker.instances.empty()) << async << " " << status << " " << turns;
      }
    }
  }
}

}  // namespace
}  // namespace chandler::reconcilers::testing
