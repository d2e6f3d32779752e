#include "base/ids.h"

#include <map>
#include <set>

#include <gmock/gmock.h>
#include <gtest/gtest.h>

namespace chandler {
namespace {

using ::testing::MatchesRegex;

TEST(RandomBytes, GivesAsManyAsAskedFor) {
  EXPECT_EQ(random_bytes(0).size(), 0u);
  EXPECT_EQ(random_bytes(100'000).size(), 100'000u);
  EXPECT_NE(random_bytes(16), random_bytes(16));
}

TEST(NewUuid, IsOfVersion4InLowerCase) {
  for (int i = 0; i < 100; ++i) {
    EXPECT_THAT(new_uuid(), MatchesRegex("[0-9a-f]{8}-[0-9a-f]{4}-4[0-9a-f]{3}-[89ab][0-9a-f]{3}-[0-9a-f]{12}"));
  }
}

TEST(NewUuid, DoesNotRepeat) {
  std::set<std::string> seen;
  for (int i = 0; i < 1000; ++i) seen.insert(new_uuid());
  EXPECT_EQ(seen.size(), 1000u);
}

TEST(NameSuffix, UsesEveryLetterOfItsAlphabetAboutEqually) {
  const std::string letters = name_suffix(27'000);
  ASSERT_EQ(letters.size(), 27'000u);
  std::map<char, int> counts;
  for (const char c : letters) ++counts[c];
  std::string alphabet;
  for (const auto& [letter, count] : counts) {
    alphabet += letter;
    // Expected 1000, standard deviation 31: ten of these away means a bias, not bad luck.
    EXPECT_NEAR(count, 1000, 310) << letter;
  }
  EXPECT_EQ(alphabet, "2456789bcdfghjklmnpqrstvwxz");
}

TEST(NameSuffix, MayBeEmpty) { EXPECT_EQ(name_suffix(0), ""); }

}  // namespace
}  // namespace chandler
