#include "base/result.h"

#include <memory>
#include <string>

#include <gtest/gtest.h>

namespace chandler {
namespace {

Result<int> positive(int n) {
  if (n <= 0) return bad_request("not positive");
  return n;
}

Result<void> check_positive(int n) {
  CH_TRY(positive(n));
  return {};
}

Result<std::string> sum(int a, int b) {
  CH_TRY_LET(x, positive(a));
  CH_TRY_LET(y, positive(b));
  CH_TRY(check_positive(x));
  return std::to_string(x + y);
}

TEST(Result, HoldsAValueOrAnError) {
  const auto good = positive(1);
  ASSERT_TRUE(good.ok());
  EXPECT_TRUE(static_cast<bool>(good));
  EXPECT_EQ(*good, 1);
  const auto bad = positive(0);
  ASSERT_FALSE(bad.ok());
  EXPECT_EQ(bad.error().reason, Reason::kBadRequest);
}

TEST(Result, OfNothingIsSuccessOrAnError) {
  EXPECT_TRUE(check_positive(1).ok());
  ASSERT_FALSE(check_positive(0).ok());
  EXPECT_EQ(check_positive(0).error().message, "not positive");
}

TEST(Result, TryPassesTheFirstErrorOn) {
  EXPECT_EQ(*sum(1, 2), "3");
  EXPECT_FALSE(sum(0, 2).ok());
  EXPECT_FALSE(sum(1, 0).ok());
}

TEST(Result, CarriesWhatCanOnlyBeMoved) {
  Result<std::unique_ptr<int>> result(std::make_unique<int>(7));
  EXPECT_EQ(**result, 7);
  const std::unique_ptr<int> taken = *std::move(result);
  EXPECT_EQ(*taken, 7);
}

TEST(Result, CanHoldAnErrorAsItsValue) {
  const Result<Error> value(bad_request("a value"));
  const Result<Error> failure(fail(bad_request("a failure")));
  EXPECT_TRUE(value.ok());
  EXPECT_FALSE(failure.ok());
}

TEST(Result, TakesAnotherKindOfError) {
  const Result<int, std::string> failure(fail(std::string("why")));
  ASSERT_FALSE(failure.ok());
  EXPECT_EQ(failure.error(), "why");
}

TEST(ResultDeathTest, EndsTheProcessWhenTheWrongSideIsTaken) {
  EXPECT_DEATH(positive(0).value(), "bug: ok\\(\\) does not hold");
  EXPECT_DEATH(positive(1).error(), "bug: !ok\\(\\) does not hold");
}

}  // namespace
}  // namespace chandler
