#include "app/served_kinds.h"

#include <algorithm>

#include <gtest/gtest.h>

#include "registry/kind_loader.h"

namespace chandler::app {
namespace {

constexpr std::string_view kCatalog = "servicecatalog.k8s.io";

bool has_group(const std::vector<registry::KindPtr>& kinds, std::string_view group) {
  return std::any_of(kinds.begin(), kinds.end(), [&](const auto& kind) { return kind->group == group; });
}

TEST(ServedKinds, AllUnlessAGroupIsLeftOut) {
  const auto embedded = registry::EmbeddedKinds::load();
  ASSERT_TRUE(embedded.ok());
  const auto& all = (*embedded)->kinds();
  ASSERT_TRUE(has_group(all, kCatalog));
  EXPECT_EQ(served_kinds(all, {})->size(), all.size());
  const auto fewer = served_kinds(all, {std::string(kCatalog)});
  ASSERT_TRUE(fewer.ok());
  EXPECT_FALSE(has_group(*fewer, kCatalog));
  EXPECT_TRUE(has_group(*fewer, "apps"));
}

TEST(ServedKinds, WhatEveryServerNeedsStays) {
  const auto embedded = registry::EmbeddedKinds::load();
  ASSERT_TRUE(embedded.ok());
  for (const std::string group : {"", "apps", "servicecatalog"}) {
    const auto refused = served_kinds((*embedded)->kinds(), {group});
    ASSERT_FALSE(refused.ok()) << group;
    EXPECT_NE(refused.error().message.find(kCatalog), std::string::npos) << refused.error().message;
  }
}

}  // namespace
}  // namespace chandler::app
