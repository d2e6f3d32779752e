#include "reconcilers/usage/usage_story_fixture.h"
#include "resolve/label_projection.h"

namespace chandler::reconcilers::testing {
namespace {

using ::testing::HasSubstr;
using ::testing::Not;
using ::testing::StartsWith;

constexpr std::string_view kAllGood =
    "Ready=True:Delivered BindingReady=True:BindingReady UsageKindResolved=True:UsageKindResolved "
    "AccessGranted=True:AccessGranted LabelsApplied=True:LabelsApplied RolledOut=Unknown:NotTracked";

TEST_F(UsageStory, DeliversAndTakesBack) {
  apply_usage_kind();
  apply_binding();
  apply_deployment();
  const auto start_of_web = content(kDeployments, "web");
  apply_usage();
  settle();
  EXPECT_EQ(conditions(), kAllGood);
  EXPECT_EQ(own_label_value().size(), 10U);
  const auto preset = objects.get(kPodPresets, "dev", "usage-u-use");
  ASSERT_TRUE(preset);
  EXPECT_EQ(json::write(spec_of(preset)),
            R"({"envFrom":[{"secretRef":{"name":"b-secret"}}],"selector":{"matchExpressions":[{"key":"use-u-use",)"
            R"("operator":"Exists"}]}})");
  EXPECT_TRUE(has_owner(preset, "u-use"));
  const auto usage = objects.get(kUsages, "dev", "use");
  EXPECT_TRUE(has_owner(usage, objects.get(kBindings, "dev", "b").uid())) << "a usage goes with its binding";
  EXPECT_EQ(json::write(member(status_of(usage), {"snapshot", "resource"})),
            R"({"group":"apps","kind":"Deployment","plural":"deployments","version":"v1"})");
  EXPECT_EQ(number_at(status_of(usage), "observedGeneration"), 1);
  EXPECT_TRUE(has_event("Delivered"));
  expect_quiet();

  remove(kUsages, "use");
  settle();
  EXPECT_FALSE(exists(kUsages, "use"));
  EXPECT_FALSE(exists(kPodPresets, "usage-u-use"));
  EXPECT_EQ(content(kDeployments, "web"), start_of_web);
}

TEST_F(UsageStory, TheSnapshotIsStoredBeforeTheWorkloadIsTouched) {
  apply_usage_kind();
  apply_binding();
  apply_deployment();
  apply_usage();
  settle();
  const auto& log = objects.log;
  const auto touched = std::find(log.begin(), log.end(), "update deployments dev/web");
  ASSERT_NE(touched, log.end());
  EXPECT_NE(std::find(log.begin(), touched, "status servicebindingusages dev/use"), touched);
  EXPECT_NE(std::find(log.begin(), touched, "create podpresets dev/usage-u-use"), touched);
}

TEST_F(UsageStory, ARefusalByTheApiIsTold) {
  apply_usage_kind();
  apply_binding();
  apply_deployment();
  const auto start_of_web = content(kDeployments, "web");
  bool refuses = true;
  objects.fail_before = [&](const client::Write& write) -> std::optional<Error> {
    if (!refuses || write.kind != kDeployments) return std::nullopt;
    return bad_request("a policy forbids labels here");
  };
  apply_usage();
  settle();
  advance(std::chrono::minutes(1));
  EXPECT_EQ(reason(usage::kLabelsApplied), "EnsureLabelsAppliedError");
  EXPECT_THAT(message(kReady), HasSubstr("a policy forbids labels here"));
  EXPECT_TRUE(has_event("EnsureLabelsAppliedError"));
  const auto told = api.writes["servicebindingusages/dev/use"];
  advance(std::chrono::minutes(10));
  EXPECT_EQ(api.writes["servicebindingusages/dev/use"], told) << "once is enough";

  refuses = false;
  advance(std::chrono::minutes(10));
  EXPECT_EQ(conditions(), kAllGood);
  refuses = true;
  remove(kUsages, "use");
  settle();
  advance(std::chrono::minutes(1));
  EXPECT_EQ(reason(usage::kLabelsApplied), "EnsureLabelsDeletedError") << "a deletion that waits says for what";
  refuses = false;
  advance(std::chrono::minutes(10));
  EXPECT_FALSE(exists(kUsages, "use"));
  EXPECT_EQ(content(kDeployments, "web"), start_of_web);
}

TEST_F(UsageStory, AnAbsentVersionAndOneThatIsNotServedLeadToThePreferredOne) {
  apply_usage_kind("deployment", "{group: apps, kind: deployment, version: v1beta1}");
  apply_usage_kind("other", "{group: apps, kind: Deployment}");
  apply_binding();
  apply_deployment();
  apply_usage("one");
  apply_usage("two", "b", "web", "", "other");
  settle();
  EXPECT_EQ(reason(usage::kUsageKindResolved, "one"), "VersionNotServed");
  EXPECT_THAT(message(usage::kUsageKindResolved, "one"), HasSubstr("v1 is used instead"));
  EXPECT_EQ(reason(kReady, "one"), "Delivered");
  EXPECT_EQ(reason(usage::kUsageKindResolved, "two"), "UsageKindResolved");
}

TEST_F(UsageStory, WhatIsMissingHasAConditionAndNothingIsTouched) {
  // Each part comes later than the one before; until it is there the usage says which.
  apply_usage();
  settle();
  EXPECT_EQ(reason(), "ServiceBindingGetError");
  EXPECT_EQ(reason(usage::kUsageKindResolved), "UsageKindNotFound");
  apply_binding();
  objects.remove(kSecrets, "dev", "b-secret");
  settle();
  EXPECT_EQ(reason(), "SecretNotFound");
  edit(kBindings, "b", [](json::Object& root) { object_in(root, "status").erase("conditions"); });
  settle();
  EXPECT_EQ(reason(), "ServiceBindingNotReadyError");
  edit(kBindings, "b", [](json::Object& root) { object_in(root, "status")["asyncOpInProgress"] = true; });
  settle();
  EXPECT_EQ(reason(), "ServiceBindingAsyncOperationInProgressError");
  apply_binding();
  settle();
  EXPECT_EQ(reason(), "UsageKindNotFound");
  EXPECT_THAT(message(), HasSubstr("svcat get usagekinds"));
  apply_usage_kind("deployment", "{group: apps, kind: deplyoment}");
  settle();
  EXPECT_EQ(reason(), "KindNotServed");
  apply_usage_kind("deployment", "{group: rbac.authorization.k8s.io, kind: ClusterRole}");
  settle();
  EXPECT_EQ(reason(), "KindNotNamespaced");
  apply_usage_kind("deployment", "{group: apps, kind: deployment}", "status.labels");
  settle();
  EXPECT_EQ(reason(), "LabelsPathInvalid");
  apply_usage_kind();
  settle();
  EXPECT_EQ(reason(), "WorkloadNotFound");
  EXPECT_THAT(conditions(), HasSubstr("AccessGranted=True:AccessGranted"));
  EXPECT_FALSE(exists(kPodPresets, "usage-u-use"));
  apply_deployment();
  settle();
  EXPECT_EQ(conditions(), kAllGood) << "a workload that comes late is bound";
  expect_quiet();
}

TEST_F(UsageStory, ADeniedRightIsNamedWithTheRoleThatGrantsIt) {
  apply_usage_kind();
  apply_binding();
  apply_deployment();
  const auto untouched = content(kDeployments, "web");
  api.denied = {"controller update deployments"};
  apply_usage();
  settle();
  EXPECT_EQ(reason(usage::kAccessGranted), "ControllerAccessDenied");
  EXPECT_THAT(message(usage::kAccessGranted), HasSubstr("may not update deployments in API group \"apps\""));
  EXPECT_THAT(message(usage::kAccessGranted), HasSubstr("kind: Role\n"));
  EXPECT_THAT(message(usage::kAccessGranted),
              HasSubstr("- {kind: ServiceAccount, namespace: kube-system, name: binding-usage-controller}"));
  EXPECT_EQ(content(kDeployments, "web"), untouched);
  EXPECT_FALSE(exists(kPodPresets, "usage-u-use"));

  api.denied = {"ann get deployments", "ann update deployments"};
  advance(kAskAboutRightsAgain);
  EXPECT_EQ(reason(usage::kAccessGranted), "RequesterAccessDenied");
  EXPECT_THAT(message(usage::kAccessGranted), HasSubstr("verbs: [\"get\", \"update\"]"));
  EXPECT_EQ(content(kDeployments, "web"), untouched);

  api.denied.clear();
  advance(kAskAboutRightsAgain);
  EXPECT_EQ(conditions(), kAllGood);
}

TEST_F(UsageStory, ADeletionThatMayNotChangeTheWorkloadSaysSoAndWaits) {
  apply_all();
  api.denied = {"controller update deployments"};
  remove(kUsages, "use");
  settle();
  EXPECT_EQ(reason(usage::kAccessGranted), "ControllerAccessDenied");
  EXPECT_THAT(message(usage::kAccessGranted), StartsWith("The labels on deployment.apps \"web\" have to be taken off"));
  api.denied.clear();
  advance(kAskAboutRightsAgain);
  EXPECT_FALSE(exists(kUsages, "use"));
  EXPECT_EQ(labels(), R"({"app":"web"})");
}

TEST_F(UsageStory, LabelsOfTheClassAreSharedAndConflictsTouchNothing) {
  apply_usage_kind();
  apply_binding("b");
  apply_binding("b2");
  apply_class("{tier: cache, use: redis}");
  apply_deployment("web");
  apply_deployment("taken", "{app: web, tier: mine}");
  const auto web = content(kDeployments, "web");
  const auto taken = content(kDeployments, "taken");
  apply_usage("one", "b", "web");
  apply_usage("two", "b2", "web");
  apply_usage("three", "b", "taken");
  settle();
  EXPECT_EQ(reason(kReady, "one"), "Delivered");
  EXPECT_EQ(reason(kReady, "two"), "Delivered");
  EXPECT_THAT(labels(), HasSubstr(R"("tier":"cache")"));
  EXPECT_EQ(reason(kReady, "three"), "LabelConflict");
  EXPECT_THAT(message(kReady, "three"), HasSubstr("label tier at spec.template.metadata.labels is \"mine\""));
  EXPECT_EQ(content(kDeployments, "taken"), taken);
  // The class changes its mind: both follow.
  apply_class("{tier: store}");
  settle();
  EXPECT_EQ(reason(kReady, "one"), "Delivered");
  EXPECT_EQ(reason(kReady, "two"), "Delivered");
  EXPECT_THAT(labels(), HasSubstr(R"("tier":"store")"));
  EXPECT_THAT(labels(), Not(HasSubstr("redis")));
  // And goes: what it said last still stands.
  objects.remove(kClusterClasses, "", "c1");
  settle();
  EXPECT_THAT(labels(), HasSubstr(R"("tier":"store")"));
  expect_quiet();
  remove(kUsages, "one");
  settle();
  EXPECT_THAT(labels(), HasSubstr(R"("tier":"store")")) << "the other usage still wants it";
  remove(kUsages, "two");
  settle();
  EXPECT_EQ(content(kDeployments, "web"), web);
  // The conflict is solved by the user.
  apply_class("{tier: cache}");
  apply_deployment("taken");
  settle();
  EXPECT_EQ(reason(kReady, "three"), "Delivered");
}

TEST_F(UsageStory, ABadLabelOfTheClassIsReported) {
  apply_class("{'not a label': x}");
  apply_all();
  EXPECT_EQ(reason(), "ServiceClassGetBindingLabelsError");
  EXPECT_EQ(labels(), R"({"app":"web"})");
}

TEST_F(UsageStory, APathThroughSomethingElseIsAClearCondition) {
  apply_usage_kind("deployment", "{group: apps, kind: deployment}", "spec.replicas.labels");
  apply_binding();
  apply_deployment();
  edit(kDeployments, "web", [](json::Object& root) { object_in(root, "spec")["replicas"] = 2; });
  apply_usage();
  settle();
  EXPECT_EQ(reason(), "LabelsPathBlocked");
  EXPECT_THAT(message(), HasSubstr("spec.replicas is integer and not an object"));
}

TEST_F(UsageStory, NothingIsPutWhereTheApiWouldDropIt) {
  apply_usage_kind("deployment", "{group: apps, kind: deployment}", "spec.metadata.labels");
  apply_binding();
  apply_deployment();
  apply_usage();
  settle();
  EXPECT_EQ(reason(), "PathNotInSchema");
  EXPECT_THAT(message(), HasSubstr("correct spec.labelsPath"));
  EXPECT_EQ(api.writes["deployments/dev/web"], 0);
}

TEST_F(UsageStory, ADamagedRecordIsReportedAndItsRemovalHeals) {
  apply_all();
  const auto set = [&](std::optional<std::string> value) {
    edit(kDeployments, "web", [&](json::Object& root) {
      auto& annotations = object_in(object_in(root, "metadata"), "annotations");
      annotations.erase(resolve::kLabelRecord);
      if (value) annotations[resolve::kLabelRecord] = reconcilers::text(*value);
    });
    settle();
  };
  set("{}");
  EXPECT_EQ(reason(), "LabelRecordUnreadable");
  set(std::nullopt);
  EXPECT_EQ(conditions(), kAllGood);
}

TEST_F(UsageStory, DriftIsHealedAndAWorkloadThatComesAgainIsBoundAgain) {
  apply_all();
  const auto good = labels();
  edit(kDeployments, "web", [](json::Object& root) {
    object_in(object_in(object_in(root, "spec"), "template"), "metadata")["labels"] = json::Object{{"app", "web"}};
  });
  settle();
  EXPECT_EQ(labels(), good);
  objects.remove(kDeployments, "dev", "web");
  settle();
  EXPECT_EQ(reason(), "WorkloadNotFound");
  apply_deployment();
  settle();
  EXPECT_EQ(labels(), good);
  EXPECT_EQ(conditions(), kAllGood);
  // Somebody else's deletion of what the usage made is healed too.
  objects.remove(kPodPresets, "dev", "usage-u-use");
  settle();
  EXPECT_TRUE(exists(kPodPresets, "usage-u-use"));
}

TEST_F(UsageStory, AWorkloadBeingDeletedIsLeftAlone) {
  apply_usage_kind();
  apply_binding();
  apply_deployment();
  edit(kDeployments, "web", [](json::Object& root) {
    auto& metadata = object_in(root, "metadata");
    metadata["finalizers"] = json::Array{"x.io/f"};
    metadata["deletionTimestamp"] = "2026-01-01T00:00:00Z";
  });
  apply_usage();
  settle();
  EXPECT_EQ(reason(), "WorkloadBeingDeleted");
  EXPECT_EQ(labels(), R"({"app":"web"})");
}

TEST_F(UsageStory, ARotatedSecretRollsTheWorkloadWhenAskedTo) {
  apply_usage_kind();
  apply_binding();
  apply_deployment("web");
  apply_deployment("calm");
  apply_usage("loud", "b", "web", "onSecretChange: Restart");
  apply_usage("still", "b", "calm");
  settle();
  const auto before = own_label_value("loud", "web");
  const auto calm = labels("calm");
  apply_secret("b-secret", "s3cret-2");
  settle();
  EXPECT_NE(own_label_value("loud", "web"), before);
  EXPECT_EQ(labels("calm"), calm);
  apply_secret("b-secret", "s3cret");
  settle();
  EXPECT_EQ(own_label_value("loud", "web"), before) << "the value says what is delivered, not how often it changed";
  edit(kSecrets, "b-secret", [](json::Object& root) { object_in(object_in(root, "metadata"), "labels")["x"] = "y"; });
  settle();
  EXPECT_EQ(own_label_value("loud", "web"), before) << "only the content counts";
  EXPECT_EQ(api.writes["deployments/dev/web"], 3);
  EXPECT_EQ(api.writes["deployments/dev/calm"], 1);
}

TEST_F(UsageStory, APrefixReachesThePreset) {
  apply_all();
  const auto before = own_label_value();
  edit(kUsages, "use", [](json::Object& root) {
    object_in(root, "spec")["parameters"] = json::Object{{"envPrefix", {{"name", "DB_"}}}};
  });
  settle();
  const auto preset = objects.get(kPodPresets, "dev", "usage-u-use");
  EXPECT_THAT(json::write(spec_of(preset)), HasSubstr(R"("prefix":"DB_")"));
  EXPECT_NE(own_label_value(), before) << "pods have to start anew to see it";
  EXPECT_EQ(number_at(status_of(objects.get(kUsages, "dev", "use")), "observedGeneration"), 2);
}

TEST_F(UsageStory, AnotherWorkloadIsLeftAsItWas) {
  apply_all();
  apply_deployment("other");
  const auto web = R"({"app":"web"})";
  edit(kUsages, "use", [](json::Object& root) { object_in(object_in(root, "spec"), "usedBy")["name"] = "other"; });
  settle();
  EXPECT_EQ(labels("web"), web);
  EXPECT_THAT(labels("other"), HasSubstr("use-u-use"));
  // To one that does not exist: the old one is given up all the same.
  edit(kUsages, "use", [](json::Object& root) { object_in(object_in(root, "spec"), "usedBy")["kind"] = "nothing"; });
  settle();
  EXPECT_EQ(labels("other"), web);
  EXPECT_EQ(reason(), "UsageKindNotFound");
  EXPECT_TRUE(member(status_of(objects.get(kUsages, "dev", "use")), "snapshot").is_null());
  expect_quiet();
}

TEST_F(UsageStory, AnEditedUsageKindMovesTheLabels) {
  apply_usage_kind();
  apply_binding();
  apply_deployment();
  const auto start_of_web = content(kDeployments, "web");
  apply_usage();
  settle();
  edit(
      kUsageKinds, "deployment", [](json::Object& root) { object_in(root, "spec")["labelsPath"] = "metadata.labels"; },
      "");
  settle();
  EXPECT_EQ(labels(), R"({"app":"web"})");
  EXPECT_THAT(json::write(member(objects.get(kDeployments, "dev", "web").value(), {"metadata", "labels"})),
              HasSubstr("use-u-use"));
  // A new name for people changes nothing.
  const auto before = api.total;
  edit(
      kUsageKinds, "deployment", [](json::Object& root) { object_in(root, "spec")["displayName"] = "Y"; }, "");
  settle();
  EXPECT_EQ(api.total, before + 1) << "the UsageKind's own observedGeneration";
  remove(kUsages, "use");
  settle();
  EXPECT_EQ(content(kDeployments, "web"), start_of_web);
}

TEST_F(UsageStory, AForceDeletedUsageKindStrandsNothing) {
  apply_usage_kind();
  apply_binding();
  apply_deployment();
  const auto start_of_web = content(kDeployments, "web");
  apply_usage();
  settle();
  const auto bound = labels();
  objects.remove(kUsageKinds, "", "deployment");
  settle();
  EXPECT_EQ(reason(), "UsageKindNotFound");
  EXPECT_THAT(message(), HasSubstr("stays as status.snapshot says"));
  EXPECT_THAT(conditions(), HasSubstr("LabelsApplied=Unknown:Waiting"));
  EXPECT_EQ(labels(), bound);
  remove(kUsages, "use");
  settle();
  EXPECT_FALSE(exists(kUsages, "use"));
  EXPECT_EQ(content(kDeployments, "web"), start_of_web);
}

TEST_F(UsageStory, AKindOfWorkloadThatIsGoneHoldsNoUsage) {
  apply_usage_kind("function", "{group: kubeless.io, kind: function, version: v1beta1}",
                   "spec.deployment.spec.template.metadata.labels");
  apply_binding();
  apply_usage("use", "b", "redis-client", "", "function");
  serve_functions();
  apply_function();
  settle();
  EXPECT_EQ(reason(), "Delivered");
  objects.remove(kFunctions, "dev", "redis-client");
  objects.served.pop_back();
  objects.remove(kCrds, "", "functions.kubeless.io");
  settle();
  EXPECT_EQ(reason(), "KindNotServed");
  remove(kUsages, "use");
  settle();
  EXPECT_FALSE(exists(kUsages, "use"));
}

TEST_F(UsageStory, TheFunctionOfTheDesignWorksOnceItsKindIsThere) {
  apply_usage_kind("function", "{group: kubeless.io, kind: function, version: v1beta1}",
                   "spec.deployment.spec.template.metadata.labels");
  apply_binding("redis-instance-credential");
  apply_usage("fn-redis-client", "redis-instance-credential", "redis-client", "", "function");
  settle();
  EXPECT_EQ(reason(kReady, "fn-redis-client"), "KindNotServed");
  serve_functions();
  settle();
  EXPECT_EQ(reason(kReady, "fn-redis-client"), "WorkloadNotFound");
  apply_function();
  settle();
  EXPECT_EQ(reason(kReady, "fn-redis-client"), "Delivered");
  const auto function = objects.get(kFunctions, "dev", "redis-client");
  EXPECT_THAT(json::write(member(function.value(), {"spec", "deployment", "spec", "template", "metadata", "labels"})),
              HasSubstr("use-u-fn-redis-client"))
      << "a path that does not exist is made";
  remove(kUsages, "fn-redis-client");
  settle();
  EXPECT_EQ(json::write(spec_of(objects.get(kFunctions, "dev", "redis-client"))), R"({"runtime":"python"})");
}

TEST_F(UsageStory, AJobThatHasBegunCannotBeBoundAndDoesNotHoldItsUsage) {
  apply_usage_kind("job", "{group: batch, kind: Job}");
  apply_binding();
  const auto job = [&](std::string_view name, bool suspended) {
    apply({"batch", "jobs"},
          fmt::format("{{apiVersion: batch/v1, kind: Job, metadata: {{name: {}}}, spec: {{suspend: {}, "
                      "template: {{spec: {{restartPolicy: Never, containers: [{{name: c, image: i}}]}}}}}}}}",
                      name, suspended));
  };
  job("begun", false);
  job("waiting", true);
  apply_usage("one", "b", "begun", "", "job");
  apply_usage("two", "b", "waiting", "", "job");
  settle();
  EXPECT_EQ(reason(kReady, "one"), "WorkloadImmutable");
  EXPECT_THAT(message(kReady, "one"), HasSubstr("spec.suspend: true"));
  EXPECT_EQ(reason(kReady, "two"), "Delivered");
  edit({"batch", "jobs"}, "waiting", [](json::Object& root) { object_in(root, "spec")["suspend"] = false; });
  settle();
  EXPECT_EQ(reason(kReady, "two"), "Delivered");
  remove(kUsages, "one");
  remove(kUsages, "two");
  settle();
  EXPECT_FALSE(exists(kUsages, "one"));
  EXPECT_FALSE(exists(kUsages, "two"));
}

TEST_F(UsageStory, TheSnapshotIsExportedWhereAskedFor) {
  apply_usage_kind();
  apply_binding();
  apply_deployment();
  objects.put(kSnapshotMaps,
              "{apiVersion: v1, kind: ConfigMap, metadata: {name: taken, namespace: dev}, data: {a: b}}");
  apply_usage("use", "b", "web", "snapshotConfigMapName: taken");
  settle();
  EXPECT_EQ(reason(usage::kSnapshotExported), "ConfigMapTaken");
  EXPECT_EQ(reason(), "Delivered") << "a copy that could not be made keeps nobody from his credentials";
  const auto name_it = [&](std::string_view name) {
    edit(kUsages, "use",
         [&](json::Object& root) { object_in(root, "spec")["snapshotConfigMapName"] = reconcilers::text(name); });
    settle();
  };
  api.denied = {"ann create configmaps"};
  name_it("mine");
  EXPECT_EQ(reason(usage::kSnapshotExported), "ConfigMapDenied") << "a usage is no way around rights";
  EXPECT_FALSE(exists(kSnapshotMaps, "mine"));
  api.denied.clear();
  advance(kAskAboutRightsAgain);
  EXPECT_EQ(reason(usage::kSnapshotExported), "SnapshotExported");
  const auto map = objects.get(kSnapshotMaps, "dev", "mine");
  ASSERT_TRUE(map);
  EXPECT_THAT(json::write(member(map.value(), "data")), HasSubstr("spec.template.metadata.labels"));
  name_it("other");
  EXPECT_FALSE(exists(kSnapshotMaps, "mine"));
  EXPECT_TRUE(exists(kSnapshotMaps, "other"));
  EXPECT_EQ(text_at(member(objects.get(kSnapshotMaps, "dev", "taken").value(), "data"), "a"), "b");
  expect_quiet();
}

TEST_F(UsageStory, ARolloutIsFollowed) {
  apply_all();
  const auto report = [&](int64_t seen, int64_t updated) {
    edit(kDeployments, "web", [&](json::Object& root) {
      object_in(root, "status") = {
          {"observedGeneration", seen}, {"updatedReplicas", updated}, {"availableReplicas", 1}};
    });
    settle();
  };
  report(1, 1);
  EXPECT_EQ(reason(usage::kRolledOut), "RollingOut") << "it has not seen the new template";
  report(2, 0);
  EXPECT_EQ(reason(usage::kRolledOut), "RollingOut");
  report(2, 1);
  EXPECT_EQ(reason(usage::kRolledOut), "RolledOut");
  EXPECT_EQ(reason(), "Delivered");
}

TEST_F(UsageStory, ConflictsOfPodsReachTheUsage) {
  apply_all();
  const auto pod = [&](std::string_view name, std::string_view time, std::string_view annotation) {
    objects.put(
        kPods,
        fmt::format("{{apiVersion: v1, kind: Pod, metadata: {{name: {}, namespace: dev, creationTimestamp: '{}', "
                    "annotations: {{{}}}}}}}",
                    name, time, annotation));
    settle();
  };
  pod("p1", "2026-01-01T00:00:01Z",
      R"('podpreset.admission.kubernetes.io/conflicts': '{"usage-u-use":"container \"c\": env \"A\" differs"}')");
  EXPECT_EQ(reason(usage::kPodsInjected), "PodPresetConflict");
  EXPECT_THAT(message(usage::kPodsInjected), HasSubstr("env \"A\" differs"));
  EXPECT_TRUE(has_event("PodPresetConflict"));
  expect_quiet();
  pod("p2", "2026-01-01T00:00:02Z", "'podpreset.admission.kubernetes.io/podpreset-usage-u-use': '1'");
  EXPECT_EQ(reason(usage::kPodsInjected), "Injected");
  edit(kPods, "p1", [](json::Object& root) { object_in(root, "metadata")["labels"] = json::Object{{"x", "y"}}; });
  settle();
  EXPECT_EQ(reason(usage::kPodsInjected), "Injected") << "the youngest pod counts";
  expect_quiet();
}

}  // namespace
}  // namespace chandler::reconcilers::testing
