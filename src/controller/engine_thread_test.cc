#include "controller/engine_thread.h"

#include <atomic>

#include <gtest/gtest.h>

#include "controller/engine.h"
#include "controller/fake_api.h"
#include "controller/mailbox.h"
#include "support/eventually.h"

namespace chandler::controller {
namespace {

using ::chandler::testing::eventually;

// Counts what it is told to do.
class CountingWorker final : public Worker {
 public:
  bool turn() override {
    if (!box.take(1).mail.empty()) {
      ++mail;
      return true;
    }
    MutexLock lock(mutex);
    if (!due || system_clock().now() < *due) return false;
    due.reset();
    ++timers;
    return true;
  }
  std::optional<WallTime> next_due() const override {
    MutexLock lock(mutex);
    return due;
  }
  void on_mail(std::function<void()> wake) override { box.on_mail(std::move(wake)); }

  Mailbox box{100};
  mutable Mutex mutex;
  std::optional<WallTime> due CH_GUARDED_BY(mutex);
  std::atomic<int> mail{0};
  std::atomic<int> timers{0};
};

TEST(EngineThread, WorksOnMailAndWhenTheTimeHasCome) {
  CountingWorker worker;
  {
    MutexLock lock(worker.mutex);
    worker.due = system_clock().now() + std::chrono::milliseconds(20);
  }
  EngineThread thread(worker, system_clock());
  worker.box.put(AccessKnown{});  // before it starts
  thread.start();
  EXPECT_TRUE(eventually([&] { return worker.mail == 1; }));
  EXPECT_TRUE(eventually([&] { return worker.timers == 1; }));
  for (int i = 0; i < 50; ++i) worker.box.put(AccessKnown{});
  EXPECT_TRUE(eventually([&] { return worker.mail == 51; }));
  thread.stop();
  worker.box.put(AccessKnown{});
  thread.stop();
  EXPECT_EQ(worker.mail, 51);
}

TEST(EngineThread, MayEndWithoutAStart) {
  CountingWorker worker;
  EngineThread thread(worker, system_clock());
}

}  // namespace
}  // namespace chandler::controller
