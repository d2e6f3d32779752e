// Locks that Clang's thread-safety analysis can see through; std::mutex alone is invisible to it. Every guarded member
// says by which lock: `int count_ CH_GUARDED_BY(mutex_);`. No lock is held during I/O, a callback or a log call.
#pragma once

#include <chrono>
#include <condition_variable>
#include <mutex>
#include <shared_mutex>

#if defined(__clang__)
#define CH_TSA(x) __attribute__((x))
#else
#define CH_TSA(x)
#endif

#define CH_CAPABILITY(x) CH_TSA(capability(x))
#define CH_SCOPED CH_TSA(scoped_lockable)
#define CH_GUARDED_BY(x) CH_TSA(guarded_by(x))
#define CH_REQUIRES(...) CH_TSA(requires_capability(__VA_ARGS__))
#define CH_REQUIRES_SHARED(...) CH_TSA(requires_shared_capability(__VA_ARGS__))
#define CH_EXCLUDES(...) CH_TSA(locks_excluded(__VA_ARGS__))
#define CH_ACQUIRE(...) CH_TSA(acquire_capability(__VA_ARGS__))
#define CH_ACQUIRE_SHARED(...) CH_TSA(acquire_shared_capability(__VA_ARGS__))
#define CH_RELEASE(...) CH_TSA(release_capability(__VA_ARGS__))
#define CH_NO_THREAD_SAFETY_ANALYSIS CH_TSA(no_thread_safety_analysis)

namespace chandler {

class CH_CAPABILITY("mutex") Mutex {
 public:
  void lock() CH_ACQUIRE() { mutex_.lock(); }
  void unlock() CH_RELEASE() { mutex_.unlock(); }

 private:
  friend class CondVar;
  std::mutex mutex_;
};

class CH_SCOPED MutexLock {
 public:
  explicit MutexLock(Mutex& mutex) CH_ACQUIRE(mutex) : mutex_(mutex) { mutex_.lock(); }
  ~MutexLock() CH_RELEASE() { mutex_.unlock(); }
  MutexLock(const MutexLock&) = delete;
  MutexLock& operator=(const MutexLock&) = delete;

 private:
  Mutex& mutex_;
};

// Waits with a Mutex held; the caller re-checks its condition in a loop.
class CondVar {
 public:
  void wait(Mutex& mutex) CH_REQUIRES(mutex) {
    std::unique_lock<std::mutex> lock(mutex.mutex_, std::adopt_lock);
    cv_.wait(lock);
    lock.release();
  }
  // False when the time ran out.
  bool wait_until(Mutex& mutex, std::chrono::steady_clock::time_point deadline) CH_REQUIRES(mutex) {
    std::unique_lock<std::mutex> lock(mutex.mutex_, std::adopt_lock);
    const auto status = cv_.wait_until(lock, deadline);
    lock.release();
    return status == std::cv_status::no_timeout;
  }
  void notify_one() { cv_.notify_one(); }
  void notify_all() { cv_.notify_all(); }

 private:
  std::condition_variable cv_;
};

class CH_CAPABILITY("shared_mutex") SharedMutex {
 public:
  void lock() CH_ACQUIRE() { mutex_.lock(); }
  void unlock() CH_RELEASE() { mutex_.unlock(); }
  void lock_shared() CH_ACQUIRE_SHARED() { mutex_.lock_shared(); }
  void unlock_shared() CH_TSA(release_shared_capability()) { mutex_.unlock_shared(); }

 private:
  std::shared_mutex mutex_;
};

class CH_SCOPED WriteLock {
 public:
  explicit WriteLock(SharedMutex& mutex) CH_ACQUIRE(mutex) : mutex_(mutex) { mutex_.lock(); }
  ~WriteLock() CH_RELEASE() { mutex_.unlock(); }
  WriteLock(const WriteLock&) = delete;
  WriteLock& operator=(const WriteLock&) = delete;

 private:
  SharedMutex& mutex_;
};

class CH_SCOPED ReadLock {
 public:
  explicit ReadLock(SharedMutex& mutex) CH_ACQUIRE_SHARED(mutex) : mutex_(mutex) { mutex_.lock_shared(); }
  ~ReadLock() CH_TSA(release_capability()) { mutex_.unlock_shared(); }
  ReadLock(const ReadLock&) = delete;
  ReadLock& operator=(const ReadLock&) = delete;

 private:
  SharedMutex& mutex_;
};

}  // namespace chandler
