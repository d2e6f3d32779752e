#include "registry/quota.h"

#include <atomic>
#include <thread>
#include <vector>

#include <gmock/gmock.h>
#include <gtest/gtest.h>

namespace chandler::registry {
namespace {

using ::testing::HasSubstr;

TEST(Quota, RefusesWhatWouldGoBeyondTheLimitAndSaysHowMuchIsUsed) {
  metrics::Registry metrics;
  Quota quota(metrics);
  quota.set_limit(1000);
  ASSERT_TRUE(quota.claim(900, Quota::Use::kOrdinary).ok());
  quota.settle(900, 900);
  EXPECT_TRUE(quota.claim(100, Quota::Use::kOrdinary).ok()) << "the last byte may be used";
  const auto refused = quota.claim(1, Quota::Use::kOrdinary);
  ASSERT_FALSE(refused.ok());
  EXPECT_EQ(refused.error().http(), 503);
  EXPECT_EQ(refused.error().retry_after_seconds, std::nullopt) << "waiting alone does not help";
  EXPECT_THAT(refused.error().message, HasSubstr("1000 of 1000 bytes"));
  EXPECT_THAT(refused.error().message, HasSubstr("--storage-quota-mib"));
  ASSERT_EQ(refused.error().causes.size(), 1u);
  EXPECT_EQ(refused.error().causes[0].reason, "StorageQuotaExceeded");
  EXPECT_THAT(metrics.text(), HasSubstr("chandler_storage_quota_refused_total 1\n"));
  EXPECT_THAT(metrics.text(), HasSubstr("chandler_storage_quota_bytes 1000\n"));
}

TEST(Quota, GivesBackTheClaimOfAWriteThatFailed) {
  metrics::Registry metrics;
  Quota quota(metrics);
  quota.set_limit(1000);
  ASSERT_TRUE(quota.claim(1000, Quota::Use::kOrdinary).ok());
  EXPECT_FALSE(quota.claim(1, Quota::Use::kOrdinary).ok());
  quota.settle(0, 1000);
  EXPECT_EQ(quota.used(), 0u);
  EXPECT_TRUE(quota.claim(1000, Quota::Use::kOrdinary).ok());
}

TEST(Quota, KeepsAReserveThatOrdinaryWritesDoNotReach) {
  metrics::Registry metrics;
  Quota quota(metrics);
  quota.set_limit(1600);
  quota.settle(1600, 0);
  EXPECT_FALSE(quota.claim(1, Quota::Use::kOrdinary).ok());
  EXPECT_TRUE(quota.claim(100, Quota::Use::kReserve).ok());
  EXPECT_FALSE(quota.claim(1, Quota::Use::kReserve).ok()) << "it has an end, too";
}

TEST(Quota, WithoutALimitOnlyCounts) {
  metrics::Registry metrics;
  Quota quota(metrics);
  ASSERT_TRUE(quota.claim(size_t{1} << 50, Quota::Use::kOrdinary).ok());
  quota.settle(5, size_t{1} << 50);
  EXPECT_EQ(quota.used(), 5u);
  EXPECT_EQ(quota.claimed(), 0u);
}

TEST(Quota, ManyThreadsFillItToTheLastByteAndNotBeyond) {
  metrics::Registry metrics;
  Quota quota(metrics);
  constexpr size_t kWrites = 1000;
  constexpr size_t kBytes = 7;
  quota.set_limit(kWrites * kBytes);
  std::atomic<size_t> stored{0};
  std::vector<std::thread> writers;
  for (int i = 0; i < 4; ++i) {
    writers.emplace_back([&, i] {
      // Every third write of the even threads loses its race, so that its claim comes back.
      for (size_t n = 0; stored.load() < kWrites; ++n) {
        if (!quota.claim(kBytes, Quota::Use::kOrdinary).ok()) continue;
        const bool lost = i % 2 == 0 && n % 3 == 0;
        if (!lost) ++stored;
        quota.settle(lost ? 0 : kBytes, kBytes);
      }
    });
  }
  for (auto& writer : writers) writer.join();
  EXPECT_EQ(stored, kWrites);
  EXPECT_EQ(quota.used(), kWrites * kBytes);
  EXPECT_EQ(quota.claimed(), 0u);
}

}  // namespace
}  // namespace chandler::registry
