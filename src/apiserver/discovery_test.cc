#include "apiserver/discovery.h"

#include <gtest/gtest.h>

#include <set>

#include "apiserver/embedded_kinds_fixture.h"
#include "json/writer.h"

namespace chandler::apiserver {
namespace {

using testing::load_custom;
using testing::parsed;
using testing::widget_definition;

registry::KindsPtr served(const std::vector<registry::KindPtr>& more = {}) {
  registry::KindTable table;
  table.put_all(testing::embedded_kinds());
  for (const auto& kind : more) table.put(kind);
  return table.current();
}

// The body recorded for the last step of a vector.
json::Value recorded_body(std::string_view id, const std::string& area = "discovery") {
  const auto vector = testing::recorded(area, id);
  return *json::find_path(json::array_at(vector, "steps")->back(), {"expect", "body"});
}

// Keeps the elements whose `key` occurs in the recorded list, so that what we serve beyond it does not matter.
json::Array only_recorded(const json::Array& ours, const json::Array& theirs, std::string_view key) {
  std::set<std::string> names;
  for (const auto& entry : theirs) names.insert(json::string_or(entry, key));
  json::Array out;
  for (const auto& entry : ours) {
    if (names.contains(json::string_or(entry, key))) out.push_back(entry);
  }
  return out;
}

// The same for the versions of a group: we also serve some that the recorded server no longer has.
json::Value only_recorded_versions(json::Value group, const json::Value& theirs) {
  auto& versions = group.as_object()["versions"];
  versions = only_recorded(versions.as_array(), *json::array_at(theirs, "versions"), "version");
  return group;
}

struct ListRow {
  std::string_view id;
  std::string_view group;
};

TEST(Discovery, ResourceListsAreThoseRecorded) {
  const auto kinds = served();
  const ListRow rows[] = {
      {"discovery-core-v1", ""},
      {"discovery-resources-apiextensions", "apiextensions.k8s.io"},
      {"discovery-resources-authentication", "authentication.k8s.io"},
      {"discovery-resources-authorization", "authorization.k8s.io"},
      {"discovery-resources-batch", "batch"},
      {"discovery-resources-coordination", "coordination.k8s.io"},
      {"discovery-resources-events", "events.k8s.io"},
      {"discovery-resources-rbac", "rbac.authorization.k8s.io"},
  };
  for (const auto& row : rows) {
    const auto want = recorded_body(row.id);
    auto got = api_resource_list(*kinds, row.group, "v1");
    ASSERT_TRUE(got.has_value()) << row.id;
    auto& resources = got->as_object()["resources"];
    resources = only_recorded(resources.as_array(), *json::array_at(want, "resources"), "name");
    EXPECT_EQ(json::write(*got), json::write(want)) << row.id;
  }
}

TEST(Discovery, GroupDocumentsAreThoseRecorded) {
  const auto kinds = served();
  const ListRow rows[] = {
      {"discovery-group-apiextensions", "apiextensions.k8s.io"},
      {"discovery-group-authentication", "authentication.k8s.io"},
      {"discovery-group-batch", "batch"},
      {"discovery-group-coordination", "coordination.k8s.io"},
      {"discovery-group-events", "events.k8s.io"},
      {"discovery-group-rbac", "rbac.authorization.k8s.io"},
      {"discovery-group-storage", "storage.k8s.io"},
  };
  for (const auto& row : rows) {
    const auto got = api_group(*kinds, row.group);
    ASSERT_TRUE(got.has_value()) << row.id;
    const auto want = recorded_body(row.id);
    EXPECT_EQ(json::write(only_recorded_versions(*got, want)), json::write(want)) << row.id;
  }
}

TEST(Discovery, UnknownGroupsAndVersionsAreNotThere) {
  const auto kinds = served();
  EXPECT_FALSE(api_group(*kinds, "nope.example.com").has_value());
  EXPECT_FALSE(api_group(*kinds, "").has_value());
  EXPECT_FALSE(api_resource_list(*kinds, "apps", "v1beta1").has_value());
}

TEST(Discovery, GroupListHoldsEveryRecordedGroupAndIsSorted) {
  const auto got = api_group_list(*served());
  const auto want = recorded_body("discovery-apis");
  const auto& groups = *json::array_at(got, "groups");
  for (const auto& group : *json::array_at(want, "groups")) {
    const bool found = std::any_of(groups.begin(), groups.end(), [&](const auto& ours) {
      return json::equal(only_recorded_versions(ours, group), group);
    });
    EXPECT_TRUE(found) << json::write(group);
  }
  std::vector<std::string> names;
  for (const auto& group : groups) names.push_back(json::string_or(group, "name"));
  EXPECT_TRUE(std::is_sorted(names.begin(), names.end()));
  EXPECT_EQ(std::count(names.begin(), names.end(), ""), 0);
}

TEST(Discovery, AggregatedFormIsThatRecorded) {
  const auto got = aggregated_discovery(*served(), false, "v2");
  EXPECT_EQ(json::string_or(got, "apiVersion"), "apidiscovery.k8s.io/v2");
  for (const auto* id :
       {"discovery-aggregated-apps", "discovery-aggregated-authorization", "discovery-aggregated-coordination",
        "discovery-aggregated-rbac", "discovery-aggregated-storage"}) {
    const auto want = recorded_body(id);
    auto group = json::array_at(want, "items")->front();
    const auto& resources = group.as_object()["versions"].as_array().front().as_object()["resources"].as_array();

    const auto name = json::string_or(*json::find(group, "metadata"), "name");
    bool found = false;
    for (auto item : *json::array_at(got, "items")) {
      if (json::string_or(*json::find(item, "metadata"), "name") != name) continue;
      found = true;
      item = only_recorded_versions(item, group);
      auto& ours = item.as_object()["versions"].as_array().front().as_object()["resources"];
      ours = only_recorded(ours.as_array(), resources, "resource");
      EXPECT_EQ(json::write(item), json::write(group)) << id;
    }
    EXPECT_TRUE(found) << id;
  }
}

TEST(Discovery, AggregatedCoreHasTheNamelessGroupAlone) {
  const auto got = aggregated_discovery(*served(), true, "v2beta1");
  EXPECT_EQ(json::string_or(got, "apiVersion"), "apidiscovery.k8s.io/v2beta1");
  const auto& items = *json::array_at(got, "items");
  ASSERT_EQ(items.size(), 1u);
  EXPECT_TRUE(json::find(items[0], "metadata")->as_object().empty());
  std::string token;
  for (const auto& resource : *json::array_at((*json::array_at(items[0], "versions"))[0], "resources")) {
    if (json::string_at(resource, "resource") == "serviceaccounts")
      token = json::write(*json::find(resource, "subresources"));
  }
  EXPECT_EQ(token, R"([{"responseKind":{"group":"authentication.k8s.io","kind":"TokenRequest","version":"v1"},)"
                   R"("subresource":"token","verbs":["create"]}])");
}

TEST(Discovery, CustomResourcesAreListedAsRecorded) {
  auto vector = testing::recorded("crd", "crd-discovery");
  auto definition = *json::find((*json::array_at(vector, "steps"))[0], "body");
  definition.as_object()["spec"].as_object()["group"] = "example.com";
  const auto kinds = served({load_custom(definition)});
  auto want = recorded_body("crd-discovery", "crd");
  want.as_object()["groupVersion"] = "example.com/v1";
  EXPECT_EQ(json::write(*api_resource_list(*kinds, "example.com", "v1")), json::write(want));
}

TEST(Discovery, VersionsComeInOrderOfPreference) {
  json::Array versions;
  for (const auto* name : {"v1", "v2alpha1", "v2", "v1beta3"}) {
    versions.push_back(parsed(R"({"served":true,"storage":false,"schema":{"openAPIV3Schema":{"type":"object"}}})"));
    versions.back().as_object()["name"] = name;
  }
  versions[0].as_object()["storage"] = true;
  auto hidden = versions[0];
  hidden.as_object()["name"] = "v3";
  hidden.as_object()["served"] = false;
  hidden.as_object()["storage"] = false;
  versions.push_back(std::move(hidden));
  const auto kinds = served({load_custom(widget_definition(std::move(versions)))});
  auto want = recorded_body("crd-version-priority", "crd");
  auto text = json::write(want);
  for (size_t at; (at = text.find("${u}.")) != std::string::npos;) text.erase(at, 5);
  EXPECT_EQ(json::write(*api_group(*kinds, "example.com")), text);
}

TEST(Discovery, CoreVersionsTellTheAddress) {
  EXPECT_EQ(json::write(api_versions("127.0.0.1:6443")),
            R"({"kind":"APIVersions","serverAddressByClientCIDRs":[{"clientCIDR":"0.0.0.0/0",)"
            R"("serverAddress":"127.0.0.1:6443"}],"versions":["v1"]})");
}

}  // namespace
}  // namespace chandler::apiserver
