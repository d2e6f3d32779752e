#include "http/mailbox.h"

#include <gtest/gtest.h>

#include <thread>

#include "base/wake_together.h"

namespace chandler::http {
namespace {

struct Counted final : Errand {
  explicit Counted(int& to) : count(to) {}
  void run() override { ++count; }
  int& count;
};

class MailboxTest : public ::testing::Test {
 protected:
  void post() { box_->post({{}, nullptr, nullptr, std::make_shared<Counted>(read_)}); }
  // What the loop does when it has been woken; the number of wake-ups.
  size_t turn() {
    box_->context().restart();
    return box_->context().poll();
  }

  const std::shared_ptr<Mailbox> box_ = std::make_shared<Mailbox>();
  int read_ = 0;
};

TEST_F(MailboxTest, ManyNotesCostOneWakeUp) {
  for (int i = 0; i < 5; ++i) post();
  EXPECT_EQ(turn(), 1U);
  EXPECT_EQ(read_, 5);
  EXPECT_EQ(turn(), 0U);
  post();
  EXPECT_EQ(turn(), 1U);
  EXPECT_EQ(read_, 6);
}

TEST_F(MailboxTest, WhoHasManyWakesWhenAllAreThere) {
  {
    const WakeTogether scope;
    for (int i = 0; i < 5; ++i) {
      post();
      EXPECT_EQ(turn(), 0U);
    }
  }
  EXPECT_EQ(turn(), 1U);
  EXPECT_EQ(read_, 5);
}

TEST_F(MailboxTest, NobodyElseWaitsForThem) {
  {
    const WakeTogether scope;
    post();
    std::thread([this] { post(); }).join();
    EXPECT_EQ(turn(), 1U);
    EXPECT_EQ(read_, 2);
  }
  EXPECT_EQ(turn(), 0U);  // there was nothing left to wake for
}

TEST_F(MailboxTest, WhatIsPutOffOutlivesTheLoop) {
  auto box = std::make_shared<Mailbox>();
  {
    const WakeTogether scope;
    box->post({{}, nullptr, nullptr, std::make_shared<Counted>(read_)});
    box->close();
    box.reset();
  }
  EXPECT_EQ(read_, 0);
}

}  // namespace
}  // namespace chandler::http
