// Cells of tables cost in proportion to the object: a table is made on an I/O thread, and each object of a list has a
// row.
#include <algorithm>
#include <string>

#include <fmt/format.h>
#include <gtest/gtest.h>

#include "apiserver/cells.h"
#include "apiserver/embedded_kinds_fixture.h"
#include "apiserver/table.h"
#include "meta/schema.h"
#include "meta/schema_node.h"
#include "support/growth.h"

namespace chandler::apiserver {
namespace {

using ::chandler::testing::Growth;
using ::chandler::testing::is_linear;
using testing::embedded_kind;
using testing::embedded_kinds;
using testing::parsed;

// Makes objects of a schema with `size` entries in each list and map; lists inside of others have one entry.
class Sample {
 public:
  explicit Sample(size_t size) : size_(size) {}

  json::Value object(const meta::SchemaNode& schema) {
    auto out = value(schema, kDepth);
    out.as_object()["metadata"] = json::Object{{"name", "a"}, {"creationTimestamp", kTime}};
    return out;
  }

 private:
  static constexpr int kDepth = 8;        // of an object
  static constexpr int kDepthInList = 3;  // of an entry
  static constexpr const char* kTime = "2026-01-01T00:00:00Z";

  json::Value value(const meta::SchemaNode& node, int depth) {
    if (depth == 0) return nullptr;
    if ((node.types & meta::kTypeObject) != 0) return members(node, depth);
    if ((node.types & meta::kTypeArray) != 0 && node.items != nullptr) {
      json::Array out;
      each_entry(depth, [&](int depth_below) { out.push_back(value(*node.items, depth_below)); });
      return out;
    }
    if ((node.types & meta::kTypeInteger) != 0) return 1;
    if ((node.types & meta::kTypeBoolean) != 0) return true;
    if (node.constraints != nullptr && !node.constraints->enumeration.empty()) {
      return node.constraints->enumeration[entry_ % node.constraints->enumeration.size()];
    }
    if (node.format == meta::Format::kDateTime) return kTime;
    return json::Value(fmt::format("text-{}", entry_));
  }

  json::Value members(const meta::SchemaNode& node, int depth) {
    json::Object out;
    for (const auto& property : node.properties) out[property.name] = value(*property.schema, depth - 1);
    if (node.additional != nullptr) {
      each_entry(depth,
                 [&](int depth_below) { out[fmt::format("key-{}", entry_)] = value(*node.additional, depth_below); });
    }
    return out;
  }

  template <typename Make>
  void each_entry(int depth, Make make) {
    if (in_list_) return make(depth - 1);
    in_list_ = true;
    for (entry_ = 0; entry_ < size_; ++entry_) make(kDepthInList);
    entry_ = 0;
    in_list_ = false;
  }

  const size_t size_;
  size_t entry_ = 0;
  bool in_list_ = false;
};

bool is_computed(const registry::Column& column) { return !column.computed.empty(); }

TEST(Cells, CostInProportionToTheObject) {
  constexpr size_t kLargest = 400;
  for (const auto& kind : embedded_kinds()) {
    const auto& version = kind->versions.front();
    if (std::none_of(version.columns.begin(), version.columns.end(), is_computed) || version.schema == nullptr)
      continue;
    for (const auto& column : version.columns) {
      if (!is_computed(column) || column.computed == "age") continue;
      SCOPED_TRACE(fmt::format("{}, {}", kind->plural, column.computed));
      EXPECT_TRUE(is_linear(kLargest, [&](size_t size) -> Growth::Work {
        return [cell = find_cell(column.computed), object = Sample(size).object(*version.schema)] {
          cell(object, WallTime());
        };
      }));
    }
  }
}

// Where a cell reads lists only if the object says certain things.
TEST(Cells, CostInProportionToTheListsThatTheyCompare) {
  struct Row {
    std::string_view plural;
    std::string_view reason;
    std::string_view group;
    std::string_view object;  // {list} stands for many entries of `entry`
    std::string_view entry;   // {0} is its number
  };
  const Row rows[] = {
      {"pods", "gates are looked up among conditions of other types", "",
       R"({"spec":{"readinessGates":[LIST]},"status":{"conditions":[LIST]}})",
       R"({{"conditionType":"g{0}","type":"c{0}","status":"True"}})"},
      {"pods", "statuses are looked up among sidecars", "",
       R"({"spec":{"initContainers":[LIST]},"status":{"initContainerStatuses":[LIST],"containerStatuses":[LIST]}})",
       R"({{"name":"c{0}","restartPolicy":"Always","started":true,"ready":true,"restartCount":1}})"},
      {"services", "addresses are unique", "",
       R"({"spec":{"type":"LoadBalancer","externalIPs":[]},"status":{"loadBalancer":{"ingress":[LIST]}}})",
       R"({{"ip":"10.0.0.{0}"}})"},
      {"rolebindings", "names are put together", "rbac.authorization.k8s.io", R"({"subjects":[LIST]})",
       R"({{"kind":"ServiceAccount","namespace":"ns","name":"a{0}"}},{{"kind":"User","name":"u{0}"}})"},
      {"deployments", "terms are sorted", "apps", R"({"spec":{"selector":{"matchExpressions":[LIST]}}})",
       R"({{"key":"k{0}","operator":"In","values":["a","b"]}})"},
  };
  constexpr size_t kLargest = 2'000;
  for (const auto& row : rows) {
    SCOPED_TRACE(fmt::format("{}: {}", row.plural, row.reason));
    const auto kind = embedded_kind(row.group, row.plural);
    ASSERT_NE(kind, nullptr);
    EXPECT_TRUE(is_linear(kLargest, [&](size_t size) -> Growth::Work {
      std::string list;
      for (size_t i = 0; i < size; ++i) {
        list.append(i == 0 ? "" : ",").append(fmt::format(fmt::runtime(row.entry), i));
      }
      std::string text(row.object);
      for (size_t at = 0; (at = text.find("LIST", at)) != std::string::npos; at += list.size())
        text.replace(at, 4, list);
      Output output;
      output.shape = Shape::kTable;
      output.shape_version = "v1";
      output.include = Output::Include::kNone;
      return [kind, output, object = parsed(text)] { table_row(kind->versions.front(), output, object, WallTime()); };
    }));
  }
}

}  // namespace
}  // namespace chandler::apiserver
