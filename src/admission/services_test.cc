#include "admission/kind_rules.h"
#include "admission/port_name.h"
#include "admission/rule_rows.h"

namespace chandler::admission {
namespace {

TEST(Service, IsCompleted) {
  expect_defaults(
      default_service,
      {{"headless", "as recorded",
        R"({"spec":{"clusterIP":"None","type":"ClusterIP","sessionAffinity":"None","ports":[{"port":80}]}})", "",
        R"({"spec":{"clusterIP":"None","clusterIPs":["None"],"type":"ClusterIP","sessionAffinity":"None","ports":[{"port":80,"targetPort":80}],
            "ipFamilies":["IPv4"],"ipFamilyPolicy":"SingleStack","internalTrafficPolicy":"Cluster"}})"},
       {"affinity", "three hours", R"({"spec":{"type":"ExternalName","sessionAffinity":"ClientIP"}})", "",
        R"({"spec":{"type":"ExternalName","sessionAffinity":"ClientIP","sessionAffinityConfig":{"clientIP":{"timeoutSeconds":10800}}}})"},
       {"balancer", "traffic from outside",
        R"({"spec":{"type":"LoadBalancer","ports":[{"port":80,"targetPort":"web"}]}})", "",
        R"({"spec":{"type":"LoadBalancer","ports":[{"port":80,"targetPort":"web"}],"ipFamilies":["IPv4"],"ipFamilyPolicy":"SingleStack",
            "internalTrafficPolicy":"Cluster","externalTrafficPolicy":"Cluster","allocateLoadBalancerNodePorts":true}})"},
       {"replaced", "an address that is left out is kept", R"({"spec":{"type":"ClusterIP","ports":[]}})",
        R"({"spec":{"type":"ClusterIP","clusterIP":"None"}})",
        R"({"spec":{"type":"ClusterIP","ports":[],"clusterIP":"None","clusterIPs":["None"],"ipFamilies":["IPv4"],"ipFamilyPolicy":"SingleStack",
            "internalTrafficPolicy":"Cluster"}})"}});
}

TEST(Service, PortsAreToldApart) {
  const auto service = [](const std::string& ports,
                          const std::string& rest = R"(,"type":"ClusterIP","clusterIP":"None","clusterIPs":["None"])") {
    return R"({"spec":{"ports":)" + ports + rest + "}}";
  };
  expect_checks(
      check_service,
      {{"one", "one needs no name", service(R"([{"port":80}])"), "", {}},
       {"two",
        "several need names",
        service(R"([{"port":80},{"port":81,"name":"x"}])"),
        "",
        {"spec.ports[0].name Required"}},
       {"same",
        "names lead to one port",
        service(R"([{"port":80,"name":"a"},{"port":81,"name":"a"}])"),
        "",
        {"spec.ports[1].name Duplicate"}},
       {"name", "names are DNS labels", service(R"([{"port":80,"name":"A"}])"), "", {"spec.ports[0].name Invalid"}},
       {"target",
        "names of container ports",
        service(R"([{"port":80,"targetPort":"A"}])"),
        "",
        {"spec.ports[0].targetPort Invalid"}},
       {"node port",
        "only those reached from outside have one",
        service(R"([{"port":80,"nodePort":30000}])"),
        "",
        {"spec.ports[0].nodePort Forbidden"}},
       {"none", "a headless Service needs none", service("[]"), "", {}},
       {"none at an address", "others do", service("[]", R"(,"type":"ClusterIP")"), "", {"spec.ports Required"}}});
}

TEST(Service, NamesAndAddresses) {
  expect_checks(
      check_service,
      {{"no name", "a name for what?", R"({"spec":{"type":"ExternalName"}})", "", {"spec.externalName Required"}},
       {"bad name",
        "a DNS name",
        R"({"spec":{"type":"ExternalName","externalName":"a_b"}})",
        "",
        {"spec.externalName Invalid"}},
       {"name", "with or without the last dot", R"({"spec":{"type":"ExternalName","externalName":"a.b."}})", "", {}},
       {"name and address",
        "one or the other",
        R"({"spec":{"type":"ExternalName","externalName":"a.b","clusterIP":"None"}})",
        "",
        {"spec.clusterIPs Forbidden"}},
       {"two addresses",
        "the two fields agree",
        R"({"spec":{"type":"ClusterIP","clusterIP":"None","clusterIPs":["10.0.0.1"],"ports":[{"port":1}]}})",
        "",
        {"spec.clusterIPs Invalid"}},
       {"moved",
        "an address stays",
        R"({"spec":{"type":"ClusterIP","clusterIP":"10.0.0.1","clusterIPs":["10.0.0.1"],"ports":[{"port":1}]}})",
        R"({"spec":{"type":"ClusterIP","clusterIP":"None","clusterIPs":["None"]}})",
        {"spec.clusterIPs[0] Invalid"}},
       {"type", "the schema knows the types", R"({"spec":{"type":"Frob","ports":[{"port":1}]}})", "", {}}});
}

TEST(PortName, IsShortAndLowerCase) {
  for (const auto* good : {"http", "a-1", "8080-tcp"}) EXPECT_EQ(check_port_name(good), "") << good;
  for (const auto* bad : {"", "80", "-a", "a-", "a--b", "A", "sixteen-letters-", "more-than-fifteen"}) {
    EXPECT_NE(check_port_name(bad), "") << bad;
  }
}

}  // namespace
}  // namespace chandler::admission
