// A broker that ends while instances begin: both reconcilers in one engine, and writes that take their time.
#include "reconcilers/broker/broker_deletion.h"

#include <gmock/gmock.h>

#include "reconcilers/broker/broker_reconciler.h"
#include "reconcilers/instance/instance_story_fixture.h"

namespace chandler::reconcilers::testing {
namespace {

using ::testing::HasSubstr;
using ::testing::IsEmpty;

class BrokerDeletion : public InstanceStory {
 protected:
  void SetUp() override { begin(); }

  void begin() {
    register_catalog();
    // Its catalog has been read, and nobody asks for another.
    apply(kClusterBrokers, R"(
apiVersion: servicecatalog.k8s.io/v1beta1
kind: ClusterServiceBroker
metadata: {name: azure, finalizers: [kubernetes-incubator/service-catalog]}
spec: {url: "https://azure.example.com", relistBehavior: Manual}
status:
  reconciledGeneration: 1
  lastCatalogRetrievalTime: 2026-01-01T00:00:00Z
  conditions: [{type: Ready, status: "True", reason: FetchedCatalog, message: "", lastTransitionTime: 2026-01-01T00:00:00Z}])");
    metrics = std::make_unique<::chandler::metrics::Registry>();
    engine = std::make_unique<controller::Engine>(api, broker, clock, *metrics, controller::EngineOptions{});
    engine->add(std::make_unique<BrokerReconciler>(settings));
    engine->add(std::make_unique<InstanceReconciler>(settings));
    engine->add(std::make_unique<BindingReconciler>(settings));
    engine->start();
    settle();
    objects.log.clear();
  }
  // An instance has been decided on, and its intent is on its way while the broker is deleted.
  void cross() {
    objects.hold_writes = true;
    apply_instance("{" + kSmall + "}");
    settle();
    ASSERT_EQ(objects.held.size(), 1u) << "the intent";
    delete_broker();
    ASSERT_EQ(objects.held.size(), 1u) << "the broker waits for it";
  }
  void delete_broker() {
    edit(
        kClusterBrokers, "azure",
        [](json::Object& root) { object_in(root, "metadata")["deletionTimestamp"] = "2026-01-01T00:00:00Z"; }, "");
    settle();
  }
  void let_go() {
    objects.hold_writes = false;
    objects.release();
    finish();
  }
  std::string broker_message() const {
    const auto object = get(kClusterBrokers, "azure", "");
    const auto* ready = object ? condition(status_of(object), kReady) : nullptr;
    return ready == nullptr ? "gone" : text_at(*ready, "reason") + ": " + text_at(*ready, "message");
  }
  void expect_that_both_can_go() {
    EXPECT_THAT(broker_message(), HasSubstr("DeletionBlockedByInstances: still used by 1 ServiceInstance: dev/mydb;"));
    EXPECT_EQ(broker.instances.size(), 1u);
    EXPECT_EQ(conditions(), "Ready=True:ProvisionedSuccessfully");
    remove(kInstances, "mydb");
    finish();
    EXPECT_EQ(conditions(), "gone");
    EXPECT_THAT(broker.instances, IsEmpty());
    EXPECT_EQ(broker_message(), "gone");
  }
};

TEST_F(BrokerDeletion, WaitsForAnIntentThatIsOnItsWay) {
  for (const bool both_at_once : {false, true}) {
    SCOPED_TRACE(both_at_once);
    objects.both_at_once = both_at_once;
    begin();
    cross();
    let_go();
    expect_that_both_can_go();
  }
}

TEST_F(BrokerDeletion, SeesAnIntentWhoseClassIsNotInTheSpecYet) {
  objects.both_at_once = false;
  cross();
  objects.release(1);
  objects.fail_before = [](const client::Write& write) -> std::optional<Error> {
    if (write.kind != kInstances || write.verb != client::Write::Verb::kUpdate) return std::nullopt;
    return unavailable("the connection broke");
  };
  objects.hold_writes = false;
  settle();
  ASSERT_EQ(instance("spec.clusterServiceClassRef"), "null");
  EXPECT_THAT(broker_message(), HasSubstr("dev/mydb"));
  objects.fail_before = nullptr;
  finish();
  expect_that_both_can_go();
}

TEST_F(BrokerDeletion, WaitsForABindingWhoseInstanceWasAbandonedMeanwhile) {
  provision();
  apply_binding();
  finish();
  ASSERT_EQ(binding_conditions(), "Ready=True:InjectedBindResult");
  delete_broker();
  ASSERT_THAT(broker_message(), HasSubstr("1 ServiceInstance: dev/mydb;"));
  objects.hold_writes = true;
  objects.remove(kSecrets, "dev", "b");
  settle();
  ASSERT_EQ(objects.held.size(), 1u) << "the intent to fetch the credentials once more";
  objects.remove(kInstances, "dev", "mydb");
  let_go();
  EXPECT_THAT(broker_message(), HasSubstr("DeletionBlockedByInstances: still used by 1 ServiceBinding: dev/b;"));
  EXPECT_EQ(binding_conditions(), "Ready=True:InjectedBindResult") << "the broker was there to be asked";
  remove(kBindings, "b");
  finish();
  EXPECT_EQ(binding_conditions(), "gone");
  EXPECT_THAT(broker.recorded(osb::Method::kUnbind), HasSubstr("Unbind id-mydb/id-b"));
  EXPECT_EQ(broker_message(), "gone");
}

TEST_F(BrokerDeletion, AsksAnewAfterALateInstance) {
  cross();
  let_go();
  ASSERT_EQ(conditions(), "Ready=True:ProvisionedSuccessfully") << "decided on before";
  objects.hold_writes = true;
  apply_binding();
  settle();
  ASSERT_EQ(objects.held.size(), 1u) << "the intent to bind";
  objects.remove(kInstances, "dev", "mydb");
  settle();
  EXPECT_TRUE(get(kClusterBrokers, "azure", "")) << "the binding's write is under way";
  let_go();
  EXPECT_THAT(broker_message(), HasSubstr("1 ServiceBinding: dev/b;"));
}

TEST_F(BrokerDeletion, GoesWhenTheIntentWasNotStored) {
  cross();
  bool is_first = true;
  objects.fail_before = [&](const client::Write&) -> std::optional<Error> {
    return std::exchange(is_first, false) ? std::optional(unavailable("the connection broke")) : std::nullopt;
  };
  let_go();
  EXPECT_EQ(broker_message(), "gone");
  EXPECT_EQ(conditions(), "Ready=False:ReferencesDeletedServiceClass");
  EXPECT_THAT(broker.calls, IsEmpty());
  remove(kInstances, "mydb");
  finish();
  EXPECT_EQ(conditions(), "gone") << "nothing was asked of anybody, so nothing has to be given up";
}

}  // namespace
}  // namespace chandler::reconcilers::testing
