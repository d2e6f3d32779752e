#include "reconcilers/usage/usage_story_fixture.h"

namespace chandler::reconcilers::testing {
namespace {

using ::testing::HasSubstr;

struct KindRow {
  std::string name;
  std::string reason;
  std::string resource;
  std::string path;
  std::string want;
};

TEST_F(UsageStory, AUsageKindSaysWhetherItCanBeUsed) {
  serve_functions(
      "{type: object, properties: {deployment: {type: object, x-kubernetes-preserve-unknown-fields: true}, size: "
      "{type: "
      "integer}, tags: {type: object, additionalProperties: {type: string}}}}");
  const std::string function = "{group: kubeless.io, kind: function, version: v1beta1}";
  const std::vector<KindRow> rows = {
      {"deployment", "as it is shipped", "{group: apps, kind: Deployment, version: v1}",
       "spec.template.metadata.labels",
       "Ready=True:Usable Established=True:KindServed Accessible=True:AccessGranted PathValid=True:PathFound"},
      {"plural", "any name of the kind", "{group: apps, kind: deployments}", "spec.template.metadata.labels",
       "Ready=True:Usable Established=True:KindServed Accessible=True:AccessGranted PathValid=True:PathFound"},
      {"old-version", "the design's apps/v1beta1", "{group: apps, kind: deployment, version: v1beta1}",
       "spec.template.metadata.labels",
       "Ready=True:Usable Established=True:VersionNotServed Accessible=True:AccessGranted PathValid=True:PathFound"},
      {"typo", "of a kind whose path is known", "{group: apps, kind: deployment}", "spec.metadata.labels",
       "Ready=False:PathNotInSchema Established=True:KindServed Accessible=True:AccessGranted "
       "PathValid=False:PathNotInSchema"},
      {"function", "the schema leaves it open", function, "spec.deployment.spec.template.metadata.labels",
       "Ready=True:Usable Established=True:KindServed Accessible=True:AccessGranted PathValid=True:PathFound"},
      {"dropped", "the schema would drop it", function, "spec.labels",
       "Ready=False:PathNotInSchema Established=True:KindServed Accessible=True:AccessGranted "
       "PathValid=False:PathNotInSchema"},
      {"number", "no place for labels", function, "spec.size",
       "Ready=False:PathNotLabels Established=True:KindServed Accessible=True:AccessGranted "
       "PathValid=False:PathNotLabels"},
      {"service", "a schema that is not to be seen", "{kind: Service}", "spec.selector",
       "Ready=True:Usable Established=True:KindServed Accessible=True:AccessGranted PathValid=Unknown:SchemaUnknown"},
      {"nothing", "no such kind", "{group: x.io, kind: Thing}", "spec.labels",
       "Ready=False:KindNotServed Established=False:KindNotServed Accessible=Unknown:KindNotServed "
       "PathValid=Unknown:KindNotServed"},
      {"cluster", "workloads live in namespaces", "{kind: Namespace}", "metadata.labels",
       "Ready=False:KindNotNamespaced Established=False:KindNotNamespaced Accessible=Unknown:KindNotServed "
       "PathValid=Unknown:KindNotServed"},
  };
  for (const auto& row : rows) apply_usage_kind(row.name, row.resource, row.path);
  settle();
  for (const auto& row : rows) {
    SCOPED_TRACE(row.name + ": " + row.reason);
    EXPECT_EQ(conditions(row.name, kUsageKinds), row.want) << message(kReady, row.name, kUsageKinds);
  }
  expect_quiet();
}

TEST_F(UsageStory, AUsageKindWithoutRightsPrintsTheRole) {
  api.denied = {"controller get deployments"};
  apply_usage_kind();
  settle();
  EXPECT_THAT(conditions("deployment", kUsageKinds), HasSubstr("Accessible=False:AccessDenied"));
  EXPECT_THAT(message(usage::kAccessible, "deployment", kUsageKinds), HasSubstr("kind: ClusterRole\n"));
  EXPECT_THAT(message(usage::kAccessible, "deployment", kUsageKinds), HasSubstr("resources: [\"deployments\"]"));
  api.denied.clear();
  advance(kAskAboutRightsAgain);
  EXPECT_THAT(conditions("deployment", kUsageKinds), HasSubstr("Ready=True"));
}

// The eight steps of the design.
TEST_F(UsageStory, AUsageKindWaitsForItsUsages) {
  apply_all();                            // 1
  remove(kUsageKinds, "deployment", "");  // 2
  settle();                               // 3
  auto kind = objects.get(kUsageKinds, "", "deployment");
  ASSERT_TRUE(kind);
  EXPECT_TRUE(has_finalizer(kind, kUsageKindFinalizer));
  EXPECT_THAT(message(usage::kInUse, "deployment", kUsageKinds), HasSubstr("dev/use"));
  EXPECT_EQ(reason(), "Delivered") << "what is delivered stays delivered";
  expect_quiet();
  // Nothing new comes in its last days.
  apply_deployment("late");
  apply_usage("late", "b", "late");
  settle();
  EXPECT_EQ(reason(kReady, "late"), "UsageKindBeingDeleted");
  EXPECT_EQ(labels("late"), R"({"app":"web"})");
  remove(kUsages, "late");
  settle();
  EXPECT_TRUE(exists(kUsageKinds, "deployment", ""));
  remove(kUsages, "use");  // 4
  settle();                // 5, 6, 7, 8
  EXPECT_FALSE(exists(kUsages, "use"));
  EXPECT_FALSE(exists(kUsageKinds, "deployment", ""));
  EXPECT_EQ(labels(), R"({"app":"web"})");
  const auto& log = objects.log;
  const auto last = [&](std::string_view line) { return std::find(log.rbegin(), log.rend(), line) - log.rbegin(); };
  EXPECT_GT(last("update deployments dev/web"), last("delete podpresets dev/usage-u-use"));
  EXPECT_GT(last("delete podpresets dev/usage-u-use"), last("update servicebindingusages dev/use"));
  EXPECT_GT(last("update servicebindingusages dev/use"), last("update usagekinds deployment"));
}

TEST_F(UsageStory, FinalizersAreAddedWhereNoAdmissionDoes) {
  objects.put(kUsageKinds,
              "{apiVersion: servicecatalog.kyma-project.io/v1alpha1, kind: UsageKind, metadata: {name: deployment, "
              "generation: 1}, spec: {displayName: D, resource: {group: apps, kind: deployment}, labelsPath: "
              "spec.template.metadata.labels}}");
  objects.put(
      kUsages,
      "{apiVersion: servicecatalog.kyma-project.io/v1alpha1, kind: ServiceBindingUsage, metadata: {name: use, "
      "namespace: dev, generation: 1}, spec: {serviceBindingRef: {name: b}, usedBy: {kind: deployment, name: web}}}");
  apply_binding();
  apply_deployment();
  settle();
  EXPECT_TRUE(has_finalizer(objects.get(kUsageKinds, "", "deployment"), kUsageKindFinalizer));
  EXPECT_TRUE(has_finalizer(objects.get(kUsages, "dev", "use"), kUsageFinalizer));
  const auto& log = objects.log;
  EXPECT_EQ(*std::find_if(log.begin(), log.end(),
                          [](const std::string& line) { return line.find("dev/use") != std::string::npos; }),
            "update servicebindingusages dev/use")
      << "before any effect";
  EXPECT_EQ(reason(), "Delivered");
}

}  // namespace
}  // namespace chandler::reconcilers::testing
