// Objects that another service catalog has left: their status says less than ours does.
#include "reconcilers/instance/instance_story_fixture.h"

namespace chandler::reconcilers::testing {
namespace {

constexpr std::string_view kClusterSpec =
    "clusterServiceClassExternalName: mysql, clusterServicePlanExternalName: small, clusterServiceClassRef: {name: "
    "c1}, "
    "clusterServicePlanRef: {name: p1}";
constexpr std::string_view kNamespaceSpec =
    "serviceClassExternalName: mysql, servicePlanExternalName: small, serviceClassRef: {name: c1}, servicePlanRef: "
    "{name: p1}";

class TakenOver : public InstanceStory {
 protected:
  // `status` beside what every instance that was provisioned has.
  void take_over_instance(std::string_view spec, std::string_view status) {
    apply(kInstances,
          fmt::format("{{apiVersion: servicecatalog.k8s.io/v1beta1, kind: ServiceInstance, metadata: {{name: mydb}}, "
                      "spec: {{{}}}, status: {{deprovisionStatus: Required, asyncOpInProgress: false, "
                      "orphanMitigationInProgress: false, {}}}}}",
                      spec, status));
    broker.instances["id-mydb"] = {"c1", "p1", {}, {}};
  }
  void take_over_ready_instance() {
    take_over_instance(kClusterSpec,
                       "provisionStatus: Provisioned, reconciledGeneration: 1, observedGeneration: 1, conditions: "
                       "[{type: Ready, status: 'True', reason: ProvisionedSuccessfully}], externalProperties: "
                       "{clusterServicePlanExternalName: small, clusterServicePlanExternalID: p1}");
  }
  void take_over_binding(std::string_view status) {
    apply(kBindings,
          fmt::format("{{apiVersion: servicecatalog.k8s.io/v1beta1, kind: ServiceBinding, metadata: {{name: b}}, spec: "
                      "{{instanceRef: {{name: mydb}}}}, status: {{{}}}}}",
                      status));
    broker.instances["id-mydb"].bindings["id-b"] = json::Value();
  }
  std::string recorded(std::string_view properties) const { return instance(fmt::format("status.{}", properties)); }
};

TEST_F(TakenOver, AnInstanceIsLeftAloneAndItsRecordCompleted) {
  take_over_ready_instance();
  settle();
  EXPECT_EQ(broker.take_lines(), Lines());
  EXPECT_EQ(conditions(), "Ready=True:ProvisionedSuccessfully");
  EXPECT_EQ(recorded("externalProperties.clusterServiceBrokerName"), R"("azure")");
  EXPECT_EQ(recorded("externalProperties.clusterServiceClassExternalID"), R"("c1")");
  expect_quiet();

  // From now on neither class nor plan is needed.
  objects.remove(kClusterClasses, "", "c1");
  objects.remove(kClusterPlans, "", "p1");
  remove(kInstances, "mydb");
  finish();
  EXPECT_EQ(conditions(), "gone");
  EXPECT_TRUE(broker.instances.empty());
}

TEST_F(TakenOver, ThePlanThatIsOnRecordCounts) {
  take_over_instance(
      "clusterServiceClassExternalName: mysql, clusterServicePlanExternalName: large, clusterServiceClassRef: {name: "
      "c1}, clusterServicePlanRef: {name: p2}",
      "provisionStatus: Provisioned, externalProperties: {clusterServicePlanExternalName: small, "
      "clusterServicePlanExternalID: p1}");
  remove(kInstances, "mydb");
  finish();
  EXPECT_EQ(conditions(), "gone");
  EXPECT_NE(broker.recorded(osb::Method::kDeprovision).find("service=c1 plan=p1"), std::string::npos)
      << broker.recorded(osb::Method::kDeprovision);
}

TEST_F(TakenOver, ADeletionFallsBackToTheReferences) {
  const struct {
    std::string_view name, reason, spec, status;
  } rows[] = {
      {"nothing", "a request failed, and what it left is not on record", kClusterSpec,
       "provisionStatus: NotProvisioned"},
      {"under way", "the other catalog was about to deprovision", kClusterSpec,
       "currentOperation: Deprovision, inProgressProperties: {clusterServicePlanExternalName: small}"},
      {"given up", "the other catalog gives up in the end", kClusterSpec,
       "deprovisionStatus: Failed, externalProperties: {clusterServicePlanExternalID: p1}"},
      {"namespace", "the same in a namespace", kNamespaceSpec,
       "provisionStatus: Provisioned, externalProperties: {servicePlanExternalID: p1}"},
  };
  for (const auto& row : rows) {
    apply(kBrokers,
          "{apiVersion: servicecatalog.k8s.io/v1beta1, kind: ServiceBroker, metadata: {name: azure, namespace: dev}, "
          "spec: {url: \"https://azure.example.com\"}}");
    apply_class("c1", "externalName: mysql", Scope::kNamespace);
    apply_plan("p1", "externalName: small", Scope::kNamespace);
    take_over_instance(row.spec, row.status);
    remove(kInstances, "mydb");
    finish();
    EXPECT_EQ(conditions(), "gone") << row.name << ": " << row.reason << message();
    EXPECT_TRUE(broker.instances.empty()) << row.name;
    EXPECT_NE(broker.recorded(osb::Method::kDeprovision).find("service=c1 plan=p1"), std::string::npos) << row.name;
    broker.calls.clear();
  }
}

TEST_F(TakenOver, ADeletionWithoutReferencesSaysWhatIsMissing) {
  take_over_ready_instance();
  objects.remove(kClusterClasses, "", "c1");
  remove(kInstances, "mydb");
  settle();
  EXPECT_EQ(conditions(), "Ready=False:ReferencesNonexistentBroker");
  EXPECT_NE(message().find("Status does not say which broker"), std::string::npos) << message();
  apply_class("c1", "externalName: mysql");
  finish();
  EXPECT_EQ(conditions(), "gone") << "it goes on when the class is back";
}

TEST_F(TakenOver, WhatIsGivenUpIsOnRecordAlthoughItsBrokerIsNotKnown) {
  take_over_ready_instance();
  objects.remove(kClusterClasses, "", "c1");
  remove(kInstances, "mydb");
  settle();
  annotate(kInstances, "mydb", kAbandonAnnotation, "true");
  settle();
  EXPECT_EQ(conditions(), "gone");
  const auto records = objects.list(kConfigMaps, {});
  ASSERT_EQ(records.size(), 1u);
  EXPECT_EQ(text_at(member(records[0].value(), "data"), "instanceID"), "id-mydb");
  EXPECT_TRUE(has_event("Abandoned", "its broker, which is not known"));
}

TEST_F(TakenOver, ABindingIsEndedAtTheBrokerOfItsInstance) {
  for (const std::string_view status : {"unbindStatus: Required, reconciledGeneration: 1, externalProperties: {}",
                                        "unbindStatus: Failed, externalProperties: {}", "unbindStatus: Required",
                                        "unbindStatus: Required, currentOperation: Unbind, inProgressProperties: {}"}) {
    take_over_ready_instance();
    take_over_binding(status);
    remove(kBindings, "b");
    finish();
    EXPECT_EQ(binding_conditions(), "gone") << status << message(kBindings, "b");
    EXPECT_TRUE(broker.instances["id-mydb"].bindings.empty()) << status;
    EXPECT_NE(broker.recorded(osb::Method::kUnbind).find("Unbind id-mydb/id-b service=c1 plan=p1"), std::string::npos)
        << broker.recorded(osb::Method::kUnbind);
  }
}

}  // namespace
}  // namespace chandler::reconcilers::testing
