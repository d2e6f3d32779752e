#include "controller/ready_keys.h"

#include <gmock/gmock.h>

#include <vector>

namespace chandler::controller {
namespace {

using ::testing::ElementsAre;

std::vector<KeyId> all_of(ReadyKeys& ready) {
  std::vector<KeyId> out;
  while (const auto key = ready.pop()) out.push_back(*key);
  return out;
}

TEST(ReadyKeys, NamespacesTakeTurns) {
  ReadyKeys ready;
  for (const KeyId key : {1u, 2u, 3u, 4u}) ready.push("busy", key);
  for (const KeyId key : {11u, 12u}) ready.push("other", key);
  ready.push("", 21);
  EXPECT_THAT(all_of(ready), ElementsAre(1, 11, 21, 2, 12, 3, 4));
}

TEST(ReadyKeys, ANamespaceThatComesLaterWaitsForOneRunOfEach) {
  ReadyKeys ready;
  for (KeyId key = 1; key <= 1'000; ++key) ready.push("busy", key);
  EXPECT_EQ(ready.pop(), 1u);
  ready.push("other", 2'000);
  EXPECT_EQ(ready.pop(), 2u);
  EXPECT_EQ(ready.pop(), 2'000u);
}

TEST(ReadyKeys, ANamespaceThatWasServedComesBackBehindTheOthers) {
  ReadyKeys ready;
  ready.push("a", 1);
  ready.push("b", 2);
  EXPECT_EQ(ready.pop(), 1u);
  ready.push("a", 3);
  EXPECT_THAT(all_of(ready), ElementsAre(2, 3));
  EXPECT_FALSE(ready.pop().has_value());
}

}  // namespace
}  // namespace chandler::controller
