// The kinds of the service catalog as people write them, through schema, engine and rules together.
#include "admission/catalog_writes_fixture.h"

namespace chandler::admission {
namespace {

using Fields = std::vector<std::string>;

TEST_F(CatalogWrites, AChartMayMakeAClassBeforeItsBroker) {
  EXPECT_EQ(faults("clusterserviceclasses", "", R"(
metadata:
  name: "997b8372-8dac-40ac-ae65-758b4a5075a5"
  annotations: {"helm.sh/hooks": pre-install}
  ownerReferences: [{apiVersion: servicecatalog.k8s.io/v1beta1, controller: true}]
spec:
  externalID: "997b8372-8dac-40ac-ae65-758b4a5075a5"
  serviceType: mysql
  defaultProvisionParameters: {location: eastus, firewallRules: [{name: AllowAll}]}
)"),
            Fields());
}

TEST_F(CatalogWrites, APlanCarriesDefaults) {
  EXPECT_EQ(faults("clusterserviceplans", "", R"(
metadata:
  name: "427559f1-bf2a-45d3-8844-32374a3e58aa"
  annotations: {servicecatalog.kubernetes.io/is-default-plan: "true"}
spec:
  serviceType: mysql
  clusterServiceBrokerName: azure
  clusterServiceClassRef: {name: "997b8372-8dac-40ac-ae65-758b4a5075a5"}
  description: Basic Tier, 50 DTUs.
  externalID: "427559f1-bf2a-45d3-8844-32374a3e58aa"
  externalName: basic50
  free: false
  defaultBindingParameters: {user: reader}
  defaultSecretTransform: [{renameKey: {from: db-name, to: database}}]
)"),
            Fields());
}

TEST_F(CatalogWrites, AllFaultsAreNamedAtOnce) {
  EXPECT_EQ(faults("servicebrokers", "dev", R"(
metadata: {name: b}
spec:
  url: ftp://b
  relistBehavior: Sometimes
  relistDuration: 0s
  caBundle: aGk=
  insecureSkipTLSVerify: true
  authInfo: {basic: {secretRef: {name: a}}, bearer: {secretRef: {name: b}}}
  catalogRestrictions: {serviceClass: [nothing=1]}
)"),
            (Fields{"spec.authInfo", "spec.caBundle", "spec.catalogRestrictions.serviceClass[0]",
                    "spec.insecureSkipTLSVerify", "spec.relistBehavior", "spec.relistDuration", "spec.url"}));
  EXPECT_EQ(faults("servicebrokers", "dev", "{metadata: {name: b}, spec: {url: ''}}"), Fields{"spec.url"});
  EXPECT_EQ(faults("servicebindings", "dev", R"(
metadata: {name: b}
spec:
  instanceRef: {name: i}
  parametersFrom: [{secretKeyRef: {name: s}}]
  secretTransform: [{addKey: {key: a b, stringValue: x}}, {addKey: {key: a, stringValue: x}, removeKey: {key: a}}]
)"),
            (Fields{"spec.parametersFrom[0].secretKeyRef.key", "spec.secretTransform[0].addKey.key",
                    "spec.secretTransform[1]"}));
}

TEST_F(CatalogWrites, AnInstanceLivesItsLife) {
  ASSERT_TRUE(create("serviceinstances", "dev", R"(
metadata: {name: mydb}
spec: {serviceType: mysql, parameters: {location: westus, drop: null}, deletionPolicy: Cascade}
)")
                  .ok());
  auto object = lookup_.get(kCatalogGroup, "serviceinstances", "dev", "mydb")->parse();
  EXPECT_TRUE(object.at("spec").at("parameters").at("drop").is_null()) << "a null removes a default";
  EXPECT_EQ(object.at("spec").at("userInfo").at("username").as_string(), "root");

  // The controller finds class and plan, and begins.
  user_ = {.name = std::string(kCatalogController), .uid = "", .groups = {}, .extra = {}};
  ASSERT_TRUE(update("serviceinstances", "mydb", [](json::Value& o) {
                auto& spec = o.at("spec").as_object();
                spec["clusterServiceClassRef"] = json::Object{{"name", "c"}};
                spec["clusterServicePlanRef"] = json::Object{{"name", "p"}};
              }).ok());
  const auto begin = [](json::Value& o) {
    o.as_object()["status"] = json::Object{{"currentOperation", "Provision"},
                                           {"externalProperties", json::Object{{"clusterServiceBrokerName", "azure"}}},
                                           {"retry", json::Object{{"attempts", 1}, {"rounds", 1}}}};
  };
  ASSERT_TRUE(update("serviceinstances", "mydb", begin, "status").ok());

  // Nobody else gets in between.
  user_ = {.name = "ann", .uid = "", .groups = {}, .extra = {}};
  const auto move = [](json::Value& o) { o.at("spec").as_object()["clusterServicePlanName"] = "q"; };
  const auto refused = update("serviceinstances", "mydb", move);
  ASSERT_FALSE(refused.ok());
  EXPECT_EQ(refused.error().http(), 403);
  EXPECT_EQ(refused.error().about, (ObjectRef{"servicecatalog.k8s.io", "serviceinstances", "mydb", ""}));

  const auto fail_once = [](json::Value& o) { o.at("status").at("retry").as_object()["lastError"] = "400"; };
  ASSERT_TRUE(update("serviceinstances", "mydb", fail_once, "status").ok());
  const auto moved = update("serviceinstances", "mydb", move);
  ASSERT_TRUE(moved.ok()) << moved.error().message;
  object = moved->document->parse();
  EXPECT_EQ(json::find_path(object, {"spec", "clusterServicePlanRef"}), nullptr);
  EXPECT_EQ(object.at("spec").at("userInfo").at("username").as_string(), "ann");

  // Whoever deletes is remembered for the broker.
  user_.name = "eve";
  auto removal = request("serviceinstances", "dev", kCatalogGroup);
  removal->name = "mydb";
  ASSERT_TRUE(objects_.remove_and_wait(removal, {}).ok());
  const auto left = lookup_.get(kCatalogGroup, "serviceinstances", "dev", "mydb");
  ASSERT_NE(left, nullptr) << "the finalizer holds it";
  EXPECT_EQ(left->parse().at("spec").at("userInfo").at("username").as_string(), "eve");
}

}  // namespace
}  // namespace chandler::admission
