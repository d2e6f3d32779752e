#include "apiserver/housekeeping/role_aggregation.h"

#include "apiserver/housekeeping/world_fixture.h"
#include "base/embedded.h"
#include "json/writer.h"
#include "support/growth.h"

namespace chandler::apiserver {
namespace {

using ::chandler::testing::eventually;

constexpr std::string_view kMayEscalate = R"(
- {kind: ClusterRole, metadata: {name: aggregator}, rules: [{apiGroups: [rbac.authorization.k8s.io],
   resources: [clusterroles], verbs: [escalate]}]}
- {kind: ClusterRoleBinding, metadata: {name: aggregator}, roleRef: {kind: ClusterRole, name: aggregator},
   subjects: [{kind: ServiceAccount, name: clusterrole-aggregation-controller, namespace: kube-system}]}
)";

class RoleAggregationTest : public ::testing::Test {
 protected:
  RoleAggregationTest() {
    const auto grants = json::parse_yaml(kMayEscalate);
    EXPECT_TRUE(grants.ok());
    for (const auto& grant : grants->as_array()) world_.policy().apply(grant);
  }
  ~RoleAggregationTest() override {
    aggregation_.stop();
    world_.store.stop();
  }

  registry::KindPtr roles() { return world_.kind("clusterroles", "rbac.authorization.k8s.io"); }
  void create(std::string_view yaml) { world_.create(roles(), "", yaml); }
  // The resources that a role's rules name, in order.
  std::string resources(std::string_view name) {
    const auto document = world_.get(roles(), "", name);
    if (document == nullptr) return "absent";
    const auto role = document->parse();
    std::string text;
    const auto* rules = json::array_at(role, "rules");
    for (size_t i = 0; rules != nullptr && i < rules->size(); ++i) {
      text += std::string((*rules)[i].at("resources").as_array()[0].as_string()) + " ";
    }
    return text;
  }
  bool becomes(std::string_view name, std::string_view expected) {
    return eventually([&] { return resources(name) == expected; });
  }
  void create_source(const std::string& name, const std::string& resource, const std::string& to) {
    create("{metadata: {name: " + name + ", labels: {to-" + to + ": 'true'}}, rules: [{apiGroups: [''], resources: [" +
           resource + "], verbs: [get]}]}");
  }
  void create_aggregated(const std::string& name, const std::string& more_labels = "") {
    create("{metadata: {name: " + name + more_labels +
           "}, aggregationRule: {clusterRoleSelectors: [{matchLabels: {to-" + name + ": 'true'}}]}}");
  }

  testing::World world_;
  RoleAggregation aggregation_{world_.kinds, world_.cache, world_.objects};
};

TEST_F(RoleAggregationTest, FillsInTheRulesOfWhatIsSelectedInTheOrderOfNames) {
  world_.follow();
  create_source("b", "pods", "view");
  create_source("a", "secrets", "view");
  create_source("c", "pods", "view");  // the same rule again
  create_source("other", "services", "edit");
  create_aggregated("view");
  aggregation_.start();
  EXPECT_TRUE(becomes("view", "secrets pods ")) << resources("view");
}

TEST_F(RoleAggregationTest, CostsInProportionToTheRules) {
  world_.follow();
  EXPECT_TRUE(::chandler::testing::is_linear(400, [&](size_t size) -> ::chandler::testing::Growth::Work {
    const auto number = std::to_string(size);
    std::string rules;
    for (size_t i = 0; i < size; ++i)
      rules += "{apiGroups: [''], verbs: [get], resources: [r" + std::to_string(i) + "]}, ";
    create("{metadata: {name: source" + number + ", labels: {to: n" + number + "}}, rules: [" + rules + "]}");
    const json::Value selector = json::Object{{"matchLabels", json::Object{{"to", "n" + number}}}};
    // Selected over and over, a role is read once.
    json::Value role =
        json::Object{{"metadata", json::Object{{"name", "x"}}},
                     {"aggregationRule", json::Object{{"clusterRoleSelectors", json::Array(size / 10, selector)}}}};
    return [this, role = std::move(role), size] {
      const auto made = aggregated_rules(world_.cache, *roles(), role);
      ASSERT_TRUE(made.ok());
      EXPECT_EQ(made->size(), size);
    };
  }));
}

TEST_F(RoleAggregationTest, FollowsChangesAndPassesThemOn) {
  world_.follow();
  aggregation_.start();
  create_aggregated("view", ", labels: {to-edit: 'true'}");
  create_aggregated("edit");
  create_source("crd-view", "widgets", "view");
  EXPECT_TRUE(becomes("view", "widgets ")) << resources("view");
  EXPECT_TRUE(becomes("edit", "widgets ")) << resources("edit");
  create_source("crd-edit", "gadgets", "edit");
  EXPECT_TRUE(becomes("edit", "gadgets widgets ")) << resources("edit");
  world_.update(roles(), "", "crd-edit", [](json::Value& role) { role.at("metadata").as_object().erase("labels"); });
  EXPECT_TRUE(becomes("edit", "widgets ")) << resources("edit");
  world_.remove(roles(), "", "crd-view");
  EXPECT_TRUE(becomes("view", "")) << resources("view");
  EXPECT_TRUE(becomes("edit", "")) << resources("edit");
}

TEST_F(RoleAggregationTest, TakesBackWhatOthersWroteIntoTheRules) {
  world_.follow();
  aggregation_.start();
  create_source("a", "pods", "view");
  create_aggregated("view");
  ASSERT_TRUE(becomes("view", "pods "));
  world_.update(roles(), "", "view", [](json::Value& role) { role.as_object()["rules"].emplace_array(); });
  EXPECT_TRUE(becomes("view", "pods ")) << resources("view");
}

TEST_F(RoleAggregationTest, WritesNothingWhenNothingDiffers) {
  world_.follow();
  create_source("a", "pods", "view");
  create_aggregated("view");
  aggregation_.start();
  ASSERT_TRUE(becomes("view", "pods "));
  const auto before = world_.get(roles(), "", "view")->revision();
  // What is looked at after these has seen all before: the order of the queue.
  create_source("unrelated", "nodes", "nobody");
  create_aggregated("nobody");
  ASSERT_TRUE(becomes("nobody", "nodes "));
  EXPECT_EQ(world_.get(roles(), "", "view")->revision(), before);
}

TEST_F(RoleAggregationTest, WhatBreaksARuleIsNotTriedAgainUntilSomethingChanges) {
  create_source("a", "pods", "view");
  create_aggregated("view");
  // A role that was stored before there was a bound on its selectors.
  const json::Value selector = json::Object{{"matchLabels", json::Object{{"to-view", "true"}}}};
  const json::Value old_role =
      json::Object{{"apiVersion", "rbac.authorization.k8s.io/v1"},
                   {"kind", "ClusterRole"},
                   {"metadata", json::Object{{"name", "old"}, {"uid", "u"}}},
                   {"aggregationRule", json::Object{{"clusterRoleSelectors", json::Array(2000, selector)}}}};
  world_.store.commit({roles()->key("", "old"), json::write(old_role), 0},
                      [](const auto& outcome) { EXPECT_TRUE(outcome.ok()); });
  world_.follow();
  EXPECT_EQ(aggregation_.bring_all_in_step(), std::nullopt);
  EXPECT_EQ(resources("view"), "pods ");
  EXPECT_EQ(resources("old"), "");
}

// The rules of admin, edit and view are written out in the file, for servers that run without this duty.
TEST_F(RoleAggregationTest, TheBootstrapRolesAreInStepFromTheFirstStart) {
  world_.follow();
  std::vector<json::Value> documents;
  for (const auto& file : api_files()) {
    if (file.path != "bootstrap/roles.yaml") continue;
    auto parsed = json::parse_yaml_stream(file.content);
    ASSERT_TRUE(parsed.ok());
    documents = std::move(parsed).value();
  }
  std::vector<std::string> aggregated;
  for (const auto& document : documents) {
    if (json::string_or(document, "kind") != "ClusterRole") continue;
    if (json::find(document, "aggregationRule") != nullptr) {
      aggregated.push_back(json::string_or(document.at("metadata"), "name"));
    }
    create(json::write(document));
  }
  EXPECT_GE(aggregated.size(), 3U);
  for (const auto& name : aggregated) {
    const auto role = world_.get(roles(), "", name)->parse();
    const auto wanted = aggregated_rules(world_.cache, *roles(), role);
    ASSERT_TRUE(wanted.ok()) << wanted.error().message;
    EXPECT_EQ(json::write(role.at("rules")), json::write(*wanted))
        << "api/bootstrap/roles.yaml: the rules of " << name << " are not those of the roles that it aggregates";
  }
}

}  // namespace
}  // namespace chandler::apiserver
