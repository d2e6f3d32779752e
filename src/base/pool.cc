#include "base/pool.h"

#include <pthread.h>
#include <sched.h>

#include <utility>

#include <fmt/format.h>

#include "base/check.h"

namespace chandler {
namespace {

constexpr size_t kThreadNameLimit = 15;

}  // namespace

Pool::Pool(const std::string& name, size_t threads, size_t queue_limit) : queue_limit_(queue_limit) {
  CH_CHECK(threads > 0);
  threads_.reserve(threads);
  for (size_t i = 0; i < threads; ++i) {
    const std::string number = fmt::format("-{}", i);
    // A long name is cut before the number, so that threads can still be told apart.
    threads_.emplace_back([this, thread_name = name.substr(0, kThreadNameLimit - number.size()) + number] {
      name_this_thread(thread_name);
      run();
    });
  }
}

Pool::~Pool() { stop(); }

bool Pool::submit(std::function<void()> work) {
  {
    MutexLock lock(mutex_);
    if (stopping_ || queue_.size() >= queue_limit_) return false;
    queue_.push_back(std::move(work));
  }
  wake_.notify_one();
  return true;
}

void Pool::stop() {
  std::vector<std::thread> threads;
  {
    MutexLock lock(mutex_);
    stopping_ = true;
    threads.swap(threads_);
  }
  wake_.notify_all();
  for (auto& thread : threads) thread.join();
}

void Pool::run() {
  for (;;) {
    std::function<void()> work;
    {
      MutexLock lock(mutex_);
      while (queue_.empty() && !stopping_) wake_.wait(mutex_);
      if (queue_.empty()) return;
      work = std::move(queue_.front());
      queue_.pop_front();
    }
    work();
  }
}

void name_this_thread(const std::string& name) {
  pthread_setname_np(pthread_self(), name.substr(0, kThreadNameLimit).c_str());
}

void let_others_finish() {
  // Everybody may; where the system refuses all the same, nothing but speed is lost.
  const sched_param none{};
  (void)::sched_setscheduler(0, SCHED_BATCH, &none);
}

}  // namespace chandler
