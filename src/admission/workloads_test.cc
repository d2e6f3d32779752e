#include "admission/kind_rules.h"
#include "admission/rule_rows.h"

namespace chandler::admission {
namespace {

std::string workload(const std::string& rest, const std::string& pod_rest = "",
                     const std::string& selector = R"({"matchLabels":{"app":"a"}})") {
  return R"({"metadata":{"name":"w"},"spec":{"selector":)" + selector +
         R"(,"template":{"metadata":{"labels":{"app":"a"}},"spec":{"containers":[{"name":"c","image":"i:1"}],"restartPolicy":"Always")" +
         pod_rest + "}}" + rest + "}}";
}

const std::string kRolling =
    R"(,"strategy":{"type":"RollingUpdate","rollingUpdate":{"maxUnavailable":"25%","maxSurge":"25%"}})";

TEST(Deployment, StrategyIsCompleted) {
  expect_defaults(
      default_deployment,
      {{"rolling", "a quarter at a time", R"({"spec":{"strategy":{"type":"RollingUpdate"}}})", "",
        R"({"spec":{"strategy":{"type":"RollingUpdate","rollingUpdate":{"maxUnavailable":"25%","maxSurge":"25%"}}}})"},
       {"recreate", "all at once", R"({"spec":{"strategy":{"type":"Recreate"}}})", "",
        R"({"spec":{"strategy":{"type":"Recreate"}}})"},
       {"template", "the pods' own defaults",
        R"({"spec":{"strategy":{"type":"Recreate"},"template":{"spec":{"containers":[{"image":"i"}]}}}})", "",
        R"({"spec":{"strategy":{"type":"Recreate"},"template":{"spec":{"containers":[{"image":"i","imagePullPolicy":"Always"}]}}}})"}});
}

TEST(Deployment, SelectorFitsTheTemplate) {
  expect_checks(
      check_deployment,
      {{"fine", "it selects its own pods", workload(kRolling), "", {}},
       {"other",
        "it would make pods for ever",
        workload(kRolling, "", R"({"matchLabels":{"app":"z"}})"),
        "",
        {"spec.template.metadata.labels Invalid"}},
       {"empty", "it would take all pods", workload(kRolling, "", "{}"), "", {"spec.selector Invalid"}},
       {"missing",
        "the schema reports the selector, this the labels",
        R"({"spec":{"template":{"metadata":{"labels":{"app":"a"}},"spec":{"containers":[{"name":"c","image":"i"}]}},
            "strategy":{"type":"Recreate"}}})",
        "",
        {"spec.template.metadata.labels Invalid"}}});
}

TEST(Deployment, PodsRunForEver) {
  expect_checks(
      check_deployment,
      {{"policy",
        "they are started again",
        R"({"spec":{"selector":{"matchLabels":{"app":"a"}},"strategy":{"type":"Recreate"},"template":{"metadata":{"labels":{"app":"a"}},
                      "spec":{"containers":[{"name":"c","image":"i"}],"restartPolicy":"Never"}}}})",
        "",
        {"spec.template.spec.restartPolicy NotSupported"}},
       {"deadline",
        "so there is none",
        workload(kRolling, R"(,"activeDeadlineSeconds":5)"),
        "",
        {"spec.template.spec.activeDeadlineSeconds Forbidden"}},
       {"bad pod",
        "paths lead into the template",
        R"({"spec":{"selector":{"matchLabels":{"app":"a"}},"strategy":{"type":"Recreate"},"template":{"metadata":{"labels":{"app":"a"}},
                      "spec":{"containers":[]}}}})",
        "",
        {"spec.template.spec.containers Required"}}});
}

TEST(Deployment, StrategyIsChecked) {
  const auto rolling = [](const std::string& update) {
    return workload(R"(,"strategy":{"type":"RollingUpdate","rollingUpdate":)" + update + "}");
  };
  expect_checks(
      check_deployment,
      {{"type",
        "reported at the strategy as the API does",
        workload(R"(,"strategy":{"type":"Frob"})"),
        "",
        {"spec.strategy NotSupported"}},
       {"recreate",
        "it has nothing to say then",
        workload(R"(,"strategy":{"type":"Recreate","rollingUpdate":{"maxSurge":1}})"),
        "",
        {"spec.strategy.rollingUpdate Forbidden"}},
       {"stuck",
        "nothing could move",
        rolling(R"({"maxUnavailable":0,"maxSurge":"0%"})"),
        "",
        {"spec.strategy.rollingUpdate.maxUnavailable Invalid"}},
       {"text",
        "neither number nor share",
        rolling(R"({"maxUnavailable":"many","maxSurge":-1})"),
        "",
        {"spec.strategy.rollingUpdate.maxUnavailable Invalid", "spec.strategy.rollingUpdate.maxSurge Invalid"}},
       {"more than all",
        "there are no more",
        rolling(R"({"maxUnavailable":"101%","maxSurge":1})"),
        "",
        {"spec.strategy.rollingUpdate.maxUnavailable Invalid"}},
       {"deadline",
        "no pod could be ready in time",
        workload(kRolling + R"(,"minReadySeconds":600,"progressDeadlineSeconds":600)"),
        "",
        {"spec.progressDeadlineSeconds Invalid"}}});
}

TEST(StatefulSet, StrategyAndPartition) {
  expect_defaults(default_stateful_set,
                  {{"rolling", "all of them", R"({"spec":{"updateStrategy":{"type":"RollingUpdate"}}})", "",
                    R"({"spec":{"updateStrategy":{"type":"RollingUpdate","rollingUpdate":{"partition":0}}}})"},
                   {"on delete", "none", R"({"spec":{"updateStrategy":{"type":"OnDelete"}}})", "",
                    R"({"spec":{"updateStrategy":{"type":"OnDelete"}}})"}});
}

TEST(StatefulSet, MostOfItStays) {
  const std::string strategy = R"(,"updateStrategy":{"type":"RollingUpdate","rollingUpdate":{"partition":0}})";
  const auto old = workload(strategy + R"(,"replicas":1,"serviceName":"x")");
  expect_checks(
      check_stateful_set,
      {{"replicas", "it may grow", workload(strategy + R"(,"replicas":3,"serviceName":"x")"), old, {}},
       {"service",
        "the pods' names depend on it",
        workload(strategy + R"(,"replicas":1,"serviceName":"y")"),
        old,
        {"spec Forbidden"}},
       {"type", "two are known", workload(R"(,"updateStrategy":{"type":"Frob"})"), "", {"spec.updateStrategy Invalid"}},
       {"on delete",
        "nothing rolls",
        workload(R"(,"updateStrategy":{"type":"OnDelete","rollingUpdate":{"partition":0}})"),
        "",
        {"spec.updateStrategy.rollingUpdate Invalid"}}});
}

TEST(DaemonSet, OneWayToReplacePods) {
  const auto rolling = [](const std::string& update) {
    return workload(R"(,"updateStrategy":{"type":"RollingUpdate","rollingUpdate":)" + update + "}");
  };
  expect_defaults(
      default_daemon_set,
      {{"rolling", "one after the other", R"({"spec":{"updateStrategy":{"type":"RollingUpdate"}}})", "",
        R"({"spec":{"updateStrategy":{"type":"RollingUpdate","rollingUpdate":{"maxUnavailable":1,"maxSurge":0}}}})"}});
  expect_checks(check_daemon_set,
                {{"fine", "take one away first", rolling(R"({"maxUnavailable":1,"maxSurge":0})"), "", {}},
                 {"neither",
                  "nothing could move",
                  rolling(R"({"maxUnavailable":0,"maxSurge":0})"),
                  "",
                  {"spec.updateStrategy.rollingUpdate.maxUnavailable Required"}},
                 {"both",
                  "one or the other",
                  rolling(R"({"maxUnavailable":1,"maxSurge":1})"),
                  "",
                  {"spec.updateStrategy.rollingUpdate.maxSurge Invalid"}}});
}

TEST(ReplicaSet, SelectorFitsTheTemplate) {
  expect_checks(check_replica_set, {{"fine", "it selects its own pods", workload(""), "", {}},
                                    {"expression",
                                     "illegal selectors are reported where they are",
                                     workload("", "", R"({"matchExpressions":[{"key":"app","operator":"In"}]})"),
                                     "",
                                     {"spec.selector.matchExpressions[0].values Required"}}});
}

}  // namespace
}  // namespace chandler::admission
