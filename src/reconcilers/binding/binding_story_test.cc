// Lives of bindings, told from beginning to end.
#include "reconcilers/binding/binding_story_fixture.h"

namespace chandler::reconcilers::testing {
namespace {

TEST_F(BindingStory, BindAndUnbind) {
  bind();
  EXPECT_EQ(secret_value("b", "password"), "s3cret");
  const auto secret = get(kSecrets, "b");
  const auto& owner = secret.value().at("metadata").at("ownerReferences").at(0);
  EXPECT_EQ(text_at(owner, "uid"), get(kBindings, "b").uid());
  EXPECT_EQ(text_at(owner, "kind"), "ServiceBinding");
  EXPECT_TRUE(true_at(owner, "controller"));
  EXPECT_EQ(binding("status.reconciledGeneration"), binding("metadata.generation"));
  EXPECT_EQ(binding("status.binding.name"), R"("b")");
  EXPECT_EQ(binding("status.externalProperties.instanceExternalID"), R"("id-mydb")");
  EXPECT_EQ(binding("status.resolution.planExternalName"), R"("small")") << "the plan is shown";
  for (const auto* absent : {"currentOperation", "operationStartTime", "inProgressProperties", "mergedParameters",
                             "mergedSecretTransform", "retry"})
    EXPECT_EQ(binding(fmt::format("status.{}", absent)), "null") << absent;
  expect_quiet();
  remove(kBindings, "b");
  settle();
  EXPECT_EQ(binding_conditions(), "gone");
  EXPECT_FALSE(get(kSecrets, "b"));
  EXPECT_EQ(bindings_at_broker(), 0u);
  EXPECT_TRUE(has_event("InjectedBindResult"));
  EXPECT_TRUE(has_event("UnboundSuccessfully"));
}

TEST_F(BindingStory, WaitsForItsInstanceByWatch) {
  apply_binding();
  settle();
  EXPECT_EQ(binding_conditions(), "Ready=False:ReferencesNonexistentInstance");
  expect_quiet();
  apply_instance("{serviceType: redis}");
  settle();
  EXPECT_EQ(binding_conditions(), "Ready=False:ErrorInstanceRefsUnresolved");
  expect_quiet();
  broker.async = true;
  apply_plan("p1", "externalName: small, serviceType: redis", Scope::kCluster, "c1",
             "servicecatalog.kubernetes.io/is-default-plan: \"true\"");
  settle();
  EXPECT_EQ(binding_conditions(), "Ready=False:ErrorInstanceNotReady");
  finish();
  EXPECT_EQ(binding_conditions(), "Ready=True:InjectedBindResult");
  EXPECT_EQ(binding("spec.serviceType"), R"("redis")");
}

TEST_F(BindingStory, WhatCannotBeBound) {
  apply_class("c1", "externalName: mysql");
  apply_plan("p1", "externalName: small, bindable: false");
  provision();
  apply_binding();
  settle();
  EXPECT_EQ(binding_conditions(), "Ready=False:ErrorNonbindableServiceClass Failed=True:ErrorNonbindableServiceClass");
  expect_quiet();
  remove(kBindings, "b");
  settle();
  EXPECT_EQ(binding_conditions(), "gone");
}

TEST_F(BindingStory, AnotherTypeThanTheInstance) {
  apply_plan("p1", "externalName: small, serviceType: mysql");
  provision();
  apply_binding("{instanceRef: {name: mydb}, serviceType: redis}");
  settle();
  EXPECT_EQ(binding_conditions(), "Ready=False:ServiceTypeMismatch Failed=True:ServiceTypeMismatch");
  EXPECT_EQ(bindings_at_broker(), 0u);
  expect_quiet();
}

TEST_F(BindingStory, AnUnusableInstanceIsNotBound) {
  provision();
  edit(kInstances, "mydb", [](json::Object& root) { object_in(root, "status")["instanceUsable"] = false; });
  apply_binding();
  settle();
  EXPECT_EQ(binding_conditions(), "Ready=False:ErrorInstanceNotReady");
}

TEST_F(BindingStory, AnUnbindingUnderWayIsNotForgottenWithoutTheBroker) {
  bind();
  const auto broker_object = get(kClusterBrokers, "azure", "").value();
  broker.async_bindings = true;
  broker.polls_needed = 2;
  remove(kBindings, "b");
  settle();
  const auto operation = binding("status.lastOperation");
  ASSERT_NE(operation, "null");
  objects.remove(kClusterBrokers, "", "azure");
  finish();
  EXPECT_EQ(binding_conditions(), "Ready=False:ReferencesNonexistentBroker");
  EXPECT_EQ(binding("status.currentOperation"), "\"Unbind\"");
  EXPECT_EQ(binding("status.lastOperation"), operation);
  objects.put(kClusterBrokers, json::write(broker_object));
  finish();
  EXPECT_EQ(binding_conditions(), "gone");
  EXPECT_EQ(broker.recorded(osb::Method::kUnbind).find('\n'), std::string::npos) << "asked for once, then followed";
  EXPECT_EQ(bindings_at_broker(), 0u);
}

TEST_F(BindingStory, StaysWithItsInstanceWhereNoAdmissionSaysSo) {
  apply_instance(kSmallSpec, "other");
  bind();
  edit_spec(kBindings, "b", [](json::Object& spec) { object_in(spec, "instanceRef")["name"] = "other"; });
  finish();
  EXPECT_EQ(binding_conditions(), "Ready=False:InstanceCannotChange");
  EXPECT_EQ(broker.take_lines(), Lines());
  EXPECT_EQ(secret_value("b", "password"), "s3cret") << "who lives on it goes on";
  edit_spec(kBindings, "b", [](json::Object& spec) { object_in(spec, "instanceRef")["name"] = "mydb"; });
  finish();
  EXPECT_EQ(binding_conditions(), "Ready=True:InjectedBindResult");
  remove(kBindings, "b");
  finish();
  EXPECT_EQ(binding_conditions(), "gone");
  EXPECT_TRUE(broker.instances.at("id-mydb").bindings.empty());
}

TEST_F(BindingStory, DefaultsAreMergedOnce) {
  apply_class("c1", "externalName: mysql, defaultBindingParameters: {role: reader, gone: 1}");
  int failures = 1;
  broker.script = [&](const osb::Call& call) -> std::optional<osb::Answer> {
    if (call.method != osb::Method::kBind || failures-- <= 0) return std::nullopt;
    apply_class("c1", "externalName: mysql, defaultBindingParameters: {other: 1}");
    return answer_of(500);
  };
  bind("{instanceRef: {name: mydb}, parameters: {user: admin, gone: null}}");
  EXPECT_EQ(binding("spec.parameters"), R"({"role":"reader","user":"admin"})");
  EXPECT_EQ(binding("status.defaultBindingParameters"), R"({"gone":1,"role":"reader"})");
  EXPECT_EQ(binding("status.parameterSources"), R"({"/role":"Class","/user":"Binding"})");
  EXPECT_EQ(json::write(broker.instances["id-mydb"].bindings["id-b"]), R"({"role":"reader","user":"admin"})");
}

TEST_F(BindingStory, NoDefaultsStaysNoDefaults) {
  int failures = 1;
  broker.script = [&](const osb::Call& call) -> std::optional<osb::Answer> {
    if (call.method != osb::Method::kBind || failures-- <= 0) return std::nullopt;
    apply_class("c1", "externalName: mysql, defaultBindingParameters: {other: 1}");
    return answer_of(500);
  };
  bind("{instanceRef: {name: mydb}, parameters: {user: null, role: dba}}");
  EXPECT_EQ(json::write(broker.instances["id-mydb"].bindings["id-b"]), R"({"role":"dba"})");
}

TEST_F(BindingStory, TheSchemaIsCheckedBeforeTheBrokerHears) {
  apply_plan("p1",
             "externalName: small, serviceBindingCreateParameterSchema: {type: object, properties: {role: {type: "
             "integer}}}");
  provision();
  apply_binding("{instanceRef: {name: mydb}, parameters: {role: xyzzy}}");
  settle();
  EXPECT_EQ(binding_conditions(), "Ready=False:InvalidParameters");
  EXPECT_NE(message(kBindings, "b").find("parameters.role"), std::string::npos);
  EXPECT_EQ(message(kBindings, "b").find("xyzzy"), std::string::npos);
  EXPECT_EQ(bindings_at_broker(), 0u);
  expect_quiet();
}

TEST_F(BindingStory, Asynchronous) {
  apply_class("c1", "externalName: mysql, bindingRetrievable: true");
  broker.async_bindings = true;
  broker.polls_needed = 2;
  provision();
  apply_binding();
  settle();
  EXPECT_EQ(binding_conditions(), "Ready=False:Binding");
  EXPECT_FALSE(get(kSecrets, "b"));
  finish();
  EXPECT_EQ(binding_conditions(), "Ready=True:InjectedBindResult");
  EXPECT_EQ(secret_value("b", "password"), "s3cret");
  remove(kBindings, "b");
  finish();
  EXPECT_EQ(binding_conditions(), "gone");
  EXPECT_EQ(bindings_at_broker(), 0u);
}

TEST_F(BindingStory, ParametersFromSecretsThatChangeBetweenRetriesAreSettledFirst) {
  apply_secret("params", "json", R"({"p":"s3cret"})");
  bool lost = true;
  broker.script = [&](const osb::Call& call) -> std::optional<osb::Answer> {
    if (call.method != osb::Method::kBind || !lost) return std::nullopt;
    broker.instances["id-mydb"].bindings["id-b"] = call.body.at("parameters");
    return malformed(200);
  };
  provision();
  apply_binding("{instanceRef: {name: mydb}, parametersFrom: [{secretKeyRef: {name: params, key: json}}]}");
  settle();
  lost = false;
  broker.calls.clear();
  apply_secret("params", "json", R"({"p":"s3cret2"})");
  finish();
  EXPECT_EQ(binding_conditions(), "Ready=True:InjectedBindResult");
  EXPECT_EQ(broker.take_lines(), (Lines{"Unbind id-mydb/id-b", "Bind id-mydb/id-b"}));
  EXPECT_EQ(binding("status.externalProperties.parameters"), R"({"p":"<redacted>"})");
}

TEST_F(BindingStory, UnbindNeedsNothingButTheBroker) {
  bind();
  objects.remove(kClusterPlans, "", "p1");
  objects.remove(kClusterClasses, "", "c1");
  remove(kBindings, "b");
  settle();
  EXPECT_EQ(binding_conditions(), "gone");
  EXPECT_EQ(bindings_at_broker(), 0u);
}

TEST_F(BindingStory, AbandonLetsGo) {
  bind();
  broker.script = [](const osb::Call&) { return answer_of(500, "{description: no}"); };
  remove(kBindings, "b");
  settle();
  EXPECT_EQ(binding_conditions(), "Ready=Unknown:UnbindCallFailed");
  EXPECT_NE(message(kBindings, "b").find("servicecatalog.kubernetes.io/abandon"), std::string::npos);
  annotate(kBindings, "b", kAbandonAnnotation, "true");
  settle();
  EXPECT_EQ(binding_conditions(), "gone");
  const auto records = objects.list(kConfigMaps, {});
  ASSERT_EQ(records.size(), 1u);
  EXPECT_EQ(text_at(member(records[0].value(), "data"), "bindingID"), "id-b");
}

TEST_F(BindingStory, IsRecorded) {
  using osb::Method;
  apply_class("c1", "externalName: mysql, bindingRetrievable: true");
  broker.async_bindings = true;
  provision();
  apply_binding("{instanceRef: {name: mydb}, parameters: {role: dba}}");
  finish();
  const std::string ann = R"({"extra":{},"groups":[],"uid":"uid-ann","username":"ann"})";
  const std::string bob = R"({"extra":{},"groups":[],"uid":"uid-bob","username":"bob"})";
  EXPECT_EQ(
      broker.recorded(Method::kBind),
      fmt::format(
          R"(Bind id-mydb/id-b service= plan= operation=- incomplete=true body={{"bind_resource":{{"app_guid":"uid-dev"}},"context":{{"clusterid":"cluster-1","namespace":"dev","platform":"kubernetes"}},"parameters":{{"role":"dba"}},"plan_id":"p1","service_id":"c1"}} identity={})",
          ann));
  EXPECT_EQ(
      broker.recorded(Method::kPollBinding),
      fmt::format("PollBindingLastOperation id-mydb/id-b service=c1 plan=p1 operation=op-1 incomplete=true body=null "
                  "identity={}",
                  ann));
  EXPECT_EQ(
      broker.recorded(Method::kGetBinding),
      fmt::format("GetBinding id-mydb/id-b service=c1 plan=p1 operation=- incomplete=true body=null identity={}", ann));
  remove(kBindings, "b");
  settle();
  EXPECT_EQ(
      broker.recorded(Method::kUnbind),
      fmt::format("Unbind id-mydb/id-b service=c1 plan=p1 operation=- incomplete=true body=null identity={}", bob));
  finish();
}

TEST_F(BindingStory, WithoutFetchingTheBrokerMustAnswerAtOnce) {
  bind();
  apply_binding("{instanceRef: {name: mydb}}", "other");
  settle();
  EXPECT_NE(broker.recorded(osb::Method::kBind).find("incomplete=false"), std::string::npos);
}

TEST_F(BindingStory, AnAnswerThatWasLostStrandsNothing) {
  provision();
  broker.calls.clear();
  apply_binding();
  start();
  while (broker.calls.empty()) engine->turn();
  ASSERT_EQ(bindings_at_broker(), 1u);
  broker.script = [](const osb::Call&) { return answer_of(429); };
  crash();
  settle();
  remove(kBindings, "b");
  broker.script = nullptr;
  finish();
  EXPECT_EQ(binding_conditions(), "gone");
  EXPECT_EQ(bindings_at_broker(), 0u);
}

// The process dies after any number of pieces of work, twice.
TEST_F(BindingStory, CrashesLoseAndDoubleNothing) {
  for (const bool async : {false, true}) {
    apply_class("c1", fmt::format("externalName: mysql, bindingRetrievable: {}, defaultBindingParameters: {{a: 1}}, "
                                  "defaultSecretTransform: [{{renameKey: {{from: user, to: login}}}}]",
                                  async));
    for (int first = 0; first < 40; ++first) {
      broker.async_bindings = async;
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
      apply_instance(kSmallSpec);
      apply_binding();
      live_through();
      ASSERT_EQ(binding_conditions(), "Ready=True:InjectedBindResult") << async << first << all_conditions();
      ASSERT_EQ(bindings_at_broker(), 1u);
      ASSERT_EQ(json::write(broker.instances["id-mydb"].bindings["id-b"]), R"({"a":1})");
      ASSERT_EQ(secret_value("b", "login"), "id-b");
      expect_quiet();
      objects.remove(kSecrets, "dev", "b");
      live_through();
      ASSERT_EQ(binding_conditions(), "Ready=True:InjectedBindResult") << async << first << all_conditions();
      ASSERT_EQ(secret_value("b", "password"), "s3cret");
      remove(kBindings, "b");
      remove(kInstances, "mydb");
      live_through();
      ASSERT_EQ(binding_conditions(), "gone");
      ASSERT_EQ(conditions(), "gone");
      ASSERT_TRUE(broker.instances.empty());
      ASSERT_FALSE(get(kSecrets, "b"));
    }
  }
}

TEST_F(BindingStory, DeletedAtAnyMoment) {
  provision();
  for (const int status : {200, 500, 400}) {
    for (int turns = 0; turns < 30; ++turns) {
      broker.script = [=](const osb::Call& call) -> std::optional<osb::Answer> {
        return call.method == osb::Method::kBind && status != 200 ? std::optional(answer_of(status)) : std::nullopt;
      };
      apply_binding();
      start();
      for (int i = 0; i < turns && engine->turn(); ++i) {
      }
      remove(kBindings, "b");
      finish();
      ASSERT_EQ(binding_conditions(), "gone") << status << " " << turns;
      ASSERT_EQ(bindings_at_broker(), 0u) << status << " " << turns;
      ASSERT_FALSE(get(kSecrets, "b")) << status << " " << turns;
    }
  }
}

}  // namespace
}  // namespace chandler::reconcilers::testing
