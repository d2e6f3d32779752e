// Defaults of parameters: the seed's examples from beginning to end, and the rules around them.
#include <fstream>
#include <sstream>

#include "reconcilers/reconciler_fixture.h"
#include "support/source_path.h"

namespace chandler::reconcilers::testing {
namespace {

class InstanceDefaults : public CatalogStory {
 protected:
  // The documents of one of the seed's examples.
  static std::vector<std::string> seed(const std::string& name) {
    const auto path = chandler::testing::source_path("tests/golden/seeds") / name;
    const std::ifstream file(path);
    EXPECT_TRUE(file) << name;
    std::stringstream text;
    text << file.rdbuf();
    std::vector<std::string> documents;
    std::string rest = text.str();
    for (size_t cut = rest.find("\n---\n"); cut != std::string::npos; cut = rest.find("\n---\n")) {
      documents.push_back(rest.substr(0, cut + 1));
      rest = rest.substr(cut + 5);
    }
    documents.push_back(rest);
    return documents;
  }
  static json::Value parsed(const std::string& yaml) { return json::parse_yaml(yaml).value(); }
  void register_azure() {
    apply(kClusterBrokers,
          "{apiVersion: servicecatalog.k8s.io/v1beta1, kind: ClusterServiceBroker, metadata: {name: azure}, "
          "spec: {url: \"https://azure.example.com\"}}");
  }
  // All that the example shows stands in the object.
  void expect_shown(const client::KindName& kind, const std::string& yaml) {
    const auto wanted = parsed(yaml);
    const auto object = get(kind, text_at(member(wanted, "metadata"), "name"));
    ASSERT_TRUE(object);
    for (const auto part : {"spec", "status"}) expect_part(member(wanted, part), member(object.value(), part), part);
  }
  static void expect_part(const json::Value& wanted, const json::Value& has, const std::string& path) {
    if (!wanted.is_object() || path == "spec.parameters") {
      EXPECT_TRUE(wanted.is_null() || json::equal(wanted, has)) << path << ": " << json::write(has);
      return;
    }
    for (const auto& [key, value] : wanted.get_object())
      expect_part(value, member(has, key), path + "." + std::string(key));
  }
};

TEST_F(InstanceDefaults, SeedProvisioningWithDefaults) {
  register_azure();
  const auto offer = seed("000-02-class-and-plan-with-defaults.yaml");
  apply(kClusterClasses, offer.at(0));
  apply(kClusterPlans, offer.at(1));
  apply(kInstances, seed("000-01-instance-with-class-and-plan.yaml").at(0));
  settle();
  EXPECT_EQ(conditions(), "Ready=True:ProvisionedSuccessfully");
  const auto expected = seed("000-03-instance-completed.yaml").at(0);
  expect_shown(kInstances, expected);
  ASSERT_EQ(broker.instances.size(), 1u);
  EXPECT_TRUE(json::equal(broker.instances["id-mydb"].parameters, parsed(expected).at("spec").at("parameters")));
  EXPECT_EQ(broker.instances["id-mydb"].plan_id, "427559f1-bf2a-45d3-8844-32374a3e58aa");
  EXPECT_EQ(instance("status.defaultProvisionParameters.location"), R"("eastus")");
  EXPECT_EQ(instance("status.parameterSources"),
            R"({"/firewallRules":"Class","/location":"Instance","/resourceGroup":"Class","/sslEnforcement":"Class"})");
  expect_quiet();
}

TEST_F(InstanceDefaults, SeedProvisioningByServiceType) {
  register_azure();
  apply(kClusterPlans, seed("000-08-default-plan-of-type.yaml").at(0));
  apply(kClusterClasses, seed("000-09-class-of-type.yaml").at(0));
  apply(kInstances, seed("000-07-instance-by-type.yaml").at(0));
  settle();
  EXPECT_EQ(conditions(), "Ready=True:ProvisionedSuccessfully");
  const auto expected = seed("000-10-instance-by-type-completed.yaml").at(0);
  expect_shown(kInstances, expected);
  EXPECT_TRUE(json::equal(broker.instances["id-mydb"].parameters, parsed(expected).at("spec").at("parameters")));
  EXPECT_EQ(instance("status.parameterSources./backup-schedule"), R"("Plan")");
  expect_quiet();
}

TEST_F(InstanceDefaults, SeedBindingWithDefaults) {
  register_azure();
  const auto offer = seed("000-02-class-and-plan-with-defaults.yaml");
  apply(kClusterClasses, offer.at(0));
  apply(kClusterPlans, offer.at(1));
  // The example is "truncated for clarity": its defaults go onto the offer of the example before.
  const auto defaults = parsed(seed("000-05-class-and-plan-with-binding-defaults.yaml").at(1));
  edit(
      kClusterPlans, "427559f1-bf2a-45d3-8844-32374a3e58aa",
      [&](json::Object& root) {
        for (const auto* field : {"defaultBindingParameters", "defaultSecretTransform"})
          object_in(root, "spec")[field] = defaults.at("spec").at(field);
      },
      "");
  edit(
      kClusterClasses, "997b8372-8dac-40ac-ae65-758b4a5075a5",
      [](json::Object& root) { object_in(root, "spec")["bindable"] = true; }, "");
  apply(kInstances, seed("000-01-instance-with-class-and-plan.yaml").at(0));
  apply(kBindings, seed("000-04-binding.yaml").at(0));
  settle();
  EXPECT_EQ(conditions(kBindings, "mydb-admin"), "Ready=True:InjectedBindResult");
  expect_shown(kBindings, seed("000-06-binding-completed.yaml").at(0));
  EXPECT_EQ(show(kBindings, "mydb-admin", "spec.serviceType"), R"("mysql")") << "filled in";
  EXPECT_EQ(show(kBindings, "mydb-admin", "status.parameterSources"), R"({"/user":"Binding"})");
  EXPECT_EQ(show(kBindings, "mydb-admin", "status.binding.name"), R"("mydb-admin")");
  EXPECT_EQ(json::write(broker.instances["id-mydb"].bindings["id-mydb-admin"]), R"({"user":"admin"})");
  EXPECT_EQ(secret_value("mydb-admin", "database"), "d");
  EXPECT_EQ(secret_value("mydb-admin", "db-name"), "no key");
  expect_quiet();
}

const std::string kSmall = "clusterServiceClassExternalName: mysql, clusterServicePlanExternalName: small";

TEST_F(InstanceDefaults, AreMergedOnceAndForAll) {
  register_catalog();
  apply_class("c1", "externalName: mysql, defaultProvisionParameters: {a: {u: 1, v: 1}, gone: 1, list: [1, 2]}");
  apply_plan("p1", "externalName: small, defaultProvisionParameters: {a: {v: 2}, b: 2}");
  apply_instance("{" + kSmall + ", parameters: {a: {w: 3}, gone: null, list: [9]}}");
  settle();
  EXPECT_EQ(instance("spec.parameters"), R"({"a":{"u":1,"v":2,"w":3},"b":2,"list":[9]})");
  EXPECT_EQ(instance("status.defaultProvisionParameters"), R"({"a":{"u":1,"v":2},"b":2,"gone":1,"list":[1,2]})");
  EXPECT_TRUE(has_event("DefaultParametersApplied"));

  apply_class("c1", "externalName: mysql, defaultProvisionParameters: {new: 1}");
  apply_plan("p2", "externalName: large, defaultProvisionParameters: {b: 3, new: 2}");
  change_plan("clusterServicePlanExternalName", "large");
  settle();
  EXPECT_EQ(instance("spec.parameters"), R"({"a":{"u":1,"v":2,"w":3},"b":2,"list":[9]})")
      << "neither a change of defaults nor of the plan touches it";
  EXPECT_EQ(broker.instances["id-mydb"].plan_id, "p2");
}

TEST_F(InstanceDefaults, SourcesFollowWhatTheUserChangesLater) {
  register_catalog();
  apply_class("c1", "externalName: mysql, defaultProvisionParameters: {a: {u: 1, v: 1}, b: 2}");
  apply_instance("{" + kSmall + "}");
  settle();
  EXPECT_EQ(instance("status.parameterSources"), R"({"/a/u":"Class","/a/v":"Class","/b":"Class"})");
  edit_spec(kInstances, "mydb", [](json::Object& spec) {
    spec["parameters"] = json::Object{{"a", json::Object{{"u", 1}, {"v", 5}}}, {"c", 3}};
  });
  finish();
  EXPECT_EQ(conditions(), "Ready=True:InstanceUpdatedSuccessfully");
  EXPECT_EQ(instance("status.parameterSources"), R"({"/a/u":"Class","/a/v":"Instance","/c":"Instance"})");
}

TEST_F(InstanceDefaults, AreNotMergedAgainAfterAFailure) {
  register_catalog();
  apply_class("c1", "externalName: mysql, defaultProvisionParameters: {a: 1}");
  broker.script = [](const osb::Call&) { return answer_of(400); };
  apply_instance("{" + kSmall + "}");
  settle();
  EXPECT_EQ(instance("spec.parameters"), R"({"a":1})");
  apply_plan("p2", "externalName: large, defaultProvisionParameters: {b: 2}");
  broker.script = nullptr;
  change_plan("clusterServicePlanExternalName", "large");
  edit_spec(kInstances, "mydb", [](json::Object& spec) { spec.erase("parameters"); });
  finish();
  EXPECT_EQ(conditions(), "Ready=True:ProvisionedSuccessfully");
  EXPECT_EQ(instance("spec.parameters"), "null") << "the user took them away";
}

TEST_F(InstanceDefaults, GiveWayToKeysFromSecrets) {
  register_catalog();
  apply_class("c1", "externalName: mysql, defaultProvisionParameters: {password: d, size: 1}");
  apply_secret("params", "json", R"({"password":"s3cret"})");
  apply_instance("{" + kSmall + ", parametersFrom: [{secretKeyRef: {name: params, key: json}}]}");
  settle();
  EXPECT_EQ(conditions(), "Ready=True:ProvisionedSuccessfully");
  EXPECT_EQ(instance("spec.parameters"), R"({"size":1})");
  EXPECT_EQ(json::write(broker.instances["id-mydb"].parameters), R"({"password":"s3cret","size":1})");
  EXPECT_EQ(instance("status.externalProperties.parameters"), R"({"password":"<redacted>","size":1})");
  EXPECT_EQ(instance("status.externalProperties.parameterChecksum").size(), 83u);
}

TEST_F(InstanceDefaults, ProblemsWithParametersAreShownAndLeftByWatch) {
  register_catalog();
  apply_instance("{" + kSmall + ", parameters: {a: 1}, parametersFrom: [{secretKeyRef: {name: params, key: json}}]}");
  const auto expect = [&](std::string_view part) {
    settle();
    EXPECT_EQ(conditions(), "Ready=False:ErrorWithParameters");
    EXPECT_NE(message().find(part), std::string::npos) << message();
    EXPECT_EQ(broker.take_lines(), Lines());
    expect_quiet();
  };
  expect("does not exist");
  apply_secret("params", "other", "{}");
  expect("has no key \"json\"");
  apply_secret("params", "json", "s3cret");
  expect("params");
  apply_secret("params", "json", R"({"a":"s3cret"})");
  expect("\"a\"");
  objects.decision = client::Access::Decision::kUnknown;
  apply_secret("params", "json", R"({"b":"s3cret"})");
  settle();
  EXPECT_EQ(broker.take_lines(), Lines()) << "not before it is known";
  objects.decision = client::Access::Decision::kDenied;
  objects.access_changed();
  expect("\"ann\"");
  objects.decision = client::Access::Decision::kAllowed;
  advance(std::chrono::minutes(1));
  EXPECT_EQ(conditions(), "Ready=True:ProvisionedSuccessfully") << message();
}

TEST_F(InstanceDefaults, TheSchemaIsCheckedBeforeTheBrokerHears) {
  register_catalog();
  apply_plan("p1",
             "externalName: small, instanceCreateParameterSchema: {type: object, required: [name], properties: {size: "
             "{type: integer}, name: {type: string}}}");
  apply_instance("{" + kSmall + ", parameters: {size: xyzzy}}");
  settle();
  EXPECT_EQ(conditions(), "Ready=False:InvalidParameters");
  EXPECT_NE(message().find("parameters.size"), std::string::npos) << message();
  EXPECT_NE(message().find("parameters.name"), std::string::npos) << message();
  EXPECT_EQ(message().find("xyzzy"), std::string::npos) << "never the value";
  EXPECT_EQ(broker.take_lines(), Lines());
  expect_quiet();
  edit_spec(kInstances, "mydb", [](json::Object& spec) { spec["parameters"] = parsed("{size: 1, name: db}"); });
  settle();
  EXPECT_EQ(conditions(), "Ready=True:ProvisionedSuccessfully");
}

}  // namespace
}  // namespace chandler::reconcilers::testing
