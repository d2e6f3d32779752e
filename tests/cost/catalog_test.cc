// Bodies of the catalog's own kinds.
#include "cost/cost_lab.h"
#include "cost/shapes.h"

namespace chandler::cost {
namespace {

constexpr std::string_view kCatalog = "/apis/servicecatalog.k8s.io/v1beta1";

Message object(std::string_view kind, std::string_view plural, bool namespaced, std::string_view spec) {
  return create(fmt::format("{}/{}{}", kCatalog, namespaced ? "namespaces/ns/" : "", plural),
                fmt::format(R"({{"apiVersion":"servicecatalog.k8s.io/v1beta1","kind":"{}","metadata":{{"name":"o"}},)"
                            R"("spec":{{{}}}}})",
                            kind, spec));
}

TEST(CostOfTheCatalog, GrowsWithItsKinds) {
  CostLab lab;
  const auto instance = [](std::string_view rest) {
    return object(
        "ServiceInstance", "serviceinstances", true,
        fmt::format(R"("clusterServiceClassExternalName":"c","clusterServicePlanExternalName":"p",{})", rest));
  };
  const auto binding = [](std::string_view rest) {
    return object("ServiceBinding", "servicebindings", true, fmt::format(R"("instanceRef":{{"name":"i"}},{})", rest));
  };
  const auto broker = [](std::string_view rest) {
    return object("ClusterServiceBroker", "clusterservicebrokers", false,
                  fmt::format(R"("url":"https://broker.example.com",{})", rest));
  };
  const auto plan = [](std::string_view rest) {
    return object("ClusterServicePlan", "clusterserviceplans", false,
                  fmt::format(R"("clusterServiceBrokerName":"b","externalName":"p","externalID":"i","description":"d",)"
                              R"("free":true,"clusterServiceClassRef":{{"name":"c"}},{})",
                              rest));
  };
  lab.check({
      {"parameters", "free in form", 40'000, 201,
       [&](size_t n) { return instance(R"("parameters":{)" + numbered(n, R"("p{0}":"v")") + "}"); }},
      {"sources of parameters", "each names a secret", 10'000, 201,
       [&](size_t n) {
         return instance(R"("parametersFrom":[)" + numbered(n, R"({{"secretKeyRef":{{"name":"s{0}","key":"k"}}}})") +
                         "]");
       }},
      {"transforms", "each names a key", 10'000, 201,
       [&](size_t n) {
         return binding(R"("secretTransforms":[)" + numbered(n, R"({{"renameKey":{{"from":"a{0}","to":"b{0}"}}}})") +
                        "]");
       }},
      {"equal transforms", "each names a key", 10'000, 201,
       [&](size_t n) {
         return binding(R"("secretTransforms":[)" + numbered(n, R"({{"addKey":{{"key":"a","stringValue":"v"}}}})") +
                        "]");
       }},
      {"restrictions", "each is parsed", 1'000, 201,
       [&](size_t n) {
         return broker(R"("catalogRestrictions":{"servicePlan":[)" + numbered(n, R"("spec.externalName!=p{0}")") +
                       "]}");
       }},
      {"values of a restriction", "a set", 8'000, 201,
       [&](size_t n) {
         return broker(R"x("catalogRestrictions":{"servicePlan":["spec.externalName in ()x" + numbered(n, "p{0}") +
                       R"x()"]})x");
       }},
      {"default parameters", "free in form", 40'000, 201,
       [&](size_t n) { return plan(R"("defaultProvisionParameters":{)" + numbered(n, R"("p{0}":"v")") + "}"); }},
      {"a parameter schema", "compiled when it is used", 20'000, 201,
       [&](size_t n) {
         return plan(R"("instanceCreateParameterSchema":{"type":"object","properties":{)" +
                     numbered(n, R"("p{0}":{{"type":"string"}})") + "}}");
       }},
  });
}

}  // namespace
}  // namespace chandler::cost
