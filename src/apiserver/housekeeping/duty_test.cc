#include "apiserver/housekeeping/duty.h"

#include <algorithm>
#include <stdexcept>
#include <vector>

#include <gtest/gtest.h>

#include "support/eventually.h"

namespace chandler::apiserver {
namespace {

using ::chandler::testing::eventually;
using std::chrono::hours;
using std::chrono::milliseconds;

// What the duty did, in order.
class Diary {
 public:
  size_t write(const std::string& key) {
    MutexLock lock(mutex_);
    keys_.push_back(key);
    return static_cast<size_t>(std::count(keys_.begin(), keys_.end(), key));
  }
  std::vector<std::string> read() const {
    MutexLock lock(mutex_);
    return keys_;
  }

 private:
  mutable Mutex mutex_;
  std::vector<std::string> keys_ CH_GUARDED_BY(mutex_);
};

TEST(Duty, WorksThroughItsKeysInOrderAndEachOnce) {
  Diary diary;
  Duty duty("test", [&](const std::string& key) -> std::optional<milliseconds> {
    diary.write(key);
    return std::nullopt;
  });
  for (const char* key : {"a", "b", "a", "c", "b"}) duty.add(key);
  duty.start();
  EXPECT_TRUE(eventually([&] { return diary.read().size() >= 3; }));
  duty.stop();
  EXPECT_EQ(diary.read(), (std::vector<std::string>{"a", "b", "c"}));
}

TEST(Duty, AKeyAddedWhileItIsWorkedOnIsWorkedOnAgain) {
  Diary diary;
  Duty* self = nullptr;
  Duty duty("test", [&](const std::string& key) -> std::optional<milliseconds> {
    if (diary.write(key) == 1 && key == "a") {
      self->add(key);
      self->add(key);
    }
    return std::nullopt;
  });
  self = &duty;
  duty.add("a");
  duty.start();
  EXPECT_TRUE(eventually([&] { return diary.read().size() == 2; }));
  duty.add("end");
  EXPECT_TRUE(eventually([&] { return diary.read().back() == "end"; }));
  EXPECT_EQ(diary.read(), (std::vector<std::string>{"a", "a", "end"}));
}

TEST(Duty, ComesBackWhenTheWorkAsksForIt) {
  Diary diary;
  Duty duty("test", [&](const std::string& key) -> std::optional<milliseconds> {
    return diary.write(key) < 3 ? std::optional(milliseconds(1)) : std::nullopt;
  });
  duty.start();
  duty.add("a");
  EXPECT_TRUE(eventually([&] { return diary.read().size() == 3; }));
}

TEST(Duty, WhatIsDueLaterWaitsAndDoesNotHoldUpTheRest) {
  Diary diary;
  Duty duty("test", [&](const std::string& key) -> std::optional<milliseconds> {
    diary.write(key);
    return std::nullopt;
  });
  duty.start();
  duty.add_after("much later", hours(1));
  duty.add_after("soon", milliseconds(1));
  duty.add("now");
  EXPECT_TRUE(eventually([&] { return diary.read().size() == 2; }));
  duty.stop();
  const auto done = diary.read();
  EXPECT_EQ(std::count(done.begin(), done.end(), "much later"), 0);
}

// Work that walks over many things, and each of them is a reason to do it again.
TEST(Duty, LongWorkIsFollowedByARestThatOtherKeysDoNotWaitFor) {
  constexpr auto kWork = milliseconds(2);
  constexpr size_t kTimes = 6;
  Diary diary;
  Duty* self = nullptr;
  Duty duty("test", [&](const std::string& key) -> std::optional<milliseconds> {
    if (diary.write(key) < kTimes && key == "long") {
      const auto begin = Duty::processor_time();
      while (Duty::processor_time() - begin < kWork) {
      }
      self->add(key);
      self->add("short");
    }
    return std::nullopt;
  });
  self = &duty;
  const auto begin = std::chrono::steady_clock::now();
  duty.add("long");
  duty.start();
  const auto count = [&](std::string_view key) {
    const auto done = diary.read();
    return static_cast<size_t>(std::count(done.begin(), done.end(), key));
  };
  EXPECT_TRUE(eventually([&] { return count("long") == kTimes; }));
  EXPECT_GE(std::chrono::steady_clock::now() - begin, (kTimes - 1) * (1 + Duty::kRest) * kWork);
  EXPECT_EQ(diary.read().at(1), "short") << "is worked on while the long one rests";
}

TEST(Duty, OneKeyThatThrowsDoesNotEndTheDuty) {
  Diary diary;
  Duty duty("test", [&](const std::string& key) -> std::optional<milliseconds> {
    if (key == "bad") throw std::runtime_error("broken");
    diary.write(key);
    return std::nullopt;
  });
  duty.add("bad");
  duty.add("good");
  duty.start();
  EXPECT_TRUE(eventually([&] { return diary.read() == std::vector<std::string>{"good"}; }));
}

TEST(Duty, StopsAfterTheKeyAtHand) {
  Diary diary;
  Duty duty("test", [&](const std::string& key) -> std::optional<milliseconds> {
    diary.write(key);
    return std::nullopt;
  });
  duty.start();
  duty.stop();
  duty.add("a");
  duty.stop();  // again: nothing to do
  EXPECT_TRUE(diary.read().empty());
}

TEST(Duty, WhatComesInABurstIsWaitedForAndStoppingIsNot) {
  Diary diary;
  const auto work = [&](const std::string& key) -> std::optional<milliseconds> {
    diary.write(key);
    return std::nullopt;
  };
  {
    Duty duty("test", work, milliseconds(1));
    duty.start();
    for (const char* key : {"a", "b", "c"}) duty.add(key);
    EXPECT_TRUE(eventually([&] { return diary.read().size() == 3; }));
    duty.add("d");  // from sleep again
    EXPECT_TRUE(eventually([&] { return diary.read().size() == 4; }));
  }
  Duty slow("test", work, hours(1));
  slow.start();
  slow.add("e");
  slow.stop();  // would take an hour
}

TEST(Duty, NeedNotBeStarted) {
  Duty duty("test", [](const std::string&) -> std::optional<milliseconds> { return std::nullopt; });
  duty.add("a");
}

}  // namespace
}  // namespace chandler::apiserver
