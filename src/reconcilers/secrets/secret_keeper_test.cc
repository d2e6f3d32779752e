// Secrets that instances and bindings read; broker_reconciler_test.cc has those that brokers log in with.
#include "reconcilers/secrets/secret_keeper.h"

#include <gmock/gmock.h>

#include "reconcilers/reconciler_fixture.h"
#include "reconcilers/secrets/secret_protection.h"

namespace chandler::reconcilers::testing {
namespace {

using ::testing::UnorderedElementsAre;

const std::string kFrom = "parametersFrom: [{secretKeyRef: {name: given, key: json}}]";
const std::string kSmall = "clusterServiceClassExternalName: mysql, clusterServicePlanExternalName: small";

class ReadSecrets : public CatalogStory {
 protected:
  ReadSecrets() {
    register_catalog();
    apply_secret("given", "json", "{\"a\": \"s3cret\"}");
  }
  bool is_protected(std::string_view name, std::string_view ns = "dev") const {
    return has_finalizer(get(kSecrets, name, ns), kParameterSecretFinalizer);
  }
  std::string users(std::string_view name = "given") const {
    return annotation_of(get(kSecrets, name), kSecretUsersAnnotation);
  }
};

TEST_F(ReadSecrets, AreKeptUntilTheirInstanceIsGone) {
  apply_instance("{" + kSmall + ", " + kFrom + "}");
  settle();
  ASSERT_EQ(conditions(), "Ready=True:ProvisionedSuccessfully");
  EXPECT_TRUE(is_protected("given"));
  EXPECT_EQ(users(), "") << "nobody wants to be rid of it";
  remove(kSecrets, "given");
  settle();
  ASSERT_TRUE(get(kSecrets, "given"));
  EXPECT_EQ(users(), "ServiceInstance mydb");
  EXPECT_TRUE(has_event("SecretInUse", "ServiceInstance mydb"));
  expect_quiet();

  // Not before the broker has confirmed that the instance is gone.
  broker.async = true;
  broker.polls_needed = 2;
  remove(kInstances, "mydb");
  settle();
  ASSERT_EQ(conditions(), "Ready=False:Deprovisioning");
  EXPECT_TRUE(get(kSecrets, "given"));
  finish();
  EXPECT_EQ(conditions(), "gone");
  EXPECT_FALSE(get(kSecrets, "given"));
}

TEST_F(ReadSecrets, AreProtectedBeforeTheBrokerIsAsked) {
  apply_instance("{" + kSmall + ", " + kFrom + "}");
  start();
  while (broker.calls.empty()) engine->turn();
  EXPECT_TRUE(is_protected("given"));
}

TEST_F(ReadSecrets, AreProtectedAgainWhenSomebodyReplacesThem) {
  apply_instance("{" + kSmall + "}");
  apply_binding("{instanceRef: {name: mydb}, " + kFrom + "}");
  apply_instance("{" + kSmall + ", " + kFrom + "}", "other");
  finish();
  for (const auto& [kind, name] : {std::pair(kBindings, "b"), std::pair(kInstances, "other")}) {
    apply_secret("given", "json", "{\"a\": \"s3cret\"}");
    ASSERT_FALSE(is_protected("given"));
    broker.calls.clear();
    settle();
    EXPECT_TRUE(is_protected("given")) << name;
    EXPECT_TRUE(broker.calls.empty());
    if (kind == kBindings) remove(kind, name);  // the next round is the other one's
    finish();
  }
}

TEST_F(ReadSecrets, GoWhenNobodyNamesThemAnyMore) {
  apply_instance("{" + kSmall + ", " + kFrom + "}");
  settle();
  remove(kSecrets, "given");
  settle();
  ASSERT_TRUE(get(kSecrets, "given"));
  edit_spec(kInstances, "mydb", [](json::Object& spec) { spec.erase("parametersFrom"); });
  settle();
  EXPECT_FALSE(get(kSecrets, "given"));
  EXPECT_EQ(conditions(), "Ready=True:InstanceUpdatedSuccessfully");
}

TEST_F(ReadSecrets, OfBindingsAreKeptToo) {
  apply_secret("more", "extra", "s3cret-extra");
  apply_secret("elsewhere", "other", "s3cret-other", "ops");
  apply_instance("{" + kSmall + "}");
  apply_binding("{instanceRef: {name: mydb}, " + kFrom +
                ", secretTransform: [{addKeysFrom: {secretRef: {name: more, namespace: dev}}}, {addKeysFrom: "
                "{secretRef: {name: elsewhere, namespace: ops}}}]}");
  finish();
  ASSERT_EQ(binding_conditions(), "Ready=True:InjectedBindResult");
  EXPECT_TRUE(is_protected("given"));
  EXPECT_TRUE(is_protected("more"));
  EXPECT_FALSE(is_protected("elsewhere", "ops")) << "nobody holds up another namespace";
  EXPECT_FALSE(is_protected("b")) << "its own secret is its own to delete";
  for (const auto* name : {"given", "more"}) remove(kSecrets, name);
  settle();
  EXPECT_EQ(users("given"), "ServiceBinding b");
  EXPECT_EQ(users("more"), "ServiceBinding b");
  remove(kBindings, "b");
  finish();
  EXPECT_EQ(binding_conditions(), "gone");
  EXPECT_FALSE(get(kSecrets, "given"));
  EXPECT_FALSE(get(kSecrets, "more"));
}

TEST_F(ReadSecrets, AreNotHeldUpByWhoMayNotReadThem) {
  apply_instance("{" + kSmall + ", " + kFrom + "}");
  settle();
  objects.decision = client::Access::Decision::kDenied;
  apply_instance("{" + kSmall + ", " + kFrom + "}", "other");
  settle();
  EXPECT_EQ(conditions(kInstances, "other"), "Ready=False:ErrorWithParameters");
  EXPECT_NE(message(kInstances, "other").find("checked again every 60 s"), std::string::npos);
  remove(kSecrets, "given");
  settle();
  EXPECT_FALSE(get(kSecrets, "given"));
}

TEST_F(ReadSecrets, OfManyNameAFew) {
  for (int i = 0; i < 8; ++i) apply_instance("{" + kSmall + ", " + kFrom + "}", fmt::format("i{}", i));
  settle();
  remove(kSecrets, "given");
  settle();
  EXPECT_EQ(users(),
            "ServiceInstance i0, ServiceInstance i1, ServiceInstance i2, ServiceInstance i3, ServiceInstance i4 and "
            "others");
  objects.log.clear();
  remove(kInstances, "i7");
  finish();
  EXPECT_EQ(std::count(objects.log.begin(), objects.log.end(), "update secrets dev/given"), 0)
      << "not a write for each that goes";
}

TEST(NamedSecrets, AreThoseOfTheOwnNamespace) {
  controller::FakeApi api;
  const auto user = api.put(kBindings, R"(
kind: ServiceBinding
metadata: {name: b, namespace: dev}
spec:
  parametersFrom: [{secretKeyRef: {name: one, key: k}}, {secretKeyRef: {}}]
  secretTransforms:
    - {addKeysFrom: {secretRef: {name: two}}}
    - {addKeysFrom: {secretRef: {name: three, namespace: dev}}}
    - {addKeysFrom: {secretRef: {name: four, namespace: ops}}}
    - {renameKey: {from: a, to: b}})");
  EXPECT_THAT(named_secrets(user), UnorderedElementsAre("one", "two", "three"));
}

}  // namespace
}  // namespace chandler::reconcilers::testing
