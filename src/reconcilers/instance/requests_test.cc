// What the broker is sent about an instance, to the letter.
#include "reconcilers/reconciler_fixture.h"

namespace chandler::reconcilers::testing {
namespace {

using osb::Method;

class InstanceRequests : public CatalogStory {
 protected:
  InstanceRequests() { register_catalog(); }
  static constexpr std::string_view kAnn = R"({"extra":{},"groups":[],"uid":"uid-ann","username":"ann"})";
  static constexpr std::string_view kBob = R"({"extra":{},"groups":[],"uid":"uid-bob","username":"bob"})";
};

TEST_F(InstanceRequests, AreRecorded) {
  broker.async = true;
  apply_secret("params", "json", R"({"password":"s3cret"})");
  apply_instance(
      "{clusterServiceClassExternalName: mysql, clusterServicePlanExternalName: small, parameters: {size: 1}, "
      "parametersFrom: [{secretKeyRef: {name: params, key: json}}]}");
  finish();
  EXPECT_EQ(
      broker.recorded(Method::kProvision),
      fmt::format(
          R"(ProvisionInstance id-mydb service= plan= operation=- incomplete=true body={{"context":{{"clusterid":"cluster-1","instance_name":"mydb","namespace":"dev","platform":"kubernetes"}},"organization_guid":"cluster-1","parameters":{{"password":"s3cret","size":1}},"plan_id":"p1","service_id":"c1","space_guid":"uid-dev"}} identity={})",
          kAnn));
  EXPECT_EQ(
      broker.recorded(Method::kPollInstance),
      fmt::format("PollLastOperation id-mydb service=c1 plan=p1 operation=op-1 incomplete=true body=null identity={}",
                  kAnn));

  change_plan("clusterServicePlanExternalName", "large");
  finish();
  EXPECT_EQ(
      broker.recorded(Method::kUpdate),
      fmt::format(
          R"(UpdateInstance id-mydb service= plan= operation=- incomplete=true body={{"context":{{"clusterid":"cluster-1","instance_name":"mydb","namespace":"dev","platform":"kubernetes"}},"plan_id":"p2","previous_values":{{"plan_id":"p1","service_id":"c1"}},"service_id":"c1"}} identity={})",
          kAnn));
  EXPECT_EQ(
      broker.recorded(Method::kPollInstance),
      fmt::format("PollLastOperation id-mydb service=c1 plan=p1 operation=op-2 incomplete=true body=null identity={}",
                  kAnn))
      << "the plan before the update";

  edit_spec(kInstances, "mydb", [](json::Object& spec) {
    spec["parameters"] = json::Object{{"size", 2}};
    spec.erase("parametersFrom");
  });
  finish();
  EXPECT_EQ(
      broker.recorded(Method::kUpdate),
      fmt::format(
          R"(UpdateInstance id-mydb service= plan= operation=- incomplete=true body={{"context":{{"clusterid":"cluster-1","instance_name":"mydb","namespace":"dev","platform":"kubernetes"}},"parameters":{{"size":2}},"previous_values":{{"plan_id":"p2","service_id":"c1"}},"service_id":"c1"}} identity={})",
          kAnn));

  edit_spec(kInstances, "mydb", [](json::Object& spec) { spec["updateRequests"] = 1; });
  finish();
  EXPECT_EQ(
      broker.recorded(Method::kUpdate),
      fmt::format(
          R"(UpdateInstance id-mydb service= plan= operation=- incomplete=true body={{"context":{{"clusterid":"cluster-1","instance_name":"mydb","namespace":"dev","platform":"kubernetes"}},"previous_values":{{"plan_id":"p2","service_id":"c1"}},"service_id":"c1"}} identity={})",
          kAnn))
      << "a touch";

  remove(kInstances, "mydb");
  finish();
  EXPECT_EQ(
      broker.recorded(Method::kDeprovision),
      fmt::format("DeprovisionInstance id-mydb service=c1 plan=p2 operation=- incomplete=true body=null identity={}",
                  kBob));
  EXPECT_EQ(
      broker.recorded(Method::kPollInstance),
      fmt::format("PollLastOperation id-mydb service=c1 plan=p2 operation=op-5 incomplete=true body=null identity={}",
                  kBob));
  EXPECT_EQ(conditions(), "gone");
}

TEST_F(InstanceRequests, OfANamespacedPlanKnowThePlanBefore) {
  apply(kBrokers,
        "{apiVersion: servicecatalog.k8s.io/v1beta1, kind: ServiceBroker, metadata: {name: azure, namespace: dev}, "
        "spec: {url: \"https://dev.example.com\"}}");
  apply_class("nc1", "externalName: mysql", Scope::kNamespace);
  apply_plan("np1", "externalName: small", Scope::kNamespace, "nc1");
  apply_plan("np2", "externalName: large", Scope::kNamespace, "nc1");
  apply_instance("{serviceClassName: nc1, servicePlanName: np1}");
  settle();
  change_plan("servicePlanName", "np2", "servicePlanRef");
  settle();
  EXPECT_NE(broker.recorded(Method::kUpdate)
                .find(R"("plan_id":"np2","previous_values":{"plan_id":"np1","service_id":"nc1"},"service_id":"nc1")"),
            std::string::npos)
      << broker.recorded(Method::kUpdate);
  EXPECT_EQ(instance("status.externalProperties.serviceBrokerName"), R"("azure")");
}

}  // namespace
}  // namespace chandler::reconcilers::testing
