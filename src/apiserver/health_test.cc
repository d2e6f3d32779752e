#include "apiserver/health.h"

#include <gtest/gtest.h>

namespace chandler::apiserver {
namespace {

class HealthTest : public ::testing::Test {
 protected:
  HealthTest() {
    health_.add("ping", true, [] { return ""; });
    health_.add("store", true, [this] { return store_; });
    health_.add("cache", false, [this] { return cache_; });
  }
  Health health_;
  std::string store_;
  std::string cache_;
};

TEST_F(HealthTest, TellsOfEveryCheck) {
  const auto report = health_.ask("/readyz", {});
  ASSERT_TRUE(report.has_value());
  EXPECT_TRUE(report->ok);
  EXPECT_EQ(report->text, "[+]ping ok\n[+]store ok\n[+]cache ok\nreadyz check passed\n");
}

TEST_F(HealthTest, OneFailureFailsTheWhole) {
  cache_ = "is being filled";
  const auto ready = health_.ask("/readyz", {});
  EXPECT_FALSE(ready->ok);
  EXPECT_NE(ready->text.find("[-]cache failed: is being filled\n"), std::string::npos);
  EXPECT_NE(ready->text.find("readyz check failed\n"), std::string::npos);
  EXPECT_TRUE(health_.ask("/livez", {})->ok) << "a restart would not help";
  store_ = "no space left";
  EXPECT_FALSE(health_.ask("/livez", {})->ok);
}

TEST_F(HealthTest, ChecksCanBeLeftOut) {
  cache_ = "is being filled";
  const auto report = health_.ask("/readyz", {"cache"});
  EXPECT_TRUE(report->ok);
  EXPECT_NE(report->text.find("cache excluded"), std::string::npos);
}

TEST_F(HealthTest, OneCheckCanBeAsked) {
  cache_ = "is being filled";
  EXPECT_TRUE(health_.ask("/readyz/store", {})->ok);
  EXPECT_FALSE(health_.ask("/readyz/cache", {})->ok);
  EXPECT_EQ(health_.ask("/readyz/nothing", {}), std::nullopt);
  EXPECT_EQ(health_.ask("/livez/cache", {}), std::nullopt) << "no check of life";
}

}  // namespace
}  // namespace chandler::apiserver
