// Objects are checked against schemas in proportion to the size of both: what multiplies them is bounded.
#include <string>

#include <fmt/format.h>
#include <gtest/gtest.h>

#include "meta/schema_fixture.h"
#include "support/growth.h"

namespace chandler::meta {
namespace {

using testing::Growth;

// n pieces with commas between them, {0} being the number.
std::string numbered(size_t n, std::string_view pattern) {
  std::string out;
  for (size_t i = 0; i < n; ++i) out.append(i == 0 ? "" : ",").append(fmt::format(fmt::runtime(pattern), i));
  return out;
}

TEST(SchemaCost, GrowsWithTheObjectThoughEachBranchRefusesIt) {
  EXPECT_TRUE(testing::is_linear(500, [](size_t size) -> Growth::Work {
    const auto schema = compiled(R"({"type":"object","x-kubernetes-preserve-unknown-fields":true,"allOf":[)" +
                                 numbered(size, R"({{"minProperties":1000000}})") + "]}");
    return [schema, value = doc("{" + numbered(size * 40, R"("m{0}":"some text")") + "}")] {
      FieldErrors errors;
      validate(*schema, value, nullptr, Path(), errors);
    };
  }));
}

}  // namespace
}  // namespace chandler::meta
