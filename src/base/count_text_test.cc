#include "base/count_text.h"

#include <gtest/gtest.h>

namespace chandler {
namespace {

TEST(Counted, OneIsSingular) {
  EXPECT_EQ(counted(0, "Secret"), "0 Secrets");
  EXPECT_EQ(counted(1, "Secret"), "1 Secret");
  EXPECT_EQ(counted(2, "older key"), "2 older keys");
}

}  // namespace
}  // namespace chandler
