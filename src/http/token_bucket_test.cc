#include "http/token_bucket.h"

#include <gtest/gtest.h>

namespace chandler::http {
namespace {

using std::chrono::milliseconds;

TEST(TokenBucket, AllowsABurstAndThenTheRate) {
  TokenBucket bucket({10, 2});
  TokenBucket::Time now{};
  now += std::chrono::hours(1);
  for (int i = 0; i < 10; ++i) EXPECT_TRUE(bucket.take(now));
  EXPECT_FALSE(bucket.take(now));
  now += milliseconds(499);
  EXPECT_FALSE(bucket.take(now));
  now += milliseconds(2);
  EXPECT_TRUE(bucket.take(now));
  EXPECT_FALSE(bucket.take(now));
}

TEST(TokenBucket, HoldsNoMoreThanTheBurst) {
  TokenBucket bucket({3, 1});
  TokenBucket::Time now{};
  bucket.give(100);
  for (int i = 0; i < 3; ++i) EXPECT_TRUE(bucket.take(now));
  EXPECT_FALSE(bucket.take(now));
  now += std::chrono::hours(1);
  for (int i = 0; i < 3; ++i) EXPECT_TRUE(bucket.take(now));
  EXPECT_FALSE(bucket.take(now));
}

TEST(TokenBucket, TakesManyAtOnceOrNone) {
  TokenBucket bucket({10, 2});
  TokenBucket::Time now{};
  now += std::chrono::hours(1);
  EXPECT_TRUE(bucket.take(now, 7));
  EXPECT_FALSE(bucket.take(now, 4));
  EXPECT_TRUE(bucket.take(now, 3)) << "what was refused took nothing";
  now += milliseconds(2001);
  EXPECT_FALSE(bucket.take(now, 5));
  EXPECT_TRUE(bucket.take(now, 4));
}

TEST(TokenBucket, WhatIsGivenCanBeTaken) {
  TokenBucket bucket({1, 0});
  const TokenBucket::Time now{};
  EXPECT_TRUE(bucket.take(now));
  EXPECT_FALSE(bucket.take(now));
  bucket.give(0.5);
  EXPECT_FALSE(bucket.take(now));
  bucket.give(0.5);
  EXPECT_TRUE(bucket.take(now));
}

}  // namespace
}  // namespace chandler::http
