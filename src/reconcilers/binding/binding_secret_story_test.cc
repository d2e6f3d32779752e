// The secrets of bindings: when they are written, what becomes of them in other hands, what stands in them.
#include "reconcilers/binding/binding_story_fixture.h"
#include "resolve/provided_record.h"

namespace chandler::reconcilers::testing {
namespace {

using BindingSecretStory = BindingStory;

TEST_F(BindingSecretStory, TheSecretIsThereBeforeTheStatusSaysSo) {
  provision();
  apply_binding();
  objects.log.clear();
  settle();
  size_t secret = 0, ready = 0;
  for (size_t i = 0; i < objects.log.size(); ++i) {
    if (objects.log[i] == "create secrets dev/b") secret = i;
    if (objects.log[i] == "status servicebindings dev/b") ready = i;
  }
  EXPECT_GT(secret, 0u);
  EXPECT_LT(secret, ready);
}

TEST_F(BindingSecretStory, ASecretThatTheApiRefusesIsToldAndTriedAgain) {
  provision();
  bool refuses = true;
  objects.fail_before = [&](const client::Write& write) -> std::optional<Error> {
    if (!refuses || write.kind != kSecrets) return std::nullopt;
    return forbidden({"", "secrets", "b", ""}, "no more secrets here");
  };
  apply_binding();
  settle();
  advance(std::chrono::milliseconds(100));  // a write that was refused is not repeated at once
  EXPECT_EQ(binding_conditions(), "Ready=False:ErrorInjectingBindResult");
  EXPECT_NE(message(kBindings, "b").find("no more secrets here"), std::string::npos) << message(kBindings, "b");
  refuses = false;
  finish();
  EXPECT_EQ(binding_conditions(), "Ready=True:InjectedBindResult");
  EXPECT_EQ(bindings_at_broker(), 1u);
}

TEST_F(BindingSecretStory, AForeignSecretIsNeverTouched) {
  provision();
  apply_secret("b", "theirs", "x");
  apply_binding();
  settle();
  EXPECT_EQ(binding_conditions(), "Ready=False:ErrorInjectingBindResult");
  EXPECT_EQ(bindings_at_broker(), 0u) << "not asked for what would find no place";
  expect_quiet();
  remove(kBindings, "b");
  settle();
  EXPECT_EQ(binding_conditions(), "gone");
  EXPECT_EQ(secret_value("b", "theirs"), "x");

  apply_binding();
  settle();
  objects.remove(kSecrets, "dev", "b");
  settle();
  EXPECT_EQ(binding_conditions(), "Ready=True:InjectedBindResult") << "at once";
}

TEST_F(BindingSecretStory, AForeignSecretInPlaceOfOurs) {
  bind();
  objects.remove(kSecrets, "dev", "b");
  apply_secret("b", "theirs", "x");
  settle();
  EXPECT_EQ(binding_conditions(), "Ready=False:ErrorInjectingBindResult");
  remove(kBindings, "b");
  settle();
  EXPECT_EQ(binding_conditions(), "gone");
  EXPECT_EQ(secret_value("b", "theirs"), "x");
  EXPECT_EQ(bindings_at_broker(), 0u);
}

TEST_F(BindingSecretStory, ASecretIsRestored) {
  for (const bool retrievable : {false, true}) {
    if (retrievable) apply_class("c1", "externalName: mysql, bindingRetrievable: true");
    if (!get(kBindings, "b")) bind();
    broker.calls.clear();
    objects.remove(kSecrets, "dev", "b");
    settle();
    EXPECT_EQ(secret_value("b", "password"), "s3cret");
    EXPECT_EQ(binding_conditions(), "Ready=True:InjectedBindResult");
    EXPECT_EQ(broker.take_lines(), Lines{retrievable ? "GetBinding id-mydb/id-b" : "Bind id-mydb/id-b"});
    edit(kSecrets, "b", [](json::Object& root) { object_in(root, "data")["password"] = "eHg="; });
    settle();
    EXPECT_EQ(secret_value("b", "password"), "s3cret");
    EXPECT_EQ(bindings_at_broker(), 1u);
    expect_quiet();
  }
}

TEST_F(BindingSecretStory, WithoutItsBrokerNothingIsBegunAndWhatWasBegunEnds) {
  const auto broker_object = get(kClusterBrokers, "azure", "").value();
  for (const bool has_begun : {false, true}) {
    SCOPED_TRACE(has_begun);
    if (!get(kBindings, "b")) bind();
    broker.calls.clear();
    objects.hold_writes = has_begun;
    if (!has_begun) objects.remove(kClusterBrokers, "", "azure");
    objects.remove(kSecrets, "dev", "b");
    settle();
    if (has_begun) {  // the intent was decided on before the broker went
      ASSERT_EQ(objects.held.size(), 1u);
      objects.remove(kClusterBrokers, "", "azure");
      objects.hold_writes = false;
      objects.release();
      settle();
    }
    EXPECT_EQ(binding_conditions(), "Ready=False:ReferencesNonexistentBroker");
    EXPECT_EQ(binding("status.currentOperation"), "null") << "nobody could end it";
    EXPECT_EQ(binding("status.inProgressProperties"), "null");
    EXPECT_EQ(binding("status.unbindStatus"), "\"Required\"");
    EXPECT_EQ(broker.take_lines(), Lines());
    expect_quiet();
    objects.put(kClusterBrokers, json::write(broker_object));
    settle();
    EXPECT_EQ(secret_value("b", "password"), "s3cret");
    EXPECT_EQ(binding_conditions(), "Ready=True:InjectedBindResult");
    EXPECT_EQ(bindings_at_broker(), 1u);
  }
}

TEST_F(BindingSecretStory, ASecretThatIsPutRightWithoutTheBrokerWillDo) {
  bind();
  const auto good = get(kSecrets, "b").value();
  objects.remove(kClusterBrokers, "", "azure");
  edit(kSecrets, "b", [](json::Object& root) { object_in(root, "data")["password"] = "eHg="; });
  settle();
  ASSERT_EQ(binding_conditions(), "Ready=False:ReferencesNonexistentBroker");
  objects.put(kSecrets, json::write(good));
  settle();
  EXPECT_EQ(binding_conditions(), "Ready=True:InjectedBindResult");
  EXPECT_EQ(broker.take_lines(), Lines());
  expect_quiet();
}

TEST_F(BindingSecretStory, ASecretIsNotRestoredInANamespaceThatIsBeingEmptied) {
  bind();
  objects.put(kNamespaces,
              "{apiVersion: v1, kind: Namespace, metadata: {name: dev, uid: uid-dev, deletionTimestamp: "
              "\"2026-01-01T00:00:00Z\"}}");
  objects.remove(kSecrets, "dev", "b");
  settle();
  EXPECT_EQ(broker.take_lines(), Lines());
  EXPECT_FALSE(get(kSecrets, "b"));
  remove(kBindings, "b");
  finish();
  EXPECT_EQ(binding_conditions(), "gone");
}

TEST_F(BindingSecretStory, CredentialsThatABrokerGivesOnlyOnceAreMadeAnew) {
  bind();
  bool refuse = true;
  broker.script = [&](const osb::Call& call) -> std::optional<osb::Answer> {
    if (call.method == osb::Method::kUnbind) refuse = false;
    return call.method == osb::Method::kBind && refuse ? std::optional(answer_of(409)) : std::nullopt;
  };
  objects.remove(kSecrets, "dev", "b");
  finish();
  EXPECT_EQ(binding_conditions(), "Ready=True:InjectedBindResult");
  EXPECT_EQ(broker.take_lines(), (Lines{"Bind id-mydb/id-b", "Unbind id-mydb/id-b", "Bind id-mydb/id-b"}));
  EXPECT_EQ(secret_value("b", "password"), "s3cret");
}

TEST_F(BindingSecretStory, ABrokerInTroubleDoesNotEndWhatIsBound) {
  bind();
  int failures = 2;
  broker.script = [&](const osb::Call& call) -> std::optional<osb::Answer> {
    if (call.method != osb::Method::kBind || failures == 0) return std::nullopt;
    --failures;
    return answer_of(500);
  };
  objects.remove(kSecrets, "dev", "b");
  finish();
  EXPECT_EQ(binding_conditions(), "Ready=True:InjectedBindResult");
  EXPECT_EQ(broker.take_lines(), (Lines{"Bind id-mydb/id-b", "Bind id-mydb/id-b", "Bind id-mydb/id-b"}));
  EXPECT_EQ(secret_value("b", "password"), "s3cret");
}

TEST_F(BindingSecretStory, AnotherNameForTheSecret) {
  bind();
  edit_spec(kBindings, "b", [](json::Object& spec) { spec["secretName"] = "creds"; });
  settle();
  EXPECT_EQ(secret_value("creds", "password"), "s3cret");
  EXPECT_FALSE(get(kSecrets, "b"));
  EXPECT_EQ(binding("status.binding.name"), R"("creds")");
  EXPECT_EQ(binding_conditions(), "Ready=True:InjectedBindResult");
  expect_quiet();
}

TEST_F(BindingSecretStory, Transforms) {
  apply_class("c1", "externalName: mysql, defaultSecretTransform: [{renameKey: {from: user, to: login}}]");
  apply_plan("p1", "externalName: small, defaultSecretTransform: [{addKey: {key: kind, stringValue: sql}}]");
  bind(
      "{instanceRef: {name: mydb}, secretTransforms: [{addKey: {key: uri, jsonPathExpression: \"{.login}@db\"}}, "
      "{removeKey: {key: db-name}}]}");
  EXPECT_EQ(secret_value("b", "login"), "id-b");
  EXPECT_EQ(secret_value("b", "user"), "no key");
  EXPECT_EQ(secret_value("b", "kind"), "sql");
  EXPECT_EQ(secret_value("b", "uri"), "id-b@db");
  EXPECT_EQ(secret_value("b", "db-name"), "no key");
  EXPECT_EQ(at(kBindings, "b", "spec.secretTransforms").as_array().size(), 4u) << "under the user's spelling";
  EXPECT_EQ(binding("spec.secretTransform"), "null");
  expect_quiet();
  edit_spec(kBindings, "b", [](json::Object& spec) { spec["secretTransforms"] = json::Array(); });
  settle();
  EXPECT_EQ(secret_value("b", "user"), "id-b") << "changed by hand later";
  EXPECT_EQ(secret_value("b", "kind"), "no key");
}

TEST_F(BindingSecretStory, AnEmptyListOptsOutOfTransforms) {
  apply_class("c1", "externalName: mysql, defaultSecretTransform: [{renameKey: {from: user, to: login}}]");
  bind("{instanceRef: {name: mydb}, secretTransform: []}");
  EXPECT_EQ(secret_value("b", "user"), "id-b");
}

TEST_F(BindingSecretStory, ABrokerCannotMakeUsReadSecrets) {
  apply_class("c1", "externalName: mysql, defaultSecretTransform: [{addKeysFrom: {secretRef: {name: more}}}]");
  edit(
      kClusterClasses, "c1",
      [](json::Object& root) {
        object_in(object_in(root, "metadata"), "annotations")[resolve::kProvidedFieldsAnnotation] =
            "spec.defaultSecretTransform";
      },
      "");
  apply_secret("more", "extra", "x");
  bind();
  EXPECT_EQ(secret_value("b", "extra"), "no key");
}

}  // namespace
}  // namespace chandler::reconcilers::testing
