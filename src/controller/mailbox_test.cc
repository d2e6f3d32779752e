#include "controller/mailbox.h"

#include <gtest/gtest.h>

namespace chandler::controller {
namespace {

constexpr client::KindName kThings{"test.io", "things"};

TEST(Mailbox, KeepsTheOrder) {
  Mailbox box(10);
  EXPECT_TRUE(box.is_empty());
  box.put(WriteEnded{1, 0, std::nullopt});
  box.put(WriteEnded{2, 0, std::nullopt});
  box.put(AccessKnown{});
  const auto first = box.take(2);
  ASSERT_EQ(first.mail.size(), 2u);
  EXPECT_EQ(std::get<WriteEnded>(first.mail[1]).key, 2u);
  EXPECT_FALSE(box.is_empty());
  EXPECT_EQ(box.take(2).mail.size(), 1u);
  EXPECT_TRUE(box.is_empty());
}

TEST(Mailbox, UsesTheRoomOfAnEarlierDelivery) {
  Mailbox box(10);
  box.put(WriteEnded{1, 0, std::nullopt});
  box.put(WriteEnded{2, 0, std::nullopt});
  auto first = box.take(10);
  const auto* memory = first.mail.data();
  box.put(WriteEnded{3, 0, std::nullopt});
  const auto second = box.take(10, std::move(first.mail));
  ASSERT_EQ(second.mail.size(), 1u) << "what was delivered before is gone";
  EXPECT_EQ(std::get<WriteEnded>(second.mail[0]).key, 3u);
  EXPECT_EQ(second.mail.data(), memory);
}

TEST(Mailbox, RingsOnceUntilItIsEmptied) {
  Mailbox box(10);
  int rings = 0;
  box.on_mail([&] { ++rings; });
  box.put(AccessKnown{});
  box.put(AccessKnown{});
  EXPECT_EQ(rings, 1);
  box.take(10);
  box.put(AccessKnown{});
  EXPECT_EQ(rings, 2);
}

TEST(Mailbox, TooManyChangesAreDroppedButAnswersAreNot) {
  Mailbox box(3);
  box.put(WriteEnded{1, 0, std::nullopt});
  for (int i = 0; i < 10; ++i) box.put(client::Change{kThings, {}, {}});
  box.put(WriteEnded{2, 0, std::nullopt});
  auto delivery = box.take(10);
  EXPECT_TRUE(delivery.missed_changes);
  EXPECT_EQ(delivery.mail.size(), 2u);
  box.put(client::Change{kThings, {}, {}});
  delivery = box.take(10);
  EXPECT_FALSE(delivery.missed_changes);
  EXPECT_EQ(delivery.mail.size(), 1u);
}

TEST(Mailbox, TakesNothingOnceClosed) {
  Mailbox box(3);
  box.put(AccessKnown{});
  box.close();
  box.put(AccessKnown{});
  EXPECT_TRUE(box.is_empty());
}

}  // namespace
}  // namespace chandler::controller
