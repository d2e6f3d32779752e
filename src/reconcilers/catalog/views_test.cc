// Every path that views, and those who select by them, use must be one of the kind's.
#include "reconcilers/catalog/views.h"

#include <fmt/format.h>
#include <gtest/gtest.h>

#include "controller/fake_api.h"
#include "reconcilers/broker/broker_view.h"
#include "support/embedded_kinds.h"

namespace chandler::reconcilers {
namespace {

using ::chandler::testing::has_path;
using ::chandler::testing::is_selectable;

constexpr Scope kScopes[] = {Scope::kCluster, Scope::kNamespace};

TEST(Views, PathsOfOffersExist) {
  for (const auto scope : kScopes) {
    const auto& names = names_of(scope);
    for (const auto& kind : {names.classes, names.plans}) {
      for (const std::string_view path :
           {"spec.externalName", "spec.externalID", "spec.serviceType", "spec.description", "spec.bindable",
            "spec.externalMetadata", "spec.tags", "spec.planUpdatable", "spec.defaultProvisionParameters",
            "spec.defaultBindingParameters", "spec.defaultSecretTransform", "status.removedFromBrokerCatalog"}) {
        EXPECT_TRUE(has_path(kind, path)) << kind.plural << " " << path;
      }
      EXPECT_TRUE(has_path(kind, fmt::format("spec.{}", names.broker_name))) << kind.plural;
      EXPECT_TRUE(has_path(kind, fmt::format("spec.{}", names_of(Scope::kCluster).broker_name))) << kind.plural;
      EXPECT_TRUE(is_selectable(kind, fmt::format("spec.{}", names.broker_name))) << kind.plural;
      EXPECT_TRUE(is_selectable(kind, "spec.serviceType")) << kind.plural;
    }
  }
}

TEST(Views, PathsOfClassesExist) {
  for (const auto scope : kScopes) {
    for (const std::string_view path :
         {"spec.bindingRetrievable", "spec.instanceRetrievable", "spec.allowContextUpdates", "spec.requires",
          "status.planCounts.free", "status.planCounts.paid"}) {
      EXPECT_TRUE(has_path(names_of(scope).classes, path)) << path;
    }
  }
}

TEST(Views, PathsOfPlansExist) {
  for (const auto scope : kScopes) {
    const auto& names = names_of(scope);
    for (const std::string_view path :
         {"spec.free", "spec.bindingRotatable", "spec.maximumPollingDuration", "spec.maintenanceInfo.version",
          "spec.maintenanceInfo.description", "spec.instanceCreateParameterSchema",
          "spec.instanceUpdateParameterSchema", "spec.serviceBindingCreateParameterSchema", "spec.attributes",
          "status.acknowledgedDefaultFor", "status.conditions"}) {
      EXPECT_TRUE(has_path(names.plans, path)) << path;
    }
    EXPECT_TRUE(has_path(names.plans, fmt::format("spec.{}.name", names.class_ref)));
    EXPECT_TRUE(is_selectable(names.plans, fmt::format("spec.{}.name", names.class_ref)));
  }
}

TEST(Views, PathsOfBrokersExist) {
  for (const auto scope : kScopes) {
    for (const std::string_view path : {"spec.url",
                                        "spec.relistBehavior",
                                        "spec.relistDuration",
                                        "spec.catalogRestrictions.serviceClass",
                                        "spec.catalogRestrictions.servicePlan",
                                        "spec.authInfo.basic.secretRef.name",
                                        "spec.authInfo.bearer.secretRef.namespace",
                                        "spec.caBundle",
                                        "spec.insecureSkipTLSVerify",
                                        "status.conditions",
                                        "status.lastConditionState",
                                        "status.reconciledGeneration",
                                        "status.observedGeneration",
                                        "status.operationStartTime",
                                        "status.lastCatalogRetrievalTime",
                                        "status.catalogDoubtTime",
                                        "status.catalogETag",
                                        "status.catalogCounts.classes",
                                        "status.catalogCounts.plans",
                                        "status.problems",
                                        "status.retry.attempts",
                                        "status.retry.nextAttemptTime",
                                        "status.retry.lastError"}) {
      EXPECT_TRUE(has_path(names_of(scope).brokers, path)) << path;
    }
  }
}

TEST(Views, InstancesAndBindingsCanBeFoundByWhatTheyUse) {
  for (const auto scope : kScopes) {
    const auto& names = names_of(scope);
    for (const auto& field :
         {fmt::format("spec.{}.name", names.class_ref), fmt::format("spec.{}.name", names.plan_ref)}) {
      EXPECT_TRUE(is_selectable(kInstances, field)) << field;
    }
    for (const auto& field : {fmt::format("status.externalProperties.{}", names.broker_name),
                              fmt::format("status.inProgressProperties.{}", names.broker_name)}) {
      EXPECT_TRUE(is_selectable(kInstances, field)) << field;
      EXPECT_TRUE(is_selectable(kBindings, field)) << field;
    }
    for (const auto name : {names.class_external_name, names.class_external_id, names.class_name,
                            names.plan_external_name, names.plan_external_id, names.plan_name}) {
      EXPECT_TRUE(has_path(kInstances, fmt::format("spec.{}", name))) << name;
    }
  }
}

TEST(Views, AnOfferOfANamespaceMayBelongToABrokerOfTheCluster) {
  controller::FakeApi api;
  const auto offer = [&](std::string_view rest) {
    return OfferView(
        Scope::kNamespace,
        api.put(kPlans, fmt::format("{{kind: P, metadata: {{name: p, namespace: dev}}, spec: {{{}}}}}", rest)));
  };
  EXPECT_EQ(offer("clusterServiceBrokerName: azure").broker(), (BrokerRef{Scope::kCluster, "", "azure"}));
  EXPECT_EQ(offer("serviceBrokerName: local").broker(), (BrokerRef{Scope::kNamespace, "dev", "local"}));
  EXPECT_TRUE(offer("").broker().empty());
}

TEST(Views, ManagedIsWhatHasAControllerInTheCatalogOrAsksForOne) {
  controller::FakeApi api;
  struct Row {
    std::string_view reason, metadata;
    bool managed;
  };
  for (const auto& row :
       {Row{"user-made", "labels: {}", false},
        Row{"kept by relists",
            "ownerReferences: [{apiVersion: servicecatalog.k8s.io/v1beta1, kind: ClusterServiceBroker, "
            "name: b, uid: u, controller: true}]",
            true},
        Row{"an owner that does not control", "ownerReferences: [{apiVersion: servicecatalog.k8s.io/v1beta1, kind: X}]",
            false},
        Row{"of another group", "ownerReferences: [{apiVersion: apps/v1, kind: X, name: x, uid: u, controller: true}]",
            false},
        Row{"asks to be adopted", "annotations: {servicecatalog.kubernetes.io/adopt: 'true'}", true}}) {
    const OfferView offer(Scope::kCluster,
                          api.put(kClusterPlans, fmt::format("{{kind: P, metadata: {{name: p, {}}}}}", row.metadata)));
    EXPECT_EQ(offer.managed(), row.managed) << row.reason;
  }
}

}  // namespace
}  // namespace chandler::reconcilers
