#include "controller/dependency_index.h"

#include <gmock/gmock.h>

#include "controller/fake_api.h"

namespace chandler::controller {
namespace {

using ::testing::ElementsAre;
using ::testing::IsEmpty;

constexpr client::KindName kPlans{"test.io", "plans"};
constexpr client::KindName kClasses{"test.io", "classes"};

class DependencyIndexTest : public ::testing::Test {
 protected:
  client::Object plan(std::string_view name, std::string_view color) {
    return api.put(kPlans, fmt::format("{{metadata: {{name: {}, namespace: dev}}, spec: {{color: {}}}}}", name, color));
  }
  std::vector<KeyId> concerned(const client::Object& before, const client::Object& now) const {
    return index.concerned({kPlans, before, now}, api);
  }

  FakeApi api;
  DependencyIndex index;
};

TEST_F(DependencyIndexTest, FindsReadersOfAnObject) {
  index.replace(1, {{kPlans, "dev", "p", "", ""}});
  index.replace(2, {{kPlans, "dev", "q", "", ""}});
  index.replace(3, {{kClasses, "dev", "p", "", ""}});
  index.replace(4, {{kPlans, "ops", "p", "", ""}});
  EXPECT_THAT(concerned({}, plan("p", "red")), ElementsAre(1));
}

TEST_F(DependencyIndexTest, FindsListsByOldAndNewValue) {
  index.replace(1, {{kPlans, "", "", "spec.color", "red"}});
  index.replace(2, {{kPlans, "dev", "", "spec.color", "blue"}});
  index.replace(3, {{kPlans, "", "", "spec.color", "green"}});
  index.replace(4, {{kPlans, "ops", "", "spec.color", "red"}});
  index.replace(5, {{kPlans, "", "", "", ""}});
  index.replace(6, {{kPlans, "ops", "", "", ""}});
  index.replace(7, {{kPlans, "", "", "spec.size", ""}});  // none of them has a size
  EXPECT_THAT(concerned(plan("p", "red"), plan("p", "blue")), ElementsAre(1, 2, 5, 7));
}

TEST_F(DependencyIndexTest, EachKeyOnce) {
  index.replace(1, {{kPlans, "dev", "p", "", ""}, {kPlans, "", "", "spec.color", "red"}, {kPlans, "", "", "", ""}});
  EXPECT_THAT(concerned({}, plan("p", "red")), ElementsAre(1));
}

TEST_F(DependencyIndexTest, TheLastReadsReplaceEarlierOnes) {
  index.replace(1, {{kPlans, "", "", "spec.color", "red"}});
  index.replace(1, {{kPlans, "", "", "spec.color", "blue"}, {kPlans, "", "", "spec.color", "blue"}});
  EXPECT_THAT(concerned({}, plan("p", "red")), IsEmpty());
  EXPECT_THAT(concerned({}, plan("p", "blue")), ElementsAre(1));
  index.forget(1);
  EXPECT_THAT(concerned({}, plan("p", "blue")), IsEmpty());
  EXPECT_EQ(index.size(), 0u);
}

TEST_F(DependencyIndexTest, WhatIsReadAgainStays) {
  const auto read = [](std::string_view color) { return Read{kPlans, "", "", "spec.color", std::string(color)}; };
  index.replace(1, {read("blue"), read("green"), read("red")});
  index.replace(2, {read("green")});
  index.replace(1, {read("amber"), read("green"), read("white")});
  EXPECT_THAT(concerned({}, plan("p", "green")), ElementsAre(1, 2));
  EXPECT_THAT(concerned({}, plan("p", "amber")), ElementsAre(1));
  EXPECT_THAT(concerned({}, plan("p", "white")), ElementsAre(1));
  for (const auto* color : {"blue", "red"}) EXPECT_THAT(concerned({}, plan("p", color)), IsEmpty()) << color;
  index.forget(1);
  EXPECT_THAT(concerned({}, plan("p", "green")), ElementsAre(2));
  index.forget(2);
  EXPECT_EQ(index.size(), 0u);
}

TEST_F(DependencyIndexTest, ReadersOfTheSameComeAndGo) {
  const Read red{kPlans, "", "", "spec.color", "red"};
  const auto p = plan("p", "red");
  index.replace(3, {red});
  EXPECT_THAT(concerned({}, p), ElementsAre(3));
  index.replace(1, {red});
  index.replace(2, {red});
  EXPECT_THAT(concerned({}, p), ElementsAre(1, 2, 3));
  index.forget(3);
  EXPECT_THAT(concerned({}, p), ElementsAre(1, 2));
  index.forget(1);
  EXPECT_THAT(concerned({}, p), ElementsAre(2));
  index.replace(2, {red, red, {kPlans, "dev", "p", "", ""}});
  EXPECT_THAT(concerned({}, p), ElementsAre(2));
  index.forget(2);
  EXPECT_THAT(concerned({}, p), IsEmpty());
  EXPECT_EQ(index.size(), 0u);
  index.replace(4, {red});
  index.forget(5);  // never read anything
  EXPECT_THAT(concerned(p, {}), ElementsAre(4));
}

TEST_F(DependencyIndexTest, ListsOfANamespaceAndOfAllAreRememberedApart) {
  const auto p = plan("p", "red");
  index.replace(1, {{kPlans, "dev", "", "", ""}});
  index.replace(2, {{kPlans, "dev", "", "spec.color", "red"}});
  index.replace(3, {{kPlans, "", "", "spec.color", "red"}});
  index.replace(4, {{kPlans, "", "", "", ""}});
  EXPECT_THAT(concerned(p, p), ElementsAre(1, 2, 3, 4));
  index.forget(2);
  EXPECT_THAT(concerned(p, p), ElementsAre(1, 3, 4));
  index.forget(4);
  EXPECT_THAT(concerned(p, p), ElementsAre(1, 3));
  index.replace(5, {{kPlans, "ops", "", "spec.color", "red"}});
  EXPECT_THAT(concerned(p, p), ElementsAre(1, 3));
  index.replace(6, {{kPlans, "dev", "", "spec.color", "red"}});
  EXPECT_THAT(concerned(p, p), ElementsAre(1, 3, 6));
}

TEST_F(DependencyIndexTest, AnObjectOfTheClusterIsInListsOfAll) {
  const auto p = api.put(kPlans, "{metadata: {name: p}, spec: {color: red}}");
  index.replace(1, {{kPlans, "", "p", "", ""}});
  index.replace(2, {{kPlans, "", "", "spec.color", "red"}});
  index.replace(3, {{kPlans, "dev", "", "spec.color", "red"}});
  index.replace(4, {{kPlans, "", "", "", ""}});
  index.replace(5, {{kPlans, "dev", "p", "", ""}});
  EXPECT_THAT(concerned({}, p), ElementsAre(1, 2, 4));
}

TEST_F(DependencyIndexTest, AsksOnlyForFieldsThatSomebodyReads) {
  for (KeyId key = 1; key <= 20'000; ++key) index.replace(key, {{kPlans, "", "", "spec.color", std::to_string(key)}});
  EXPECT_THAT(concerned({}, plan("p", "'17'")), ElementsAre(17));
}

}  // namespace
}  // namespace chandler::controller
