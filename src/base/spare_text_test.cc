#include "base/spare_text.h"

#include <gtest/gtest.h>

#include <thread>

namespace chandler {
namespace {

TEST(SpareText, ComesBackEmptyWithItsRoom) {
  std::string text(2000, 'x');
  const char* const memory = text.data();
  give_spare_text(std::move(text));
  const std::string again = take_spare_text();
  EXPECT_TRUE(again.empty());
  EXPECT_GE(again.capacity(), 2000U);
  EXPECT_EQ(again.data(), memory);
  EXPECT_LT(take_spare_text().capacity(), 1024U);  // there was one
}

TEST(SpareText, IsBoundedInSizeAndNumber) {
  give_spare_text("short");
  give_spare_text(std::string(9000, 'x'));
  EXPECT_LT(take_spare_text().capacity(), 1024U);
  for (int i = 0; i < 1000; ++i) give_spare_text(std::string(2000, 'x'));
  int kept = 0;
  while (take_spare_text().capacity() >= 1024) ++kept;
  EXPECT_EQ(kept, 32);
}

TEST(SpareText, StaysWithItsThread) {
  give_spare_text(std::string(2000, 'x'));
  std::thread([] { EXPECT_LT(take_spare_text().capacity(), 1024U); }).join();
  EXPECT_GE(take_spare_text().capacity(), 2000U);
}

}  // namespace
}  // namespace chandler
