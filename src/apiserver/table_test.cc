#include "apiserver/table.h"

#include <gtest/gtest.h>

#include <fmt/format.h>

#include "apiserver/cells.h"
#include "apiserver/embedded_kinds_fixture.h"
#include "base/time_text.h"
#include "json/writer.h"

namespace chandler::apiserver {
namespace {

using testing::embedded_kind;
using testing::embedded_kinds;
using testing::load_custom;
using testing::parsed;
using testing::widget_definition;

constexpr std::string_view kCreated = "2026-01-01T00:00:00Z";

WallTime now() { return *parse_rfc3339("2026-01-01T00:05:00Z"); }

Output output(Output::Include include = Output::Include::kNone) {
  Output out;
  out.shape = Shape::kTable;
  out.shape_version = "v1";
  out.include = include;
  return out;
}

std::string cells_of(const registry::Kind& kind, json::Value object) {
  auto& metadata = object.as_object()["metadata"];
  if (!metadata.is_object()) metadata = json::Object();
  metadata.get_object().emplace("name", "a");
  metadata.get_object().emplace("creationTimestamp", kCreated);
  const auto row = table_row(kind.versions.front(), output(), object, now());
  return json::write(*json::find(row, "cells"));
}

struct Row {
  std::string_view name;
  std::string_view reason;
  std::string_view group;
  std::string_view plural;
  std::string_view object;
  std::string_view want;
};

TEST(Table, CellsAreThoseThatKubernetesShows) {
  const Row rows[] = {
      {"secret", "data are counted and the count is a number", "", "secrets",
       R"({"type":"Opaque","data":{"k":"dg=="}})", R"(["a","Opaque",1,"5m"])"},
      {"configmap", "data and binaryData count together", "", "configmaps",
       R"({"data":{"x":"1"},"binaryData":{"y":""}})", R"(["a",2,"5m"])"},
      {"namespace", "the phase is shown", "", "namespaces", R"({"status":{"phase":"Active"}})",
       R"(["a","Active","5m"])"},
      {"claim-terminating", "deletion outranks the phase", "", "persistentvolumeclaims",
       R"({"metadata":{"deletionTimestamp":"2026-01-01T00:00:00Z"},"spec":{"volumeName":"v","volumeMode":"Block"},
           "status":{"phase":"Bound","capacity":{"storage":"1Gi"},"accessModes":["ReadWriteOnce"]}})",
       R"(["a","Terminating","v","1Gi","RWO","","<unset>","5m","Block"])"},
      {"serviceaccount", "there is no column for secrets", "", "serviceaccounts", "{}", R"(["a","5m"])"},
      {"lease", "a path column of text", "coordination.k8s.io", "leases", R"({"spec":{"holderIdentity":"me"}})",
       R"(["a","me","5m"])"},
      {"deployment", "missing counts are the number 0 although the column says string", "apps", "deployments",
       R"({"spec":{"replicas":2,"selector":{"matchLabels":{"app":"a"}},
           "template":{"spec":{"containers":[{"name":"c","image":"img:1"},{"name":"d","image":"img:2"}]}}}})",
       R"(["a","0/2",0,0,"5m","c,d","img:1,img:2","app=a"])"},
      {"deployment-counts", "counts stay numbers", "apps", "deployments",
       R"({"spec":{"replicas":2},"status":{"readyReplicas":1,"updatedReplicas":2,"availableReplicas":1}})",
       R"(["a","1/2",2,1,"5m","","","<none>"])"},
      {"daemonset", "an empty node selector is <none>", "apps", "daemonsets",
       R"({"spec":{"selector":{"matchLabels":{"app":"a"}},"template":{"spec":{"containers":[{"name":"c","image":"i"}]}}}})",
       R"(["a",0,0,0,0,0,"<none>","5m","c","i","app=a"])"},
      {"cronjob", "containers are those of the Job's template; suspend is text", "batch", "cronjobs",
       R"({"spec":{"schedule":"1 2 * * *","suspend":false,
           "jobTemplate":{"spec":{"template":{"spec":{"containers":[{"name":"c","image":"i"}]}}}}}})",
       R"(["a","1 2 * * *","<none>","False",0,"<none>","5m","c","i","<none>"])"},
      {"service", "a headless service", "", "services",
       R"({"spec":{"type":"ClusterIP","clusterIP":"None","clusterIPs":["None"],"selector":{"a":"b"},"ports":[{"port":80,"protocol":"TCP"}]}})",
       R"(["a","ClusterIP","None","<none>","80/TCP","5m","a=b"])"},
      {"claim", "capacity and modes stay empty until bound", "", "persistentvolumeclaims",
       R"({"spec":{"storageClassName":"none","volumeMode":"Filesystem"},"status":{"phase":"Pending"}})",
       R"(["a","Pending","","","","none","<unset>","5m","Filesystem"])"},
      {"storageclass", "expansion is a boolean, false when absent", "storage.k8s.io", "storageclasses",
       R"({"provisioner":"a/b","reclaimPolicy":"Delete","volumeBindingMode":"Immediate"})",
       R"(["a","a/b","Delete","Immediate",false,"5m"])"},
      {"storageclass-default", "the name says that it is the default", "storage.k8s.io", "storageclasses",
       R"({"metadata":{"annotations":{"storageclass.kubernetes.io/is-default-class":"true"}},"provisioner":"p",
           "reclaimPolicy":"Delete","volumeBindingMode":"Immediate","allowVolumeExpansion":true})",
       R"j(["a (default)","p","Delete","Immediate",true,"5m"])j"},
      {"role", "creation is shown as a time, not as an age", "rbac.authorization.k8s.io", "roles", "{}",
       R"(["a","2026-01-01T00:00:00Z"])"},
      {"rolebinding", "subjects are sorted into columns by their kind", "rbac.authorization.k8s.io", "rolebindings",
       R"({"roleRef":{"kind":"Role","name":"x"},"subjects":[{"kind":"User","name":"u"},{"kind":"User","name":"w"},
           {"kind":"ServiceAccount","namespace":"n","name":"s"}]})",
       R"(["a","Role/x","5m","u, w","","n/s"])"},
      {"event", "Name stands where the columns put it", "", "events",
       R"({"involvedObject":{"kind":"Secret","name":"s"},"reason":"R","type":"Normal","message":" m ","count":3,
           "lastTimestamp":"2026-01-01T00:04:00Z","firstTimestamp":null,"eventTime":null})",
       R"(["60s","Normal","R","secret/s","","","m","<unknown>",3,"a"])"},
      {"event-new-group", "the same cells in the words of events.k8s.io", "events.k8s.io", "events",
       R"({"regarding":{"kind":"Secret","name":"s"},"reason":"R","type":"Normal","note":"m",
           "eventTime":"2026-01-01T00:04:00.000000Z","reportingController":"c","reportingInstance":"i"})",
       R"(["60s","Normal","R","secret/s","","c, i","m","60s",1,"a"])"},
      {"job", "a finished job shows how long it took", "batch", "jobs",
       R"({"spec":{"completions":1},"status":{"succeeded":1,"startTime":"2026-01-01T00:00:00Z",
           "completionTime":"2026-01-01T00:00:42Z","conditions":[{"type":"Complete","status":"True"}]}})",
       R"(["a","Complete","1/1","42s","5m","","","<none>"])"},
  };
  for (const auto& row : rows) {
    const auto kind = embedded_kind(row.group, row.plural);
    ASSERT_NE(kind, nullptr) << row.name;
    EXPECT_EQ(cells_of(*kind, parsed(row.object)), row.want) << row.name << ": " << row.reason;
  }
}

struct PodRow {
  std::string_view name;
  std::string_view reason;
  std::string_view pod;
  std::string_view want;  // ready, status, restarts
};

TEST(Table, PodCellsFollowTheContainers) {
  const PodRow rows[] = {
      {"pending", "nothing has started", R"({"spec":{"containers":[{"name":"c"}]},"status":{"phase":"Pending"}})",
       R"(["0/1","Pending","0"])"},
      {"running", "ready and running containers count",
       R"({"spec":{"containers":[{},{}]},"status":{"phase":"Running","containerStatuses":[
           {"ready":true,"state":{"running":{}}},{"ready":false,"state":{"running":{}}}]}})",
       R"(["1/2","Running","0"])"},
      {"crashing", "the reason to wait outranks the phase; the age of the last restart is told",
       R"({"spec":{"containers":[{}]},"status":{"phase":"Running","containerStatuses":[{"restartCount":3,
           "state":{"waiting":{"reason":"CrashLoopBackOff"}},
           "lastState":{"terminated":{"finishedAt":"2026-01-01T00:04:00Z"}}}]}})",
       R"j(["0/1","CrashLoopBackOff","3 (60s ago)"])j"},
      {"init", "an init container that runs is counted from 0",
       R"({"spec":{"containers":[{}],"initContainers":[{"name":"i"},{"name":"j"}]},"status":{"phase":"Pending",
           "initContainerStatuses":[{"name":"i","state":{"terminated":{"exitCode":0}}},{"name":"j","restartCount":2,
           "state":{"running":{}}}]}})",
       R"(["0/1","Init:1/2","2"])"},
      {"init-failed", "a failed init container without a reason shows its exit code",
       R"({"spec":{"containers":[{}],"initContainers":[{"name":"i"}]},"status":{"phase":"Pending",
           "initContainerStatuses":[{"name":"i","state":{"terminated":{"exitCode":7}}}]}})",
       R"(["0/1","Init:ExitCode:7","0"])"},
      {"sidecar", "a started sidecar counts among the containers",
       R"({"spec":{"containers":[{}],"initContainers":[{"name":"s","restartPolicy":"Always"}]},"status":{
           "phase":"Running","initContainerStatuses":[{"name":"s","started":true,"ready":true,"restartCount":1,
           "state":{"running":{}}}],"containerStatuses":[{"ready":true,"state":{"running":{}}}]}})",
       R"(["2/2","Running","1"])"},
      {"completed-but-running", "one container is done, the other still runs and the Pod is not ready",
       R"({"spec":{"containers":[{},{}]},"status":{"phase":"Running","containerStatuses":[
           {"state":{"terminated":{"reason":"Completed"}}},{"ready":true,"state":{"running":{}}}]}})",
       R"(["1/2","NotReady","0"])"},
      {"terminating", "a Pod on its way out",
       R"({"metadata":{"deletionTimestamp":"2026-01-01T00:00:00Z"},"spec":{"containers":[{}]},
           "status":{"phase":"Running"}})",
       R"(["0/1","Terminating","0"])"},
      {"ended-and-deleted", "an ended Pod keeps its word while it is deleted",
       R"({"metadata":{"deletionTimestamp":"2026-01-01T00:00:00Z"},"spec":{"containers":[{}]},
           "status":{"phase":"Failed"}})",
       R"(["0/1","Failed","0"])"},
      {"node-lost", "nobody knows what a lost node does",
       R"({"metadata":{"deletionTimestamp":"2026-01-01T00:00:00Z"},"spec":{"containers":[{}]},
           "status":{"phase":"Running","reason":"NodeLost"}})",
       R"(["0/1","Unknown","0"])"},
      {"gated", "scheduling has not been allowed yet",
       R"({"spec":{"containers":[{}]},"status":{"phase":"Pending","conditions":[{"type":"PodScheduled",
           "status":"False","reason":"SchedulingGated"}]}})",
       R"(["0/1","SchedulingGated","0"])"},
      {"malformed", "no document makes a cell fail",
       R"({"spec":{"containers":7},"status":{"containerStatuses":[1,null]}})", R"(["0/0","","0"])"},
  };
  for (const auto& row : rows) {
    json::Array got;
    for (const auto* name : {"pod-ready", "pod-status", "pod-restarts"}) {
      got.push_back(find_cell(name)(parsed(row.pod), now()));
    }
    EXPECT_EQ(json::write(got), row.want) << row.name << ": " << row.reason;
  }
}

struct CellRow {
  std::string_view cell;
  std::string_view reason;
  std::string_view object;
  std::string_view want;
};

TEST(Table, ComputedCellsOfSingleKinds) {
  const CellRow rows[] = {
      {"service-external-ip", "a load balancer without address is pending", R"({"spec":{"type":"LoadBalancer"}})",
       R"("<pending>")"},
      {"service-external-ip", "addresses of the load balancer come first, sorted, each once",
       R"({"spec":{"type":"LoadBalancer","externalIPs":["9.9.9.9"]},"status":{"loadBalancer":{"ingress":[
           {"hostname":"z"},{"ip":"1.1.1.1"},{"ip":"1.1.1.1"}]}}})",
       R"("1.1.1.1,z,9.9.9.9")"},
      {"service-external-ip", "an external name is where it leads",
       R"({"spec":{"type":"ExternalName","externalName":"e.example.com"}})", R"("e.example.com")"},
      {"service-ports", "node ports are shown beside the port",
       R"({"spec":{"ports":[{"port":80,"nodePort":30080,"protocol":"TCP"},{"port":53,"protocol":"UDP"}]}})",
       R"("80:30080/TCP,53/UDP")"},
      {"claim-access-modes", "modes have short names in a fixed order",
       R"({"spec":{"volumeName":"v"},"status":{"accessModes":["ReadWriteMany","ReadWriteOnce"]}})", R"("RWO,RWX")"},
      {"claim-capacity", "a bound claim without capacity has none", R"({"spec":{"volumeName":"v"}})", R"("0")"},
      {"volume-claim", "a claim is named with its namespace", R"({"spec":{"claimRef":{"namespace":"n","name":"c"}}})",
       R"("n/c")"},
      {"volume-claim", "a free volume", "{}", R"("")"},
      {"storage-class", "the old annotation outranks the field",
       R"({"metadata":{"annotations":{"volume.beta.kubernetes.io/storage-class":"old"}},
           "spec":{"storageClassName":"new"}})",
       R"("old")"},
      {"label-selector", "all forms of terms", R"({"spec":{"selector":{"matchLabels":{"a":"b"},"matchExpressions":[
           {"key":"c","operator":"In","values":["y","x"]},{"key":"d","operator":"Exists"}]}}})",
       R"j("a=b,c in (x,y),d")j"},
      {"job-completions", "work without a count of completions",
       R"({"spec":{"parallelism":3},"status":{"succeeded":1}})", R"("1/1 of 3")"},
      {"job-status", "a suspended job", R"({"status":{"conditions":[{"type":"Suspended","status":"True"}]}})",
       R"("Suspended")"},
      {"job-duration", "a running job counts until now", R"({"status":{"startTime":"2026-01-01T00:04:30Z"}})",
       R"("30s")"},
      {"cronjob-suspend", "absent is not false", "{}", R"("<unset>")"},
      {"event-count", "a series counts itself", R"({"series":{"count":9},"count":1})", "9"},
      {"last-condition", "a condition that holds is named by its type",
       R"({"status":{"conditions":[{"type":"X","status":"False","reason":"r"},{"type":"Ready","status":"True"}]}})",
       R"("Ready")"},
      {"last-condition", "one that does not hold by its reason",
       R"({"status":{"conditions":[{"type":"Ready","status":"False","reason":"Fetching"}]}})", R"("Fetching")"},
      {"catalog-broker", "namespaced broker first", R"({"spec":{"clusterServiceBrokerName":"c"}})", R"("c")"},
      {"instance-class", "what the user wrote",
       R"({"spec":{"clusterServiceClassExternalName":"db","clusterServiceClassName":"id"}})",
       R"("ClusterServiceClass/db")"},
      {"instance-class", "what was resolved for a request by type",
       R"({"status":{"resolution":{"scope":"Namespace","classExternalName":"db"}}})", R"("ServiceClass/db")"},
      {"instance-plan", "what was resolved for a request by type",
       R"({"status":{"resolution":{"planExternalName":"small"}}})", R"("small")"},
      {"pod-readiness-gates", "open gates of all gates",
       R"({"spec":{"readinessGates":[{"conditionType":"x"},{"conditionType":"y"}]},
           "status":{"conditions":[{"type":"x","status":"True"}]}})",
       R"("1/2")"},
  };
  for (const auto& row : rows) {
    const auto cell = find_cell(row.cell);
    ASSERT_NE(cell, nullptr) << row.cell;
    EXPECT_EQ(json::write(cell(parsed(row.object), now())), row.want) << row.cell << ": " << row.reason;
  }
}

TEST(Table, EveryComputedColumnHasItsFunction) {
  for (const auto& kind : embedded_kinds()) {
    for (const auto& version : kind->versions) {
      for (const auto& column : version.columns) {
        if (column.computed.empty()) continue;
        EXPECT_NE(find_cell(column.computed), nullptr) << kind->plural << ": " << column.name;
      }
    }
  }
}

// Column definitions without their prose, as the recorded exchanges keep them.
json::Value without_prose(json::Array columns) {
  for (auto& column : columns) column.as_object()["description"] = "<description>";
  return columns;
}

TEST(Table, ColumnsAreThoseRecorded) {
  const std::pair<std::string_view, std::pair<std::string_view, std::string_view>> vectors[] = {
      {"negotiation-table-clusterrole", {"rbac.authorization.k8s.io", "clusterroles"}},
      {"negotiation-table-crd", {"apiextensions.k8s.io", "customresourcedefinitions"}},
      {"negotiation-table-cronjob", {"batch", "cronjobs"}},
      {"negotiation-table-daemonset", {"apps", "daemonsets"}},
      {"negotiation-table-deployment", {"apps", "deployments"}},
      {"negotiation-table-event", {"", "events"}},
      {"negotiation-table-lease", {"coordination.k8s.io", "leases"}},
      {"negotiation-table-namespace", {"", "namespaces"}},
      {"negotiation-table-pod", {"", "pods"}},
      {"negotiation-table-pvc", {"", "persistentvolumeclaims"}},
      {"negotiation-table-replicaset", {"apps", "replicasets"}},
      {"negotiation-table-rolebinding", {"rbac.authorization.k8s.io", "rolebindings"}},
      {"negotiation-table-secret", {"", "secrets"}},
      {"negotiation-table-service", {"", "services"}},
      {"negotiation-table-serviceaccount", {"", "serviceaccounts"}},
      {"negotiation-table-statefulset", {"apps", "statefulsets"}},
      {"negotiation-table-storageclass", {"storage.k8s.io", "storageclasses"}},
  };
  for (const auto& [id, resource] : vectors) {
    const auto vector = testing::recorded("negotiation", id);
    const auto& last = json::array_at(vector, "steps")->back();
    const auto* want = json::find_path(last, {"expect", "body", "columnDefinitions"});
    ASSERT_NE(want, nullptr) << id;
    const auto kind = embedded_kind(resource.first, resource.second);
    ASSERT_NE(kind, nullptr) << id;
    EXPECT_EQ(json::write(without_prose(table_columns(kind->versions.front()))), json::write(*want)) << id;
  }
}

TEST(Table, CustomResourceWithoutColumnsShowsNameAndAge) {
  const auto kind = load_custom(widget_definition(
      parsed(R"([{"name":"v1","served":true,"storage":true,"schema":{"openAPIV3Schema":{"type":"object"}}}])")
          .as_array()));
  const auto vector = testing::recorded("negotiation", "negotiation-table-cr");
  const auto& last = json::array_at(vector, "steps")->back();
  EXPECT_EQ(json::write(without_prose(table_columns(kind->versions.front()))),
            json::write(*json::find_path(last, {"expect", "body", "columnDefinitions"})));
  EXPECT_EQ(cells_of(*kind, json::Object()), R"(["a","5m"])");
}

registry::KindPtr kind_with_columns(size_t count, std::string_view path) {
  std::string columns;
  for (size_t i = 0; i < count; ++i) {
    columns += fmt::format(R"({}{{"name":"c{}","type":"string","jsonPath":"{}"}})", i > 0 ? "," : "", i, path);
  }
  return load_custom(widget_definition(parsed(R"([{"name":"v1","served":true,"storage":true,
      "schema":{"openAPIV3Schema":{"type":"object","x-kubernetes-preserve-unknown-fields":true}},
      "additionalPrinterColumns":[)" + columns +
                                              "]}]")
                                           .as_array()));
}

// Such paths lead to each place many times: in the deep object, some 80,000 times for each column.
TEST(Table, TheColumnsOfARowShareABudgetInProportionToTheObject) {
  const auto kind = kind_with_columns(100, "..*..*..*.name");
  const auto last_cell = [&](size_t depth) {
    std::string object = R"({"name":"found"})";
    for (size_t i = 0; i < depth; ++i) object = R"({"a":)" + object + "}";
    const auto row = table_row(kind->versions.front(), output(), parsed(object), now());
    return json::write(json::find(row, "cells")->as_array().back());
  };
  EXPECT_EQ(last_cell(4), "\"found\"");
  EXPECT_EQ(last_cell(80), "null");
}

TEST(Table, ColumnsTogetherShowALargeTextFewTimes) {
  const auto kind = kind_with_columns(100, ".spec.text");
  const json::Value object = json::Object{{"spec", json::Object{{"text", std::string(1'000'000, 'x')}}}};
  const auto row = table_row(kind->versions.front(), output(), object, now());
  EXPECT_LT(json::write(row).size(), 10'000'000U);
  EXPECT_EQ(json::find(row, "cells")->as_array().size(), 101U);
}

TEST(Table, CustomColumnsAreTyped) {
  const auto kind = load_custom(widget_definition(parsed(R"([{"name":"v1","served":true,"storage":true,
      "schema":{"openAPIV3Schema":{"type":"object","x-kubernetes-preserve-unknown-fields":true}},
      "additionalPrinterColumns":[
        {"name":"Text","type":"string","jsonPath":".spec.a"},
        {"name":"Count","type":"integer","jsonPath":".spec.a"},
        {"name":"Share","type":"number","jsonPath":".spec.a"},
        {"name":"Flag","type":"boolean","jsonPath":".spec.a"},
        {"name":"Since","type":"date","jsonPath":".spec.a"},
        {"name":"Ready","type":"string","jsonPath":".status.conditions[?(@.type==\"Ready\")].status"}]}])")
                                                      .as_array()));
  const CellRow rows[] = {
      {"text", "a string is no number and no time", R"({"spec":{"a":"x"}})",
       R"(["a","x",null,null,null,"<unknown>",null])"},
      {"integer", "a number is shown as text where text is asked for", R"({"spec":{"a":3}})",
       R"(["a","3",3,3,null,"<unknown>",null])"},
      {"fraction", "an integer column cuts fractions", R"({"spec":{"a":2.5}})",
       R"(["a","2.5",2,2.5,null,"<unknown>",null])"},
      {"boolean", "true is true only in boolean and text columns", R"({"spec":{"a":true}})",
       R"(["a","true",null,null,true,"<unknown>",null])"},
      {"date", "a time is shown as an age", R"({"spec":{"a":"2026-01-01T00:04:00Z"}})",
       R"(["a","2026-01-01T00:04:00Z",null,null,null,"60s",null])"},
      {"object", "other values are shown as JSON", R"({"spec":{"a":{"b":[1]}}})",
       R"(["a","{\"b\":[1]}",null,null,null,"<unknown>",null])"},
      {"condition", "a filter finds its element; the first match counts",
       R"({"status":{"conditions":[{"type":"X","status":"False"},{"type":"Ready","status":"True"},
           {"type":"Ready","status":"Unknown"}]}})",
       R"(["a",null,null,null,null,"<unknown>","True"])"},
  };
  for (const auto& row : rows)
    EXPECT_EQ(cells_of(*kind, parsed(row.object)), row.want) << row.cell << ": " << row.reason;
}

TEST(Table, RowsCarryWhatTheClientAskedFor) {
  const auto& version = embedded_kind("", "secrets")->versions.front();
  const auto secret = parsed(R"({"apiVersion":"v1","kind":"Secret","metadata":{"name":"a"},"type":"Opaque"})");
  const auto object = [&](Output::Include include) {
    return json::write(*json::find(table_row(version, output(include), secret, now()), "object"));
  };
  EXPECT_EQ(object(Output::Include::kNone), "null");
  EXPECT_EQ(object(Output::Include::kObject), json::write(secret));
  EXPECT_EQ(object(Output::Include::kMetadata),
            R"({"apiVersion":"meta.k8s.io/v1","kind":"PartialObjectMetadata","metadata":{"name":"a"}})");
}

TEST(Table, ShapesNameTheVersionThatWasAskedFor) {
  auto beta = output();
  beta.shape_version = "v1beta1";
  const auto table = make_table(beta, {}, {}, json::Object{{"resourceVersion", "7"}});
  EXPECT_EQ(json::write(table), R"({"apiVersion":"meta.k8s.io/v1beta1","columnDefinitions":null,"kind":"Table",)"
                                R"("metadata":{"resourceVersion":"7"},"rows":[]})");
  EXPECT_EQ(json::string_or(partial_metadata(beta, json::Object()), "apiVersion"), "meta.k8s.io/v1beta1");
}

TEST(Table, RowsOfEndedPodsSaySo) {
  const auto& version = embedded_kind("", "pods")->versions.front();
  const auto conditions = [&](std::string_view phase) {
    const auto row = table_row(version, output(), json::Object{{"status", json::Object{{"phase", phase}}}}, now());
    const auto* list = json::array_at(row, "conditions");
    return list == nullptr ? std::string() : json::string_or(list->front(), "reason");
  };
  EXPECT_EQ(conditions("Succeeded"), "Succeeded");
  EXPECT_EQ(conditions("Failed"), "Failed");
  EXPECT_EQ(conditions("Running"), "");
}

}  // namespace
}  // namespace chandler::apiserver
