// Which class and plan an instance gets: every way to name them, and every combination of defaults.
#include "reconcilers/reconciler_fixture.h"

namespace chandler::reconcilers::testing {
namespace {

class InstanceResolution : public CatalogStory {
 protected:
  InstanceResolution() { broker.hold = true; }

  // What was decided: the rule and the plan, or the reason why nothing was.
  std::string decided() {
    settle();
    if (broker.held.empty()) return conditions();
    return text_at(at(kInstances, "mydb", "status.resolution"), "rule") + " " +
           text_at(at(kInstances, "mydb", "status.resolution"), "planName");
  }
  void offer_both_scopes() {
    register_catalog();
    apply(kBrokers,
          "{apiVersion: servicecatalog.k8s.io/v1beta1, kind: ServiceBroker, metadata: {name: azure, namespace: dev}, "
          "spec: {url: \"https://dev.example.com\"}}");
    apply_class("nc1", "externalName: mysql", Scope::kNamespace);
    apply_plan("np1", "externalName: small", Scope::kNamespace, "nc1");
    apply_plan("np2", "externalName: large", Scope::kNamespace, "nc1");
  }
};

struct World : InstanceResolution {
  void TestBody() override {}
  using InstanceResolution::apply_class;
  using InstanceResolution::apply_instance;
  using InstanceResolution::apply_plan;
  using InstanceResolution::decided;
  using InstanceResolution::instance;
  using InstanceResolution::message;
  using InstanceResolution::offer_both_scopes;
};

TEST(InstanceReferences, ByAnyNameInBothScopes) {
  const struct {
    std::string spec, expected, refs;
  } rows[] = {
      {"{clusterServiceClassExternalName: mysql, clusterServicePlanExternalName: large}", "Named p2", "c1 p2"},
      {"{clusterServiceClassExternalID: c1, clusterServicePlanExternalID: p2}", "Named p2", "c1 p2"},
      {"{clusterServiceClassName: c1, clusterServicePlanName: p2}", "Named p2", "c1 p2"},
      {"{serviceClassExternalName: mysql, servicePlanExternalName: large}", "Named np2", "nc1 np2"},
      {"{serviceClassExternalID: nc1, servicePlanExternalID: np2}", "Named np2", "nc1 np2"},
      {"{serviceClassName: nc1, servicePlanName: np2}", "Named np2", "nc1 np2"},
      {"{clusterServiceClassExternalName: mysql, clusterServicePlanExternalName: huge}",
       "Ready=False:ReferencesNonexistentServicePlan", ""},
      {"{clusterServiceClassExternalName: redis, clusterServicePlanExternalName: small}",
       "Ready=False:ReferencesNonexistentServiceClass", ""},
      {"{serviceClassExternalName: redis}", "Ready=False:ReferencesNonexistentServiceClass", ""},
      {"{clusterServiceClassName: c1, clusterServicePlanName: np1}", "Ready=False:ReferencesNonexistentServicePlan",
       ""},
  };
  for (const auto& row : rows) {
    World world;
    world.offer_both_scopes();
    world.apply_instance(row.spec);
    EXPECT_EQ(world.decided(), row.expected) << row.spec;
    if (row.refs.empty()) continue;
    const bool cluster = row.refs[0] == 'c';
    const auto name = [&](std::string_view field) {
      return world.instance(fmt::format("spec.{}{}.name", cluster ? "clusterService" : "service", field));
    };
    EXPECT_EQ(
        name("ClassRef") + " " + name("PlanRef"),
        fmt::format("\"{}\" \"{}\"", row.refs.substr(0, row.refs.find(' ')), row.refs.substr(row.refs.find(' ') + 1)))
        << row.spec;
  }
}

// {0, 1, 2 default plans} x {0, 1, 2 suggested plans} in each scope, for every way to ask.
TEST(InstanceDefaultPlan, EveryCombination) {
  const auto first_of = [](int defaults, int suggested, const std::string& prefix) -> std::string {
    if (defaults == 1) return "DefaultPlan " + prefix + "d1";
    if (defaults > 1) return "ambiguous";
    if (suggested == 1) return "SuggestedPlan " + prefix + "s1";
    return suggested > 1 ? "ambiguous" : "";
  };
  for (int code = 0; code < 81; ++code) {
    const int nd = code % 3, ns = code / 3 % 3, cd = code / 9 % 3, cs = code / 27;
    const auto offer = [&](World& world) {
      world.offer_both_scopes();
      for (const auto scope : {Scope::kCluster, Scope::kNamespace}) {
        const bool cluster = scope == Scope::kCluster;
        const std::string prefix = cluster ? "c-" : "n-";
        world.apply_class(prefix + "class", fmt::format("externalName: {}db, serviceType: mysql", prefix), scope);
        // Never the only one, or that would decide.
        for (const auto* plain : {"x1", "x2"})
          world.apply_plan(prefix + plain, fmt::format("externalName: {}, serviceType: mysql", plain), scope,
                           prefix + "class");
        const auto mark = [&](int count, std::string_view letter, std::string_view annotation) {
          for (int i = 1; i <= count; ++i)
            world.apply_plan(fmt::format("{}{}{}", prefix, letter, i),
                             fmt::format("externalName: {}{}, serviceType: mysql", letter, i), scope, prefix + "class",
                             fmt::format("{}: \"true\"", annotation));
        };
        mark(cluster ? cd : nd, "d", kDefaultPlanAnnotation);
        mark(cluster ? cs : ns, "s", kSuggestedPlanAnnotation);
      }
    };
    const auto expect = [&](const std::string& spec, std::string expected) {
      if (expected.empty()) expected = "Ready=False:NoDefaultPlan";
      if (expected == "ambiguous") expected = "Ready=False:AmbiguousDefaultPlan";
      World world;
      offer(world);
      world.apply_instance(spec);
      EXPECT_EQ(world.decided(), expected)
          << spec << " with defaults " << nd << " here, " << cd << " in the cluster; suggested " << ns << ", " << cs
          << ": " << world.message();
    };
    const auto by_type = [&]() -> std::string {
      if (nd > 0) return first_of(nd, 0, "n-");
      if (cd > 0) return first_of(cd, 0, "c-");
      if (ns > 0) return first_of(0, ns, "n-");
      return first_of(0, cs, "c-");
    };
    expect("{serviceType: mysql}", by_type());
    if (ns == 0 && nd == 0) {
      expect("{clusterServiceClassName: c-class}", first_of(cd, cs, "c-"));
      expect("{clusterServiceClassName: c-class, clusterServicePlanName: c-x1}", "Named c-x1");
      expect("{serviceType: mysql, clusterServiceClassName: c-class}", first_of(cd, cs, "c-"));
      expect("{serviceType: redis, clusterServiceClassName: c-class}", "Ready=False:ServiceTypeMismatch");
      expect("{serviceType: redis, clusterServiceClassName: c-class, clusterServicePlanName: c-x1}",
             "Ready=False:ServiceTypeMismatch");
      expect("{serviceType: mysql, clusterServiceClassName: c-class, clusterServicePlanName: c-x1}", "Named c-x1");
    }
    if (cs == 0 && cd == 0) {
      expect("{serviceClassName: n-class}", first_of(nd, ns, "n-"));
      expect("{serviceClassName: n-class, servicePlanName: n-x1}", "Named n-x1");
      expect("{serviceType: mysql, serviceClassName: n-class}", first_of(nd, ns, "n-"));
      expect("{serviceType: redis, serviceClassName: n-class}", "Ready=False:ServiceTypeMismatch");
      expect("{serviceType: mysql, serviceClassName: n-class, servicePlanName: n-x1}", "Named n-x1");
      expect("{serviceType: redis, serviceClassName: n-class, servicePlanName: n-x1}",
             "Ready=False:ServiceTypeMismatch");
    }
    // What is marked in the other scope is nothing to a class.
    if (nd + ns > 0 && cd + cs > 0 && (nd != cd || ns != cs)) {
      expect("{clusterServiceClassName: c-class}", first_of(cd, cs, "c-"));
      expect("{serviceClassName: n-class}", first_of(nd, ns, "n-"));
    }
  }
}

// A plan may be of another type than its class: its own word counts.
TEST_F(InstanceResolution, APlanOfAnotherTypeThanItsClassIsServedAsItsOwn) {
  register_catalog();
  apply_class("c1", "externalName: mysql, serviceType: mysql");
  apply_plan("p2", "externalName: large, serviceType: mariadb");
  apply_instance("{serviceType: mysql, clusterServiceClassExternalName: mysql, clusterServicePlanExternalName: large}");
  EXPECT_EQ(decided(), "Ready=False:ServiceTypeMismatch");
  apply_instance(
      "{serviceType: mariadb, clusterServiceClassExternalName: mysql, clusterServicePlanExternalName: large}");
  EXPECT_EQ(decided(), "Named p2");
}

TEST_F(InstanceResolution, TheOnlyPlanOfAClassNeedsNoMark) {
  register_catalog();
  objects.remove(kClusterPlans, "", "p2");
  apply_instance("{clusterServiceClassExternalName: mysql}");
  EXPECT_EQ(decided(), "OnlyPlan p1");
}

TEST_F(InstanceResolution, AmbiguityNamesTheCandidates) {
  register_catalog();
  apply_class("c2", "externalName: mysql");
  apply_instance("{clusterServiceClassExternalName: mysql}");
  EXPECT_EQ(decided(), "Ready=False:AmbiguousReference");
  EXPECT_NE(message().find("c1, c2"), std::string::npos) << message();
}

TEST_F(InstanceResolution, AWrongPlanIsToldWhichExist) {
  register_catalog();
  apply_instance("{clusterServiceClassExternalName: mysql, clusterServicePlanExternalName: smal}");
  settle();
  EXPECT_NE(message().find("\"large\" of class \"mysql\""), std::string::npos) << message();
}

TEST_F(InstanceResolution, AnUnknownTypeIsToldWhichExist) {
  register_catalog();
  apply_class("c1", "externalName: mysql, serviceType: mysql");
  apply_instance("{serviceType: mysq}");
  settle();
  EXPECT_EQ(conditions(), "Ready=False:NoDefaultPlan");
  EXPECT_NE(message().find("Did you mean \"mysql\"?"), std::string::npos) << message();
  expect_quiet();
}

TEST_F(InstanceResolution, WhatIsRemovedOrDeletedDoesNotCount) {
  register_catalog();
  apply_instance("{clusterServiceClassExternalName: mysql, clusterServicePlanExternalName: small}");
  edit(
      kClusterPlans, "p1", [](json::Object& root) { object_in(root, "status")["removedFromBrokerCatalog"] = true; },
      "");
  EXPECT_EQ(decided(), "Ready=False:ReferencesDeletedServicePlan");
  edit(
      kClusterClasses, "c1", [](json::Object& root) { object_in(root, "status")["removedFromBrokerCatalog"] = true; },
      "");
  EXPECT_EQ(decided(), "Ready=False:ReferencesDeletedServiceClass");
}

// An operator gives one namespace its own defaults for what a broker of the cluster offers.
TEST_F(InstanceResolution, APlanOfTheNamespaceWithABrokerOfTheCluster) {
  broker.hold = false;
  register_catalog();
  apply_class("nc1", "externalName: mysql-dev", Scope::kNamespace);
  apply_plan("np1", "externalName: dev, defaultProvisionParameters: {size: 1}", Scope::kNamespace, "nc1");
  for (const auto& [kind, name] : {std::pair{kClasses, "nc1"}, std::pair{kPlans, "np1"}}) {
    edit_spec(kind, name, [](json::Object& spec) {
      spec.erase("serviceBrokerName");
      spec["clusterServiceBrokerName"] = "azure";
    });
  }
  apply_instance("{serviceClassExternalName: mysql-dev, servicePlanExternalName: dev}");
  settle();
  EXPECT_EQ(conditions(), "Ready=True:ProvisionedSuccessfully");
  EXPECT_EQ(json::write(broker.instances["id-mydb"].parameters), R"({"size":1})");
  EXPECT_EQ(instance("status.externalProperties.clusterServiceBrokerName"), R"("azure")");
  EXPECT_EQ(instance("status.externalProperties.servicePlanExternalID"), R"("np1")");
  remove(kInstances, "mydb");
  settle();
  EXPECT_EQ(conditions(), "gone");
}

// Whatever was missing, its arrival is noticed by itself: no time passes here.
TEST_F(InstanceResolution, WaitsForEachThingByWatch) {
  broker.hold = false;
  const std::string by_name = "{clusterServiceClassExternalName: mysql, clusterServicePlanExternalName: small}";
  apply_instance(by_name);
  settle();
  EXPECT_EQ(conditions(), "Ready=False:ReferencesNonexistentServiceClass");
  apply_class("c1", "externalName: mysql");
  settle();
  EXPECT_EQ(conditions(), "Ready=False:ReferencesNonexistentServicePlan");
  apply_plan("p1", "externalName: small");
  settle();
  EXPECT_EQ(conditions(), "Ready=False:ReferencesNonexistentBroker");
  expect_quiet();
  register_catalog();
  settle();
  EXPECT_EQ(conditions(), "Ready=True:ProvisionedSuccessfully");
}

TEST_F(InstanceResolution, WaitsForADefaultByWatch) {
  broker.hold = false;
  register_catalog();
  apply_plan("p1", "externalName: small, serviceType: mysql");
  apply_instance("{serviceType: mysql}");
  settle();
  EXPECT_EQ(conditions(), "Ready=False:NoDefaultPlan");
  expect_quiet();
  annotate(kClusterPlans, "p1", kDefaultPlanAnnotation, "true", "");
  settle();
  EXPECT_EQ(conditions(), "Ready=True:ProvisionedSuccessfully");
  EXPECT_EQ(instance("status.resolution.rule"), R"("DefaultPlan")");
  EXPECT_EQ(instance("status.userSpecifiedPlanName"), R"("small")");
  EXPECT_EQ(instance("status.userSpecifiedClassName"), R"("ClusterServiceClass/mysql")");
  EXPECT_TRUE(has_event("PlanChosen"));
}

TEST_F(InstanceResolution, ALaterDefaultChangesNothing) {
  broker.hold = false;
  register_catalog();
  apply_plan("p1", "externalName: small, serviceType: mysql", Scope::kCluster, "c1",
             "servicecatalog.kubernetes.io/is-default-plan: \"true\"");
  apply_instance("{serviceType: mysql}");
  settle();
  annotate(kClusterPlans, "p1", kDefaultPlanAnnotation, "false", "");
  apply_plan("p2", "externalName: large, serviceType: mysql", Scope::kCluster, "c1",
             "servicecatalog.kubernetes.io/is-default-plan: \"true\"");
  settle();
  EXPECT_EQ(instance("spec.clusterServicePlanRef.name"), R"("p1")");
  expect_quiet();
}

TEST_F(InstanceResolution, WithTheGatesOffNothingIsChosenOrMerged) {
  settings.service_types = settings.suggested_plans = settings.service_plan_defaults = false;
  register_catalog();
  apply_class("c1", "externalName: mysql, defaultProvisionParameters: {a: 1}");
  apply_plan("p1", "externalName: small, serviceType: mysql", Scope::kCluster, "c1",
             "servicecatalog.kubernetes.io/is-default-plan: \"true\"");
  apply_instance("{serviceType: mysql}", "typed");
  settle();
  EXPECT_EQ(conditions(kInstances, "typed"), "Ready=False:ReferencesNonexistentServiceClass");
  apply_instance("{clusterServiceClassExternalName: mysql}", "classed");
  settle();
  EXPECT_EQ(conditions(kInstances, "classed"), "Ready=False:NoDefaultPlan");
  apply_instance("{clusterServiceClassExternalName: mysql, clusterServicePlanExternalName: small}");
  EXPECT_EQ(decided(), "Named p1");
  EXPECT_EQ(instance("spec.parameters"), "null");
  EXPECT_EQ(instance("status.defaultProvisionParameters"), "null");
  EXPECT_EQ(instance("status.resolution.serviceType"), "null");
}

}  // namespace
}  // namespace chandler::reconcilers::testing
