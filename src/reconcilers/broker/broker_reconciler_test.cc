#include "reconcilers/broker/broker_reconciler.h"

#include <fmt/format.h>
#include <gmock/gmock.h>

#include "base/text.h"
#include "base/time_text.h"
#include "reconcilers/broker/catalog_world_fixture.h"
#include "reconcilers/secrets/secret_protection.h"

namespace chandler::reconcilers::testing {
namespace {

using std::chrono::hours;
using std::chrono::minutes;
using std::chrono::seconds;
using ::testing::ElementsAre;
using ::testing::HasSubstr;

class Broker : public CatalogWorld {
 protected:
  void begin(std::string_view spec = "url: 'https://azure.example.com'", Settings settings = {}) {
    api.put(kClusterBrokers, fmt::format(R"(
apiVersion: servicecatalog.k8s.io/v1beta1
kind: ClusterServiceBroker
metadata: {{name: azure, generation: 1}}
spec: {{{}}})",
                                         spec));
    start(settings);
  }
  std::string status(std::string_view part) const {
    return show(kClusterBrokers, "azure", fmt::format("status.{}", part));
  }
  void put_secret_first() {
    api.put(kSecrets,
            "{apiVersion: v1, kind: Secret, metadata: {name: login, namespace: ops}, data: {token: c2VjcmV0}}");
  }
  void put_secret(std::string_view key) {
    api.put(kSecrets, fmt::format("{{apiVersion: v1, kind: Secret, metadata: {{name: login, namespace: ops}}, "
                                  "data: {{{}: c2VjcmV0}}}}",
                                  key));
    settle();
  }
  // As an instance does that was answered 401.
  void raise_doubt() {
    edit(kClusterBrokers, "", "azure",
         [&](json::Object& root) { root["status"].as_object()["catalogDoubtTime"] = text(rfc3339(clock.now())); });
    settle();
  }
  void put_instance(std::string_view name, std::string_view rest) {
    api.put(kInstances,
            fmt::format("{{kind: ServiceInstance, metadata: {{name: {}, namespace: dev}}, {}}}", name, rest));
    settle();
  }
};

constexpr std::string_view kWithSecret =
    "url: 'https://azure.example.com', authInfo: {bearer: {secretRef: {namespace: ops, name: login}}}";

TEST_F(Broker, GetsAFinalizerBeforeAnythingElse) {
  begin();
  EXPECT_THAT(take_log(), ElementsAre("update clusterservicebrokers azure"));
  EXPECT_TRUE(has_finalizer(get(kClusterBrokers, "azure")));
}

TEST_F(Broker, IsReadAgainAfterTheIntervalOfTheSettings) {
  begin();
  answer(kCatalog);
  advance(hours(23));
  EXPECT_TRUE(sender.sent.empty());
  advance(hours(2));
  EXPECT_EQ(sender.sent.size(), 1u);
}

TEST_F(Broker, IsReadAgainAfterItsOwnInterval) {
  begin("url: x, relistDuration: 15m0s");
  answer(kCatalog);
  advance(minutes(14));
  EXPECT_TRUE(sender.sent.empty());
  advance(minutes(2));
  EXPECT_EQ(sender.sent.size(), 1u);
}

TEST_F(Broker, WithManualRelistIsReadOnlyWhenTheSpecChanges) {
  begin("url: x, relistBehavior: Manual");
  answer(kCatalog);
  advance(hours(1000));
  EXPECT_TRUE(sender.sent.empty());
  request_relist(kClusterBrokers, "", "azure");
  EXPECT_EQ(sender.sent.size(), 1u);
}

TEST_F(Broker, IsReadAtOnceWhenItsCallsAreRefused) {
  begin();
  answer(kCatalog);
  advance(hours(1));
  raise_doubt();
  ASSERT_EQ(sender.sent.size(), 1u);
  answer_status(401);
  EXPECT_EQ(ready(kClusterBrokers, "azure"), "False ErrorFetchingCatalog") << "what instances heard, everybody sees";
  EXPECT_EQ(status("catalogDoubtTime"), "null");
  EXPECT_TRUE(has_event("the broker answered 401; check the credentials"));
  advance(minutes(1));
  answer(kCatalog);
  EXPECT_EQ(ready(kClusterBrokers, "azure"), "True FetchedCatalog");
  raise_doubt();
  ASSERT_EQ(sender.sent.size(), 1u);
  answer_status(412);
  EXPECT_EQ(status("osbAPIVersion"), R"("2.16")");
  answer(kCatalog);
  EXPECT_EQ(status("catalogDoubtTime"), "null");
  advance(hours(1));
  EXPECT_TRUE(sender.sent.empty()) << "once is enough";
}

TEST_F(Broker, WithManualRelistIsOnlyTriedWhenItsCallsAreRefused) {
  begin("url: x, relistBehavior: Manual");
  answer(kCatalog);
  raise_doubt();
  ASSERT_EQ(sender.sent.size(), 1u);
  take_log();
  answer("services: []");
  EXPECT_THAT(take_log(), ElementsAre("status clusterservicebrokers azure"));
  EXPECT_EQ(status("catalogCounts.plans"), "2") << "what is offered changes when the operator says";
  EXPECT_EQ(status("catalogDoubtTime"), "null");
  raise_doubt();
  answer_status(401);
  EXPECT_EQ(ready(kClusterBrokers, "azure"), "False ErrorFetchingCatalog");
}

TEST_F(Broker, AFeatureThatIsSwitchedNeedsTheWholeCatalog) {
  begin();
  answer(kCatalog, "\"v1\"");
  Settings settings;
  settings.service_types = false;
  start(settings);
  advance(hours(25));
  ASSERT_EQ(sender.sent.size(), 1u);
  EXPECT_EQ(sender.sent[0].call.etag, "") << "the broker would answer that nothing has changed";
  answer(kCatalog, "\"v1\"");
  advance(hours(25));
  ASSERT_EQ(sender.sent.size(), 1u);
  EXPECT_EQ(sender.sent[0].call.etag, "\"v1\"");
}

TEST_F(Broker, AnUnchangedCatalogMovesTheTimeAndNothingElse) {
  begin();
  answer(kCatalog, "\"v1\"");
  take_log();
  advance(hours(25));
  ASSERT_EQ(sender.sent.size(), 1u);
  EXPECT_EQ(sender.sent[0].call.etag, "\"v1\"");
  answer_status(304);
  EXPECT_THAT(take_log(), ElementsAre("status clusterservicebrokers azure"));
  EXPECT_EQ(status("lastCatalogRetrievalTime"), chandler::quoted(rfc3339(clock.now())));
  EXPECT_EQ(ready(kClusterBrokers, "azure"), "True FetchedCatalog");
  // Another spec, other restrictions: the tag means nothing then.
  request_relist(kClusterBrokers, "", "azure");
  ASSERT_EQ(sender.sent.size(), 1u);
  EXPECT_EQ(sender.sent[0].call.etag, "");
}

TEST_F(Broker, FailuresAreShownAndRepeatedWithBackOff) {
  begin();
  answer_status(500);
  EXPECT_EQ(ready(kClusterBrokers, "azure"), "False ErrorFetchingCatalog");
  EXPECT_EQ(status("retry.attempts"), "1");
  EXPECT_EQ(status("observedGeneration"), "1");
  EXPECT_EQ(status("reconciledGeneration"), "null");
  EXPECT_EQ(status("operationStartTime"), chandler::quoted(rfc3339(clock.now())));
  EXPECT_TRUE(has_event("Warning ErrorFetchingCatalog"));
  EXPECT_TRUE(sender.sent.empty());
  advance(seconds(1));
  ASSERT_EQ(sender.sent.size(), 1u);
  answer_status(500);
  EXPECT_EQ(status("retry.attempts"), "2");
  advance(seconds(2));
  answer(kCatalog);
  EXPECT_EQ(ready(kClusterBrokers, "azure"), "True FetchedCatalog");
  EXPECT_EQ(status("retry"), "null");
  EXPECT_EQ(status("operationStartTime"), "null");
}

TEST_F(Broker, AChangedSpecDoesNotWaitForTheBackOff) {
  begin();
  for (int i = 0; i < 3; ++i) {  // few enough for the breaker of the engine
    answer_status(500);
    advance(minutes(1));
  }
  answer_status(500);
  EXPECT_EQ(status("retry.attempts"), "4");
  EXPECT_TRUE(sender.sent.empty());
  request_relist(kClusterBrokers, "", "azure");
  ASSERT_EQ(sender.sent.size(), 1u);
  answer_status(500);
  EXPECT_EQ(status("retry.attempts"), "1");
}

TEST_F(Broker, AnAnswerToAnOlderSpecIsDropped) {
  begin();
  request_relist(kClusterBrokers, "", "azure");
  answer(kCatalog);
  EXPECT_EQ(ready(kClusterBrokers, "azure"), "none");
  ASSERT_EQ(sender.sent.size(), 1u);
  answer(kCatalog);
  EXPECT_EQ(ready(kClusterBrokers, "azure"), "True FetchedCatalog");
  EXPECT_EQ(status("reconciledGeneration"), "2");
}

TEST_F(Broker, LongFailureIsCalledFailedAndStillTriedFurther) {
  Settings settings;
  settings.reconciliation_retry_duration = seconds(60);
  begin("url: x", settings);
  answer_status(500);
  advance(minutes(2));
  answer_status(500);
  const auto broker = get(kClusterBrokers, "azure");
  EXPECT_TRUE(condition_true(status_of(broker), kFailed));
  EXPECT_EQ(condition_reason(status_of(broker), kFailed), "ErrorReconciliationRetryTimeout");
  EXPECT_EQ(status("lastConditionState"), R"("Failed")");
  advance(minutes(30));
  answer(kCatalog);
  EXPECT_EQ(condition(status_of(get(kClusterBrokers, "azure")), kFailed), nullptr);
  EXPECT_EQ(ready(kClusterBrokers, "azure"), "True FetchedCatalog");
}

TEST_F(Broker, RefusedCredentialsAreTriedAgainWithinAMinute) {
  begin();
  for (int i = 0; i < 12; ++i) {
    answer_status(401);
    ASSERT_TRUE(sender.sent.empty());
    advance(seconds(61));
    ASSERT_EQ(sender.sent.size(), 1u) << i;
  }
}

TEST_F(Broker, AVersionThatIsRefusedIsFollowedByTheNextLowerOne) {
  begin();
  ASSERT_EQ(sender.sent.at(0).endpoint.api_version, "2.17");
  answer_status(412);
  ASSERT_EQ(sender.sent.size(), 1u) << "at once";
  EXPECT_EQ(sender.sent[0].endpoint.api_version, "2.16");
  EXPECT_TRUE(has_event("Warning APIVersionRefused"));
  answer(kCatalog);
  EXPECT_EQ(ready(kClusterBrokers, "azure"), "True FetchedCatalog");
  EXPECT_EQ(status("osbAPIVersion"), R"("2.16")");
  request_relist(kClusterBrokers, "", "azure");
  ASSERT_EQ(sender.sent.size(), 1u);
  EXPECT_EQ(sender.sent[0].endpoint.api_version, "2.16") << "it is remembered";
}

TEST_F(Broker, ThatRefusesEveryVersionSaysSo) {
  begin();
  for (const std::string version : {"2.17", "2.16", "2.15", "2.14", "2.13"}) {
    ASSERT_EQ(sender.sent.size(), 1u) << version;
    EXPECT_EQ(sender.sent[0].endpoint.api_version, version);
    answer_status(412);
  }
  EXPECT_TRUE(sender.sent.empty());
  EXPECT_EQ(ready(kClusterBrokers, "azure"), "False ErrorFetchingCatalog");
  EXPECT_THAT(status("conditions"), HasSubstr("every version from 2.17 down to 2.13"));
  EXPECT_EQ(status("retry.attempts"), "1");
  advance(seconds(2));
  ASSERT_EQ(sender.sent.size(), 1u);
  EXPECT_EQ(sender.sent[0].endpoint.api_version, "2.17") << "it may be another broker by now";
}

TEST_F(Broker, WhatTheApiRefusesToStoreIsNamedAndTheRestIsServed) {
  fault = [](const client::Write& write) -> std::optional<Error> {
    if (write.name != "plan-2") return std::nullopt;
    return forbidden({"servicecatalog.k8s.io", "clusterserviceplans", "plan-2", ""}, "not on a Sunday");
  };
  begin();
  answer(kCatalog, "\"v1\"");
  advance(seconds(1));
  EXPECT_EQ(ready(kClusterBrokers, "azure"), "True FetchedCatalog");
  EXPECT_THAT(status("conditions"), HasSubstr(R"(1 class and 1 plan are offered; ClusterServicePlan \"plan-2\")"));
  EXPECT_THAT(status("conditions"), HasSubstr("not on a Sunday"));
  EXPECT_THAT(status("problems"), HasSubstr("plan-2"));
  EXPECT_TRUE(has_event("Warning ErrorSyncingCatalog: parts of the catalog have faults: ClusterServicePlan"));
  EXPECT_TRUE(get(kClusterPlans, "plan-1"));
  EXPECT_TRUE(get(kClusterClasses, "class-1"));
  EXPECT_FALSE(get(kClusterPlans, "plan-2"));
  EXPECT_EQ(status("catalogETag"), "null") << "what is stored is not what the tag stands for";

  // Repaired: the next relist stores it.
  fault = nullptr;
  request_relist(kClusterBrokers, "", "azure");
  answer(kCatalog, "\"v1\"");
  EXPECT_TRUE(get(kClusterPlans, "plan-2"));
  EXPECT_EQ(status("problems"), "null");
}

TEST_F(Broker, AClassThatTheApiRefusesToChangeStaysAsItIs) {
  begin();
  answer(kCatalog);
  fault = [](const client::Write& write) -> std::optional<Error> {
    if (write.name != "class-1") return std::nullopt;
    return forbidden({"servicecatalog.k8s.io", "clusterserviceclasses", "class-1", ""}, "it is frozen");
  };
  request_relist(kClusterBrokers, "", "azure");
  auto changed = std::string(kCatalog);
  changed.replace(changed.find("A database"), 10, "B database");
  answer(changed);
  advance(seconds(1));
  EXPECT_EQ(ready(kClusterBrokers, "azure"), "True FetchedCatalog");
  EXPECT_THAT(status("conditions"), HasSubstr("it is frozen"));
  EXPECT_EQ(show(kClusterClasses, "class-1", "spec.description"), R"("A database")");
  EXPECT_NE(show(kClusterClasses, "class-1", "status.removedFromBrokerCatalog"), "true");
}

TEST_F(Broker, ABodyThatIsNoCatalogIsAnErrorOfTheCatalog) {
  begin();
  answer("{nothing: here}");
  EXPECT_EQ(ready(kClusterBrokers, "azure"), "False ErrorSyncingCatalog");
  EXPECT_EQ(status("retry.attempts"), "1");
}

TEST_F(Broker, WaitsForItsSecretAndProtectsIt) {
  begin(kWithSecret);
  EXPECT_EQ(ready(kClusterBrokers, "azure"), "False ErrorFetchingCatalog");
  EXPECT_TRUE(has_event("Warning ErrorGettingAuthCredentials"));
  EXPECT_THAT(status("conditions"), HasSubstr("ops/login"));
  EXPECT_TRUE(sender.sent.empty());
  take_log();
  put_secret("wrong");
  EXPECT_THAT(status("conditions"), HasSubstr("token"));
  put_secret("token");
  ASSERT_EQ(sender.sent.size(), 1u) << "it calls as soon as it can";
  EXPECT_EQ(sender.sent[0].endpoint.authorization, "Bearer secret");
  EXPECT_TRUE(has_finalizer(get(kSecrets, "login", "ops"), kSecretFinalizer));
  answer(kCatalog);

  // Deleting the secret waits for the broker, and says so.
  set_deleting(kSecrets, "ops", "login");
  ASSERT_TRUE(get(kSecrets, "login", "ops"));
  EXPECT_EQ(annotation_of(get(kSecrets, "login", "ops"), kSecretUsersAnnotation), "ClusterServiceBroker azure");
  EXPECT_TRUE(has_event("Warning SecretInUse"));
  set_deleting(kClusterBrokers, "", "azure");
  EXPECT_FALSE(get(kClusterBrokers, "azure"));
  EXPECT_FALSE(get(kSecrets, "login", "ops"));
}

TEST_F(Broker, LetsGoOfASecretItNoLongerUses) {
  put_secret_first();
  begin(kWithSecret);
  ASSERT_TRUE(has_finalizer(get(kSecrets, "login", "ops"), kSecretFinalizer));
  edit(kClusterBrokers, "", "azure", [](json::Object& root) { root["spec"].as_object().erase("authInfo"); });
  settle();
  EXPECT_FALSE(has_finalizer(get(kSecrets, "login", "ops"), kSecretFinalizer));
}

TEST_F(Broker, DeletionWaitsForInstancesAndNamesThem) {
  begin();
  answer(kCatalog);
  put_instance("by-class", "spec: {clusterServiceClassRef: {name: class-1}}");
  put_instance("by-call", "status: {externalProperties: {clusterServiceBrokerName: azure}}");
  put_instance("by-intent", "status: {inProgressProperties: {clusterServiceBrokerName: azure}}");
  put_instance("of-another", "spec: {clusterServiceClassRef: {name: class-9}}");
  api.put(kClusterClasses, R"(
apiVersion: servicecatalog.k8s.io/v1beta1
kind: ClusterServiceClass
metadata: {name: mine}
spec: {clusterServiceBrokerName: azure, externalID: class-1, externalName: mine, description: mine})");
  set_deleting(kClusterBrokers, "", "azure");
  EXPECT_EQ(ready(kClusterBrokers, "azure"), "False DeletionBlockedByInstances");
  EXPECT_THAT(status("conditions"), HasSubstr("dev/by-call, dev/by-class, dev/by-intent;"));
  EXPECT_TRUE(has_event("Warning DeletionBlockedByInstances"));
  api.remove(kInstances, "dev", "by-class");
  api.remove(kInstances, "dev", "by-intent");
  settle();
  EXPECT_THAT(status("conditions"), HasSubstr("1 ServiceInstance: dev/by-call;"));
  take_log();
  api.remove(kInstances, "dev", "by-call");
  settle();
  EXPECT_THAT(take_log(), ElementsAre("delete clusterserviceplans plan-1", "delete clusterserviceplans plan-2",
                                      "delete clusterserviceclasses class-1", "status clusterserviceclasses mine",
                                      "update clusterservicebrokers azure"));
  EXPECT_FALSE(get(kClusterBrokers, "azure"));
  EXPECT_EQ(show(kClusterClasses, "mine", "status.removedFromBrokerCatalog"), "true");
  EXPECT_TRUE(has_event("Normal DeletedClusterServiceBrokerSuccessfully"));

  // A broker of the same name brings it back.
  api.put(kClusterBrokers, kClusterBroker);
  settle();
  answer(kCatalog);
  EXPECT_EQ(show(kClusterClasses, "mine", "status.removedFromBrokerCatalog"), "false");
}

TEST_F(Broker, DeletionWaitsForBindingsThatAnAbandonedInstanceLeft) {
  begin();
  answer(kCatalog);
  put_instance("db", "spec: {clusterServiceClassRef: {name: class-1}}");
  api.put(
      kBindings,
      "{kind: ServiceBinding, metadata: {name: b, namespace: dev, finalizers: [kubernetes-incubator/service-catalog]}, "
      "spec: {instanceRef: {name: db}}, status: {unbindStatus: Required, externalProperties: "
      "{clusterServiceBrokerName: azure, clusterServiceClassExternalID: class-1, instanceExternalID: x}}}");
  set_deleting(kClusterBrokers, "", "azure");
  EXPECT_EQ(ready(kClusterBrokers, "azure"), "False DeletionBlockedByInstances");
  api.remove(kInstances, "dev", "db");
  settle();
  EXPECT_THAT(show(kClusterBrokers, "azure", "status.conditions"), HasSubstr("still used by 1 ServiceBinding: dev/b;"))
      << "only the broker can end it";
  api.remove(kBindings, "dev", "b");
  settle();
  EXPECT_FALSE(get(kClusterBrokers, "azure"));
}

TEST_F(Broker, DeletionNeedsNeitherBrokerNorSecret) {
  begin(kWithSecret);
  ASSERT_EQ(ready(kClusterBrokers, "azure"), "False ErrorFetchingCatalog");
  set_deleting(kClusterBrokers, "", "azure");
  EXPECT_FALSE(get(kClusterBrokers, "azure"));
  EXPECT_TRUE(sender.sent.empty());
}

TEST_F(Broker, OfANamespaceEndsTheSameWay) {
  api.put(kBrokers, R"(
apiVersion: servicecatalog.k8s.io/v1beta1
kind: ServiceBroker
metadata: {name: local, namespace: dev, generation: 1}
spec: {url: "https://local.example.com"})");
  start();
  answer(kCatalog);
  put_instance("db", "spec: {serviceClassRef: {name: class-1}}");
  set_deleting(kBrokers, "dev", "local");
  EXPECT_EQ(ready(kBrokers, "local", "dev"), "False DeletionBlockedByInstances");
  api.remove(kInstances, "dev", "db");
  settle();
  EXPECT_FALSE(get(kBrokers, "local", "dev"));
  EXPECT_TRUE(api.list(kClasses, {}).empty());
  EXPECT_TRUE(api.list(kPlans, {}).empty());
  EXPECT_TRUE(has_event("Normal DeletedSuccessfully"));
}

}  // namespace
}  // namespace chandler::reconcilers::testing
