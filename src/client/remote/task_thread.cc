#include "client/remote/task_thread.h"

#include "base/pool.h"

namespace chandler::client {

using std::chrono::steady_clock;

TaskThread::TaskThread(std::string name) {
  thread_ = std::thread([this, name = std::move(name)] {
    name_this_thread(name);
    run();
  });
}

TaskThread::~TaskThread() { stop(); }

void TaskThread::post(std::function<void()> task) { post_after(std::chrono::milliseconds(0), std::move(task)); }

void TaskThread::post_after(std::chrono::milliseconds delay, std::function<void()> task) {
  // What is to be done now keeps its order among all that is to be done now, whatever the clock says.
  const auto due = delay.count() <= 0 ? steady_clock::time_point::min() : steady_clock::now() + delay;
  MutexLock lock(mutex_);
  if (stopping_) return;
  tasks_.emplace(Due{due, next_++}, std::move(task));
  wake_.notify_one();
}

void TaskThread::stop() {
  std::map<Due, std::function<void()>> dropped;  // destroyed without the lock: tasks own things
  {
    MutexLock lock(mutex_);
    stopping_ = true;
    dropped.swap(tasks_);
    wake_.notify_one();
  }
  if (thread_.joinable()) thread_.join();
}

void TaskThread::run() {
  for (;;) {
    std::function<void()> task;
    {
      MutexLock lock(mutex_);
      for (;;) {
        if (stopping_) return;
        if (tasks_.empty()) {
          wake_.wait(mutex_);
          continue;
        }
        const auto due = tasks_.begin()->first.first;
        if (due <= steady_clock::now()) break;
        wake_.wait_until(mutex_, due);
      }
      task = std::move(tasks_.begin()->second);
      tasks_.erase(tasks_.begin());
    }
    task();
  }
}

}  // namespace chandler::client
