#include "auth/token_cache.h"

#include <gtest/gtest.h>

#include <string>

#include "support/fake_clock.h"

namespace chandler::auth {
namespace {

using std::chrono::seconds;

std::shared_ptr<const std::string> text(std::string value) { return std::make_shared<std::string>(std::move(value)); }

TEST(TokenCache, ForgetsAfterTenSeconds) {
  testing::FakeClock clock;
  TokenCache<std::string> cache(4, clock);
  EXPECT_EQ(cache.find(sha256("a")), nullptr);
  cache.put(sha256("a"), text("A"));
  clock.advance(seconds(9));
  ASSERT_NE(cache.find(sha256("a")), nullptr);
  EXPECT_EQ(*cache.find(sha256("a")), "A");
  clock.advance(seconds(1));
  EXPECT_EQ(cache.find(sha256("a")), nullptr);
}

TEST(TokenCache, IsBoundedAndDropsTheOldest) {
  testing::FakeClock clock;
  TokenCache<std::string> cache(2, clock);
  for (const auto* token : {"a", "b", "c"}) {
    cache.put(sha256(token), text(token));
    clock.advance(seconds(1));
  }
  EXPECT_EQ(cache.size(), 2u);
  EXPECT_EQ(cache.find(sha256("a")), nullptr);
  EXPECT_NE(cache.find(sha256("c")), nullptr);
}

TEST(TokenCache, APutAnewLivesItsOwnTime) {
  testing::FakeClock clock;
  TokenCache<std::string> cache(8, clock);
  cache.put(sha256("a"), text("old"));
  clock.advance(seconds(6));
  cache.put(sha256("a"), text("new"));
  clock.advance(seconds(6));
  cache.put(sha256("b"), text("b"));  // drops what has ended, which is the first life of a
  ASSERT_NE(cache.find(sha256("a")), nullptr);
  EXPECT_EQ(*cache.find(sha256("a")), "new");
}

TEST(Digest, IsSha256) { EXPECT_EQ(view(sha256("abc")).substr(0, 4), "\xba\x78\x16\xbf"); }

}  // namespace
}  // namespace chandler::auth
