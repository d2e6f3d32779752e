#include "admission/kind_rules.h"
#include "admission/pod_spec.h"
#include "admission/rule_rows.h"
#include "base/time_text.h"

namespace chandler::admission {
namespace {

std::string pod(const std::string& container, const std::string& rest = "") {
  return R"({"spec":{"containers":[{"name":"c","image":"i:1")" + container + "}]" + rest + "}}";
}

TEST(Pod, ImagesWithoutTagAreAlwaysPulled) {
  struct Row {
    std::string image;
    std::string reason;
    std::string want;
  };
  const std::vector<Row> rows = {
      {"i", "no tag means latest", "Always"},
      {"i:latest", "latest may be another tomorrow", "Always"},
      {"i:1", "a version stays what it is", "IfNotPresent"},
      {"host:5000/i", "the colon belongs to the host", "Always"},
      {"host:5000/i:2", "here is a tag", "IfNotPresent"},
      {"i@sha256:abc", "a digest stays what it is", "IfNotPresent"},
  };
  for (const auto& row : rows) {
    auto spec = document(R"({"containers":[{"image":")" + row.image + R"("}]})");
    default_pod_spec(spec.as_object());
    EXPECT_EQ(spec.at("containers").at(0).at("imagePullPolicy").as_string(), row.want)
        << row.image << ": " << row.reason;
  }
}

TEST(Pod, IsCompleted) {
  expect_defaults(
      default_pod,
      {{"least", "what the schema cannot say", R"({"spec":{"containers":[{"image":"i:1"}]}})", "",
        R"({"spec":{"containers":[{"image":"i:1","imagePullPolicy":"IfNotPresent"}],"enableServiceLinks":true},
            "status":{"phase":"Pending","qosClass":"BestEffort"}})"},
       {"limits", "who limits and does not ask asks for the limit",
        R"({"spec":{"containers":[{"image":"i:1","resources":{"limits":{"cpu":"1","memory":"1Gi"}}}]}})", "",
        R"({"spec":{"containers":[{"image":"i:1","imagePullPolicy":"IfNotPresent",
             "resources":{"limits":{"cpu":"1","memory":"1Gi"},"requests":{"cpu":"1","memory":"1Gi"}}}],"enableServiceLinks":true},
            "status":{"phase":"Pending","qosClass":"Guaranteed"}})"},
       {"requests", "less than all is burstable",
        R"({"spec":{"containers":[{"image":"i:1","resources":{"requests":{"cpu":1}}}]}})", "",
        R"({"spec":{"containers":[{"image":"i:1","imagePullPolicy":"IfNotPresent","resources":{"requests":{"cpu":1}}}],
             "enableServiceLinks":true},"status":{"phase":"Pending","qosClass":"Burstable"}})"},
       {"account", "the field has two names", R"({"spec":{"containers":[],"serviceAccount":"s"}})", "",
        R"({"spec":{"containers":[],"serviceAccount":"s","serviceAccountName":"s","enableServiceLinks":true},
            "status":{"phase":"Pending","qosClass":"BestEffort"}})"},
       {"volume", "a volume without source is an empty folder",
        R"({"spec":{"containers":[],"volumes":[{"name":"v"},{"name":"w","secret":{"secretName":"s"}}]}})", "",
        R"({"spec":{"containers":[],"volumes":[{"name":"v","emptyDir":{}},{"name":"w","secret":{"secretName":"s"}}],
             "enableServiceLinks":true},"status":{"phase":"Pending","qosClass":"BestEffort"}})"},
       {"host network", "ports are those of the host",
        R"({"spec":{"hostNetwork":true,"enableServiceLinks":false,"containers":[{"image":"i:1","ports":[{"containerPort":80}]}]}})",
        "",
        R"({"spec":{"hostNetwork":true,"enableServiceLinks":false,
             "containers":[{"image":"i:1","imagePullPolicy":"IfNotPresent","ports":[{"containerPort":80,"hostPort":80}]}]},
            "status":{"phase":"Pending","qosClass":"BestEffort"}})"}});
}

TEST(Pod, ContainersAreChecked) {
  expect_checks(
      check_pod,
      {{"fine", "nothing special", pod(""), "", {}},
       {"none", "nothing to run", R"({"spec":{"containers":[]}})", "", {"spec.containers Required"}},
       {"no image",
        "nothing to run",
        R"({"spec":{"containers":[{"name":"c","image":""}]}})",
        "",
        {"spec.containers[0].image Required"}},
       {"blank",
        "no image has such a name",
        R"({"spec":{"containers":[{"name":"c","image":" i"}]}})",
        "",
        {"spec.containers[0].image Invalid"}},
       {"same name",
        "names are for the whole pod",
        pod("", R"(,"initContainers":[{"name":"c","image":"i"}])"),
        "",
        {"spec.containers[0].name Duplicate"}},
       {"mount",
        "mounts need volumes",
        pod(R"(,"volumeMounts":[{"name":"nope","mountPath":"/x"}])"),
        "",
        {"spec.containers[0].volumeMounts[0].name NotFound"}},
       {"mounted",
        "here it is",
        pod(R"(,"volumeMounts":[{"name":"v","mountPath":"/x"}])", R"(,"volumes":[{"name":"v","emptyDir":{}}])"),
        "",
        {}},
       {"nowhere",
        "where to?",
        pod(R"(,"volumeMounts":[{"name":"v","mountPath":""}])", R"(,"volumes":[{"name":"v","emptyDir":{}}])"),
        "",
        {"spec.containers[0].volumeMounts[0].mountPath Required"}},
       {"requests",
        "more than allowed",
        pod(R"(,"resources":{"requests":{"cpu":"2"},"limits":{"cpu":"1000m"}})"),
        "",
        {"spec.containers[0].resources.requests Invalid"}},
       {"negative",
        "less than nothing",
        pod(R"(,"resources":{"limits":{"cpu":"-1"}})"),
        "",
        {"spec.containers[0].resources.limits[cpu] Invalid"}},
       {"port names",
        "names lead to one port",
        pod(R"(,"ports":[{"containerPort":1,"name":"a"},{"containerPort":2,"name":"a"}])"),
        "",
        {"spec.containers[0].ports[1].name Duplicate"}},
       {"port name",
        "names of ports are short and lower case",
        pod(R"(,"ports":[{"containerPort":1,"name":"Web"}])"),
        "",
        {"spec.containers[0].ports[0].name Invalid"}},
       {"probe", "what to try?", pod(R"(,"livenessProbe":{})"), "", {"spec.containers[0].livenessProbe Required"}},
       {"two probes",
        "one of them",
        pod(R"(,"readinessProbe":{"exec":{},"grpc":{"port":1}})"),
        "",
        {"spec.containers[0].readinessProbe Forbidden"}},
       {"liveness",
        "once is enough",
        pod(R"(,"livenessProbe":{"exec":{},"successThreshold":2})"),
        "",
        {"spec.containers[0].livenessProbe.successThreshold Invalid"}}});
}

TEST(Pod, EnvironmentIsChecked) {
  const std::string at = "spec.containers[0].env[0]";
  expect_checks(
      check_pod,
      {{"fine",
        "from a Secret",
        pod(R"(,"env":[{"name":"A","valueFrom":{"secretKeyRef":{"name":"s","key":"k"}}}])"),
        "",
        {}},
       {"name", "a variable has a name", pod(R"(,"env":[{"name":""}])"), "", {at + ".name Required"}},
       {"equals", "that ends the name", pod(R"(,"env":[{"name":"A=B"}])"), "", {at + ".name Invalid"}},
       {"two values",
        "which?",
        pod(R"(,"env":[{"name":"A","value":"x","valueFrom":{"fieldRef":{}}}])"),
        "",
        {at + ".valueFrom Invalid"}},
       {"no source", "from where?", pod(R"(,"env":[{"name":"A","valueFrom":{}}])"), "", {at + ".valueFrom Invalid"}},
       {"two sources",
        "which?",
        pod(R"(,"env":[{"name":"A","valueFrom":{"fieldRef":{},"resourceFieldRef":{}}}])"),
        "",
        {at + ".valueFrom Invalid"}},
       {"bad reference",
        "names and keys are checked",
        pod(R"(,"env":[{"name":"A","valueFrom":{"configMapKeyRef":{"name":"S_","key":"a b"}}}])"),
        "",
        {at + ".valueFrom.configMapKeyRef.name Invalid", at + ".valueFrom.configMapKeyRef.key Invalid"}},
       {"from both",
        "which?",
        pod(R"(,"envFrom":[{"configMapRef":{"name":"c"},"secretRef":{"name":"s"}}])"),
        "",
        {"spec.containers[0].envFrom[0] Invalid"}}});
}

TEST(Pod, VolumesHaveOneSource) {
  expect_checks(
      check_pod,
      {{"three",
        "the first counts, the others are too many",
        pod("", R"(,"volumes":[{"name":"v","configMap":{"name":"x"},"secret":{"secretName":"s"},"emptyDir":{}}])"),
        "",
        {"spec.volumes[0].configMap Forbidden", "spec.volumes[0].secret Forbidden"}},
       {"unnamed",
        "which Secret?",
        pod("", R"(,"volumes":[{"name":"v","secret":{}}])"),
        "",
        {"spec.volumes[0].secret.secretName Required"}}});
}

TEST(Pod, RunsAsItWasMade) {
  const auto old = pod("", R"(,"nodeName":"n","tolerations":[{"key":"k"}],"activeDeadlineSeconds":10)");
  const auto with = [](const std::string& image, const std::string& rest) {
    return R"({"spec":{"containers":[{"name":"c","image":")" + image + R"("}])" + rest + "}}";
  };
  expect_checks(check_pod,
                {{"same", "nothing changed", old, old, {}},
                 {"image",
                  "a new image is pulled",
                  with("j:2", R"(,"nodeName":"n","tolerations":[{"key":"k"}],"activeDeadlineSeconds":10)"),
                  old,
                  {}},
                 {"deadline",
                  "earlier is possible",
                  with("i:1", R"(,"nodeName":"n","tolerations":[{"key":"k"}],"activeDeadlineSeconds":5)"),
                  old,
                  {}},
                 {"later",
                  "later is not",
                  with("i:1", R"(,"nodeName":"n","tolerations":[{"key":"k"}],"activeDeadlineSeconds":15)"),
                  old,
                  {"spec.activeDeadlineSeconds Invalid"}},
                 {"toleration",
                  "more are possible",
                  with("i:1", R"(,"nodeName":"n","tolerations":[{"key":"l"},{"key":"k"}],"activeDeadlineSeconds":10)"),
                  old,
                  {}},
                 {"intoleration",
                  "fewer are not",
                  with("i:1", R"(,"nodeName":"n","activeDeadlineSeconds":10)"),
                  old,
                  {"spec Forbidden"}},
                 {"node",
                  "a pod does not move",
                  with("i:1", R"(,"nodeName":"m","tolerations":[{"key":"k"}],"activeDeadlineSeconds":10)"),
                  old,
                  {"spec Forbidden"}}});
}

TEST(Pod, IsGivenTimeToEnd) {
  struct Row {
    std::string name;
    std::string reason;
    std::string stored;
    std::optional<int64_t> asked;
    std::string want_time;
    int64_t want_grace;
  };
  const auto start = *parse_rfc3339("2026-01-01T00:00:00Z");
  const std::string bound = R"({"metadata":{},"spec":{"nodeName":"n","terminationGracePeriodSeconds":30}})";
  const std::string ending =
      R"({"metadata":{"deletionTimestamp":"2026-01-01T00:00:20Z","deletionGracePeriodSeconds":30},"spec":{"nodeName":"n"}})";
  const std::vector<Row> rows = {
      {"bound", "as long as the pod says", bound, std::nullopt, "2026-01-01T00:00:30Z", 30},
      {"asked", "as long as the user says", bound, 5, "2026-01-01T00:00:05Z", 5},
      {"force", "no time at all", bound, 0, "2026-01-01T00:00:00Z", 0},
      {"unbound", "nobody runs it", R"({"metadata":{},"spec":{"terminationGracePeriodSeconds":30}})", std::nullopt,
       "2026-01-01T00:00:00Z", 0},
      {"finished", "nothing runs any more", R"({"metadata":{},"spec":{"nodeName":"n"},"status":{"phase":"Failed"}})",
       std::nullopt, "2026-01-01T00:00:00Z", 0},
      {"shorter", "counted from the first deletion", ending, 5, "2025-12-31T23:59:55Z", 5},
      {"longer", "time is not given back", ending, 60, "2026-01-01T00:00:20Z", 30},
      {"again", "a second deletion changes nothing", ending, std::nullopt, "2026-01-01T00:00:20Z", 30},
  };
  for (const auto& row : rows) {
    SCOPED_TRACE(row.name + ": " + row.reason);
    const auto old = document(row.stored);
    auto object = old;
    Context context;
    context.operation = registry::Operation::kDelete;
    context.object = &object;
    context.old = &old;
    context.now = start;
    context.grace_seconds = row.asked;
    terminate_pod(context);
    EXPECT_EQ(json::string_or(object.at("metadata"), "deletionTimestamp"), row.want_time);
    EXPECT_EQ(json::int_at(object.at("metadata"), "deletionGracePeriodSeconds"), row.want_grace);
  }
}

}  // namespace
}  // namespace chandler::admission
