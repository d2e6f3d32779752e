// A duty of the server: one named thread that works through a queue of keys. A key is queued at most once and never
// worked on twice at a time; failed ones come back later. Thread-safe.
#pragma once

#include <chrono>
#include <deque>
#include <functional>
#include <map>
#include <optional>
#include <set>
#include <string>
#include <thread>

#include "base/clock.h"
#include "base/mutex.h"

namespace chandler::apiserver {

class Duty {
 public:
  // After its work a key rests this many times as long as the work kept the processor busy. Where the work is a walk
  // over many things, and each change of one of them adds the key, n changes so do not cost n walks.
  static constexpr int kRest = 4;
  static std::chrono::nanoseconds processor_time();  // of this thread

  // Does what `key` needs; returns when to look at it again, nullopt when done until somebody adds it.
  using Work = std::function<std::optional<std::chrono::milliseconds>(const std::string& key)>;

  // `gather`: how long it waits, when it begins to have work, for more of it: what comes in bursts and is in no hurry
  // then costs those who add it one wake-up.
  Duty(std::string name, Work work, std::chrono::milliseconds gather = {});
  ~Duty();  // stop()
  Duty(const Duty&) = delete;
  Duty& operator=(const Duty&) = delete;

  void start();
  void add(std::string key) CH_EXCLUDES(mutex_);
  void add_after(std::string key, std::chrono::milliseconds delay) CH_EXCLUDES(mutex_);
  void stop() CH_EXCLUDES(mutex_);  // after the key at hand

 private:
  struct Rest {
    MonoTime until;
    bool put_off = false;  // the key was added meanwhile
  };
  void run() CH_EXCLUDES(mutex_);
  std::optional<std::string> next() CH_EXCLUDES(mutex_);  // waits; nullopt: stopping
  void sleep() CH_REQUIRES(mutex_);
  void rest(const std::string& key, std::chrono::nanoseconds worked) CH_EXCLUDES(mutex_);
  // True: the key rests, and is queued again when its rest is over.
  bool put_off(const std::string& key, MonoTime now) CH_REQUIRES(mutex_);

  const std::string name_;
  const Work work_;
  const std::chrono::milliseconds gather_;
  Mutex mutex_;
  CondVar wake_;
  std::deque<std::string> ready_ CH_GUARDED_BY(mutex_);
  std::set<std::string> queued_ CH_GUARDED_BY(mutex_);
  std::multimap<MonoTime, std::string> later_ CH_GUARDED_BY(mutex_);
  std::map<std::string, Rest> resting_ CH_GUARDED_BY(mutex_);
  bool asleep_ CH_GUARDED_BY(mutex_) = false;  // until something is added
  bool stopping_ CH_GUARDED_BY(mutex_) = false;
  std::thread thread_;
};

}  // namespace chandler::apiserver
