#include "webhooks/hook_match.h"

#include <fmt/format.h>
#include <gtest/gtest.h>

#include "registry/registry_fixture.h"

namespace chandler::webhooks {
namespace {

using registry::testing::yaml;

// widgets.example.com served as v1 and v1beta1.
registry::KindPtr two_versions() {
  auto kind = registry::testing::new_widgets();
  registry::Version older;
  older.name = "v1beta1";
  older.schema = kind->versions.front().schema;
  kind->versions.push_back(std::move(older));
  return kind;
}

struct Row {
  const char* name;
  const char* reason;
  std::string hook;  // YAML besides the rules
  std::string rule;  // what differs from one that fits everything
  const char* want;  // "group/version" of the form, "" when it is not asked
};

class HookMatchTest : public ::testing::Test {
 protected:
  HookMatchTest() {
    request_.kind = kind_.get();
    request_.version = &kind_->storage_version();
    request_.ns = "ns";
    request_.name = "a";
    request_.object = &object_;
  }
  std::string asked(const Row& row) {
    auto rule = yaml("{operations: ['*'], apiGroups: ['*'], apiVersions: ['*'], resources: ['*/*']}");
    const auto differs = yaml("{" + row.rule + "}");
    for (const auto& [key, value] : differs.as_object()) rule.as_object()[key] = value;
    auto hook = yaml(fmt::format("{{name: a.b.c, clientConfig: {{url: 'https://h'}}, {}}}", row.hook));
    hook.as_object()["rules"] = json::Array{rule};
    const auto hooks = read_hooks(json::Object{{"webhooks", json::Array{hook}}}, false);
    const auto place = [](std::string_view key) {
      return key == "team" ? std::optional<std::string_view>("blue") : std::nullopt;
    };
    const auto form = match(*hooks.at(0), request_, place);
    return form ? form->group + "/" + form->version : "";
  }
  void expect(const std::vector<Row>& rows) {
    for (const auto& row : rows) EXPECT_EQ(asked(row), row.want) << row.name << ": " << row.reason;
  }

  const registry::KindPtr kind_ = two_versions();
  json::Value object_ = yaml("{metadata: {name: a, labels: {app: shop}}}");
  registry::AdmissionRequest request_;
};

TEST_F(HookMatchTest, Rules) {
  expect({
      {"everything", "", "", "", "example.com/v1"},
      {"operation", "", "", "operations: [UPDATE, DELETE]", ""},
      {"this operation", "", "", "operations: [UPDATE, CREATE]", "example.com/v1"},
      {"group", "", "", "apiGroups: ['']", ""},
      {"resource", "", "", "resources: [widgets]", "example.com/v1"},
      {"other resource", "", "", "resources: [gadgets]", ""},
      {"all resources", "", "", "resources: ['*']", "example.com/v1"},
      {"a part", "the object itself is not its status", "", "resources: [widgets/status]", ""},
      {"all parts", "of widgets, the whole included", "", "resources: ['widgets/*']", "example.com/v1"},
      {"cluster", "widgets are in namespaces", "", "scope: Cluster", ""},
      {"namespaced", "", "", "scope: Namespaced", "example.com/v1"},
  });
  request_.subresource = "status";
  expect({
      {"status", "", "", "resources: [widgets/status]", "example.com/v1"},
      {"any status", "", "", "resources: ['*/status']", "example.com/v1"},
      {"all", "means whole objects", "", "resources: ['*']", ""},
  });
}

TEST_F(HookMatchTest, WhoScalesIsAskedAboutAScale) {
  auto scaled = registry::testing::new_widgets();
  scaled->versions.front().scale = registry::ScalePaths{{"spec", "size"}, {"status", "size"}, {}};
  object_ = yaml("{metadata: {name: a, uid: u, labels: {app: shop}}, spec: {size: 3, color: red}}");
  request_.kind = scaled.get();
  request_.version = &scaled->storage_version();
  request_.through_scale = true;
  expect({
      {"scale", "", "", "resources: [widgets/scale]", "example.com/v1"},
      {"any scale", "", "", "resources: ['*/scale']", "example.com/v1"},
      {"any part", "", "", "resources: ['widgets/*']", "example.com/v1"},
      {"whole", "means whole objects", "", "resources: [widgets]", ""},
      {"labels", "a Scale has none", "objectSelector: {matchLabels: {app: shop}}", "", ""},
  });
  const auto form = own_form(request_);
  auto shown = in_form(request_, form, object_);
  EXPECT_EQ(json::write(shown), registry::testing::canonical("{apiVersion: autoscaling/v1, kind: Scale, metadata: "
                                                             "{name: a, uid: u}, spec: {replicas: 3}, "
                                                             "status: {replicas: 0}}"));
  shown.at("spec").as_object()["replicas"] = 2;
  const auto back = out_of_form(request_, form, shown);
  ASSERT_TRUE(back.ok());
  EXPECT_EQ(json::write(back->at("spec")), R"({"color":"red","size":2})") << "the rest is as it was";
  shown.at("spec").as_object()["replicas"] = -1;
  EXPECT_FALSE(out_of_form(request_, form, shown).ok());
}

TEST_F(HookMatchTest, OtherVersionsOfTheSameResource) {
  expect({
      {"equivalent", "the default", "", "apiVersions: [v1beta1]", "example.com/v1beta1"},
      {"own first", "no detour if none is needed", "", "apiVersions: [v1beta1, v1]", "example.com/v1"},
      {"exact", "", "matchPolicy: Exact", "apiVersions: [v1beta1]", ""},
      {"unknown", "", "", "apiVersions: [v2]", ""},
  });
}

TEST_F(HookMatchTest, Selectors) {
  expect({
      {"object", "", "objectSelector: {matchLabels: {app: shop}}", "", "example.com/v1"},
      {"other object", "", "objectSelector: {matchLabels: {app: bank}}", "", ""},
      {"namespace", "", "namespaceSelector: {matchLabels: {team: blue}}", "", "example.com/v1"},
      {"other namespace", "", "namespaceSelector: {matchExpressions: [{key: team, operator: DoesNotExist}]}", "", ""},
  });
  const auto old = yaml("{metadata: {labels: {app: bank}}}");
  request_.old = &old;
  expect({{"before", "what it was counts too", "objectSelector: {matchLabels: {app: bank}}", "", "example.com/v1"}});
}

TEST_F(HookMatchTest, ANamespaceIsJudgedByItsOwnLabelsAndWhatIsInNoneByNothing) {
  auto namespaces = registry::testing::new_widgets();
  namespaces->group = "";
  namespaces->plural = "namespaces";
  namespaces->namespaced = false;
  request_.kind = namespaces.get();
  request_.version = &namespaces->storage_version();
  request_.ns = "";
  expect({
      {"own labels", "", "namespaceSelector: {matchLabels: {app: shop}}", "", "/v1"},
      {"not others'", "", "namespaceSelector: {matchLabels: {team: blue}}", "", ""},
  });
  EXPECT_EQ(place_of(request_), "a");
  namespaces->plural = "nodes";
  expect({{"no namespace", "", "namespaceSelector: {matchLabels: {team: green}}", "", "/v1"}});
}

TEST_F(HookMatchTest, NobodyIsAskedAboutWhoIsAsked) {
  auto configurations = registry::testing::new_widgets();
  configurations->group = kGroup;
  request_.kind = configurations.get();
  expect({{"exempt", "else nobody could repair it", "", "", ""}});
}

TEST_F(HookMatchTest, EventsGoByTwoNames) {
  auto events = registry::testing::new_widgets();
  events->group = "events.k8s.io";
  events->plural = "events";
  events->kind = "Event";
  request_.kind = events.get();
  request_.version = &events->storage_version();
  expect({{"core", "", "", "apiGroups: ['']", "/v1"}, {"own", "", "", "", "events.k8s.io/v1"}});
  auto core = yaml("{apiVersion: v1, kind: Event, metadata: {name: a}, message: hello, involvedObject: {name: x}}");
  const Form form{"events.k8s.io", "v1"};
  auto shown = in_form(request_, form, core);
  EXPECT_EQ(json::string_or(shown, "note"), "hello");
  EXPECT_EQ(json::write(*out_of_form(request_, form, shown)), json::write(core));
}

}  // namespace
}  // namespace chandler::webhooks
