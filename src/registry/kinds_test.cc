#include "registry/kinds.h"

#include "registry/registry_fixture.h"

namespace chandler::registry {
namespace {

using testing::notes;
using testing::widgets;

TEST(KindTable, FindsByPluralAndByKind) {
  KindTable table;
  table.put_all({widgets(), notes()});
  const auto kinds = table.current();
  EXPECT_EQ(kinds->find("example.com", "widgets"), widgets());
  EXPECT_EQ(kinds->find("", "notes"), notes());
  EXPECT_EQ(kinds->find("", "widgets"), nullptr);
  EXPECT_EQ(kinds->find("example.com", "widget"), nullptr);
  EXPECT_EQ(kinds->find_kind("example.com", "Widget"), widgets());
  EXPECT_EQ(kinds->find_kind("example.com", "widgets"), nullptr);
  ASSERT_EQ(kinds->all().size(), 2u);
  EXPECT_EQ(kinds->all()[0], notes()) << "by group, then plural";
}

TEST(KindTable, KnowsTheVersionsThatAreServedAndEveryVersionOfItsOwnGroups) {
  const auto gadgets = testing::new_widgets();
  gadgets->plural = "gadgets";
  gadgets->versions[0].name = "v2";
  auto& hidden = gadgets->versions.emplace_back();
  hidden.name = "v3";
  hidden.served = false;
  gadgets->finish();
  KindTable table;
  table.put_all({widgets(), gadgets, notes()});
  const auto kinds = table.current();
  EXPECT_TRUE(kinds->knows("example.com", "v1"));
  EXPECT_TRUE(kinds->knows("example.com", "v2"));
  EXPECT_FALSE(kinds->knows("example.com", "v3")) << "a version that is not served";
  EXPECT_FALSE(kinds->knows("example.co", "v1"));
  EXPECT_TRUE(kinds->knows("", "v1"));
  EXPECT_TRUE(kinds->knows("", "v7")) << "a built-in group, in whatever version";
}

TEST(KindTable, SnapshotsStayAsTheyAre) {
  KindTable table;
  const auto empty = table.current();
  table.put(widgets());
  const auto one = table.current();
  table.remove("example.com", "widgets");
  EXPECT_TRUE(empty->all().empty());
  EXPECT_EQ(one->all().size(), 1u);
  EXPECT_EQ(table.current()->find("example.com", "widgets"), nullptr);
  EXPECT_LT(empty->generation(), one->generation());
  EXPECT_LT(one->generation(), table.current()->generation());
}

TEST(KindTable, ANewDefinitionReplacesTheOldOne) {
  KindTable table;
  table.put(widgets());
  const auto changed = testing::new_widgets();
  changed->singular = "thing";
  table.put(changed);
  EXPECT_EQ(table.current()->all().size(), 1u);
  EXPECT_EQ(table.current()->find("example.com", "widgets")->singular, "thing");
}

TEST(Kind, KeysHoldANamespaceOnlyWhereTheKindHasOne) {
  EXPECT_EQ(widgets()->key("ns", "a"), "example.com/widgets/ns/a");
  EXPECT_EQ(notes()->key("ns", "a"), "core/notes/ns/a");
  const auto cluster_wide = testing::new_widgets();
  cluster_wide->namespaced = false;
  EXPECT_EQ(cluster_wide->key("ns", "a"), "example.com/widgets/a");
  cluster_wide->stored_as = "core/other";
  cluster_wide->finish();
  EXPECT_EQ(cluster_wide->key("", "a"), "core/other/a");
}

}  // namespace
}  // namespace chandler::registry
