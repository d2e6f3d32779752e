// What is looked up among the kinds that are served costs no more than their names.
#include "registry/kinds.h"

#include <fmt/format.h>

#include "registry/registry_fixture.h"
#include "support/growth.h"

namespace chandler::registry {
namespace {

using chandler::testing::Growth;
using chandler::testing::is_linear;

KindPtr named(const std::string& plural, size_t short_names) {
  const auto kind = testing::new_widgets();
  kind->plural = plural;
  kind->singular = plural + "-one";
  kind->kind = plural + "-kind";
  kind->list_kind = plural + "-list";
  for (size_t i = 0; i < short_names; ++i) kind->short_names.push_back(fmt::format("{}-{}", plural, i));
  kind->finish();
  return kind;
}

TEST(Kinds, ConflictsOfNamesCostTheNamesNotTheirProduct) {
  EXPECT_TRUE(is_linear(20'000, [](size_t size) -> Growth::Work {
    KindTable table;
    table.put(named("gadgets", size));
    return [kinds = table.current(), wanted = named("things", size)] { EXPECT_EQ(kinds->name_conflict(*wanted), ""); };
  }));
}

TEST(Kinds, AreFoundByTheirKindHoweverManyThereAre) {
  EXPECT_TRUE(is_linear(4'000, [](size_t size) -> Growth::Work {
    std::vector<KindPtr> all;
    for (size_t i = 0; i < size; ++i) all.push_back(named(fmt::format("w{}", i), 0));
    KindTable table;
    table.put_all(all);
    return [kinds = table.current(), all] {
      for (const auto& kind : all) EXPECT_EQ(kinds->find_kind(kind->group, kind->kind), kind);
    };
  }));
}

}  // namespace
}  // namespace chandler::registry
