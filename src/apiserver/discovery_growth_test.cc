// Documents about the kinds that are served cost in proportion to the definitions. Definitions of an older server may
// have more versions and names than a new one accepts.
#include <fmt/format.h>
#include <gtest/gtest.h>

#include "apiserver/discovery.h"
#include "apiserver/embedded_kinds_fixture.h"
#include "apiserver/openapi.h"
#include "json/writer.h"
#include "support/growth.h"

namespace chandler::apiserver {
namespace {

using ::chandler::testing::Growth;
using ::chandler::testing::is_linear;
using testing::load_custom;
using testing::parsed;
using testing::widget_definition;

json::Value version(size_t number) {
  return parsed(fmt::format(R"({{"name":"v{}","served":true,"storage":{},"schema":{{"openAPIV3Schema":)"
                            R"({{"type":"object"}}}}}})",
                            number + 1, number == 0));
}

json::Value with_versions(size_t count) {
  json::Array versions;
  for (size_t i = 0; i < count; ++i) versions.push_back(version(i));
  return widget_definition(std::move(versions));
}

// Kinds of one group, each with a version of its own.
std::vector<registry::KindPtr> with_a_version_each(size_t count) {
  std::vector<registry::KindPtr> kinds;
  for (size_t i = 0; i < count; ++i) {
    auto definition = widget_definition({version(i)});
    auto& names = definition.at("spec").at("names").as_object();
    names["plural"] = fmt::format("widgets{}", i);
    kinds.push_back(load_custom(definition));
  }
  return kinds;
}

TEST(Discovery, CostsInProportionToVersionsAndKinds) {
  struct Row {
    const char* name;
    std::function<std::vector<registry::KindPtr>(size_t)> kinds;
  };
  const Row rows[] = {
      {"versions of a kind",
       [](size_t size) { return std::vector<registry::KindPtr>{load_custom(with_versions(size))}; }},
      {"kinds with a version each", with_a_version_each},
  };
  struct Document {
    const char* name;
    std::function<void(const registry::Kinds&)> make;
  };
  const Document documents[] = {
      {"groups", [](const registry::Kinds& kinds) { api_group_list(kinds); }},
      {"a group", [](const registry::Kinds& kinds) { ASSERT_TRUE(api_group(kinds, "example.com")); }},
      {"resources", [](const registry::Kinds& kinds) { ASSERT_TRUE(api_resource_list(kinds, "example.com", "v1")); }},
      {"all together", [](const registry::Kinds& kinds) { aggregated_discovery(kinds, false, "v2"); }},
  };
  for (const auto& row : rows) {
    for (const auto& document : documents) {
      EXPECT_TRUE(is_linear(3'000,
                            [&](size_t size) -> Growth::Work {
                              registry::KindTable table;
                              table.put_all(row.kinds(size));
                              return [kinds = table.current(), make = document.make] { make(*kinds); };
                            }))
          << row.name << ": " << document.name;
    }
  }
}

TEST(OpenApi, CostsInProportionToTheDefinition) {
  struct Document {
    const char* name;
    std::function<void(OpenApi&)> make;
  };
  const Document documents[] = {
      {"index", [](OpenApi& openapi) { openapi.v3_index(); }},
      {"of a version", [](OpenApi& openapi) { ASSERT_TRUE(openapi.v3("apis/example.com/v1").ok()); }},
      {"Swagger", [](OpenApi& openapi) { ASSERT_TRUE(openapi.v2_json().ok()); }},
  };
  for (const auto& document : documents) {
    EXPECT_TRUE(is_linear(400, [&](size_t size) -> Growth::Work {
      struct Served {
        metrics::Registry metrics;
        registry::KindTable table;
        registry::Cache cache{nullptr, metrics};
      };
      auto served = std::make_shared<Served>();
      const auto definitions = testing::embedded_kind("apiextensions.k8s.io", "customresourcedefinitions");
      auto definition = with_versions(size);
      json::Array names;
      for (size_t i = 0; i < 20 * size; ++i) names.emplace_back(fmt::format("w{}", i));
      definition.at("spec").at("names").as_object()["shortNames"] = std::move(names);
      const auto text = json::write(definition);
      EXPECT_TRUE(served->cache.serve(*definitions).ok());
      const storage::Change change{1, "apiextensions.k8s.io/customresourcedefinitions/widgets.example.com", text};
      served->cache.on_changes({&change, 1});
      served->table.put_all({definitions, load_custom(definition)});
      return [served, make = document.make] {
        OpenApi openapi(served->table, served->cache);
        make(openapi);
      };
    })) << document.name;
  }
}

}  // namespace
}  // namespace chandler::apiserver
