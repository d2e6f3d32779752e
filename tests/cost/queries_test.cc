// Selectors, queries and headers: what comes before a body, and what a list costs that is asked for with them.
#include <map>
#include <memory>

#include "cost/cost_lab.h"
#include "cost/shapes.h"

namespace chandler::cost {
namespace {

constexpr std::string_view kMaps = "/api/v1/namespaces/ns/configmaps";
constexpr size_t kObjects = 1'000;

Message list(std::string_view parameter, std::string_view value) {
  return {Method::kGet, fmt::format("{}?{}={}", kMaps, parameter, value), ""};
}

std::string terms(size_t n, std::string_view pattern) { return numbered(n, pattern); }

class CostOfQueries : public ::testing::Test {
 protected:
  CostOfQueries() {
    for (size_t i = 0; i < kObjects; ++i) {
      lab_.create(
          kMaps,
          fmt::format("{{apiVersion: v1, kind: ConfigMap, metadata: {{name: c{0}, labels: {{a: b, n: n{0}}}}}}}", i));
    }
  }
  CostLab lab_;
};

// The head of a request has 64 KiB, so that is what a selector in a query can have.
TEST_F(CostOfQueries, GrowsWithSelectors) {
  lab_.check({
      {"labels that are set", "each is looked up until one is missing", 8'000, 200,
       [](size_t n) { return list("labelSelector", terms(n, "k{0}")); }},
      {"labels that are not set", "all hold, for every object", 800, 200,
       [](size_t n) { return list("labelSelector", terms(n, "!k{0}")); }},
      {"one label again and again", "contradictions", 8'000, 200,
       [](size_t n) { return list("labelSelector", terms(n, "n!=n{0}")); }},
      {"values of one label", "a set", 8'000, 200,
       [](size_t n) { return list("labelSelector", "n+in+(" + terms(n, "n{0}") + ")"); }},
      {"values that are excluded", "a set", 8'000, 200,
       [](size_t n) { return list("labelSelector", "n+notin+(" + terms(n, "v{0}") + ")"); }},
      {"faulty terms", "the first ends it", 8'000, 400,
       [](size_t n) { return list("labelSelector", terms(n, "k{0}==") + "%20("); }},
      {"fields", "each holds, for every object", 800, 200,
       [](size_t n) { return list("fieldSelector", terms(n, "metadata.name!=x{0}")); }},
      {"unknown fields", "the first ends it", 4'000, 400,
       [](size_t n) { return list("fieldSelector", terms(n, "spec.x{0}=1")); }},
  });
}

TEST_F(CostOfQueries, GrowsWithParametersAndHeaders) {
  const auto get = [](std::string query, std::vector<std::pair<std::string, std::string>> headers = {}) {
    Message message{Method::kGet, std::string(kMaps) + "?limit=1" + std::move(query), ""};
    message.headers = std::move(headers);
    return message;
  };
  const auto fields = [](size_t n, std::string_view name, std::string_view value) {
    std::vector<std::pair<std::string, std::string>> out;
    for (size_t i = 0; i < n; ++i) {
      out.emplace_back(fmt::format(fmt::runtime(name), i), fmt::format(fmt::runtime(value), i));
    }
    return out;
  };
  lab_.check({
      {"parameters", "each is decoded", 240, 200,
       [&](size_t n) {
         return get(repeat(
             n, [](size_t i) { return fmt::format("&p{}=1", i); }, ""));
       }},
      {"equal parameters", "the first counts", 240, 200,
       [&](size_t n) {
         return get(repeat(
             n, [](size_t) { return "&p=1"; }, ""));
       }},
      {"escapes", "each is decoded", 20'000, 200,
       [&](size_t n) {
         return get("&x=" + repeat(
                                n, [](size_t) { return "%20"; }, ""));
       }},
      {"accepted types", "each is weighed", 56, 200,
       [&](size_t n) {
         return get("", {{"Accept", terms(n, "application/x{0};q=0.5") + ",application/json"}});
       }},
      {"header fields", "passed over", 2'000, 200, [&](size_t n) { return get("", fields(n, "X-{0}", "v")); }},
      {"groups to act as", "each is asked about", 240, 200,
       [&](size_t n) {
         auto groups = fields(n, "Impersonate-Group", "g{0}");
         groups.emplace_back("Impersonate-User", "u");
         groups.emplace_back("Impersonate-Group", auth::kMasters);
         return get("", std::move(groups));
       }},
      {"extras to act with", "each is asked about", 240, 200,
       [&](size_t n) {
         auto extras = fields(n, "Impersonate-Extra-e{0}", "v");
         extras.emplace_back("Impersonate-User", "u");
         extras.emplace_back("Impersonate-Group", auth::kMasters);
         return get("", std::move(extras));
       }},
  });
}

// A server with so many objects in one collection.
std::unique_ptr<CostLab> lab_with_maps(size_t count) {
  auto lab = std::make_unique<CostLab>();
  for (size_t i = 0; i < count; ++i) {
    lab->store(
        "", "configmaps", fmt::format("c{}", i),
        fmt::format("{{apiVersion: v1, kind: ConfigMap, metadata: {{name: c{0}, labels: {{a: b, n: n{0}}}}}}}", i));
  }
  return lab;
}

// The answer is as long as the collection.
TEST(CostOfLists, GrowsWithTheCollection) {
  struct Row {
    std::string name;
    std::string reason;
    std::string query;
    std::string accept;
  };
  const std::vector<Row> rows = {
      {"all", "the plain case", "", "application/json"},
      {"tables", "cells of each row", "", "application/json;as=Table;v=v1;g=meta.k8s.io"},
      {"metadata", "a part of each object", "", "application/json;as=PartialObjectMetadataList;v=v1;g=meta.k8s.io"},
      {"YAML", "another notation", "", "application/yaml"},
      {"by label", "from the index", "?labelSelector=a%3Db", "application/json"},
      {"by a label that few have", "from the index", "?labelSelector=n%3Dn1", "application/json"},
      {"by what labels are not", "each object is looked at", "?labelSelector=a!%3Dx", "application/json"},
      {"by field", "each object is looked at", "?fieldSelector=metadata.name!%3Dx", "application/json"},
  };
  // A list does little with each object, so how long it takes depends on where in memory the objects are.
  constexpr auto kCaches = ::chandler::testing::Growth::Caches::kCold;
  constexpr size_t kLargest = 32'000;
  std::map<size_t, std::unique_ptr<CostLab>> labs;
  for (const auto& row : rows) {
    SCOPED_TRACE(row.name + ": " + row.reason);
    const auto prepare = [&](size_t size) -> testing::Growth::Work {
      auto& place = labs[size];
      if (place == nullptr) place = lab_with_maps(size);
      auto& lab = *place;
      return [&lab, &row] {
        Message message{Method::kGet, std::string(kMaps) + row.query, ""};
        message.headers = {{"Accept", row.accept}};
        auto answer = lab.send(message);
        EXPECT_EQ(answer.status, 200);
        std::string body;
        while (answer.source != nullptr && answer.source->fill(body, 1 << 20) == http::BodySource::State::kMore) {
        }
      };
    };
    const auto result = ::chandler::testing::is_linear(kLargest, prepare, kCaches);
    EXPECT_TRUE(result);
    std::printf("  %-34s %s\n", row.name.c_str(), result.message());
  }
}

}  // namespace
}  // namespace chandler::cost
