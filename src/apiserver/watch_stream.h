// One open watch: a body source that tells the changes after its cursor, and sleeps when there are none. The cursor is
// a revision in the shared history, so an idle watch costs next to nothing, and the event bytes are those of the stored
// document, serialised once for all watchers.
#pragma once

#include <atomic>
#include <memory>
#include <string>
#include <vector>

#include "apiserver/call.h"
#include "apiserver/write_deadlines.h"
#include "http/message.h"
#include "registry/cache.h"

namespace chandler::apiserver {

class Lanes;

// Wakes watches whose time has come (bookmark, end), and ends writes, and waits in lanes, whose time is over. One
// thread for all of them. Thread-safe.
class WatchTimer {
 public:
  class Client {
   public:
    virtual ~Client() = default;
    virtual MonoTime due() const = 0;
    virtual void wake() = 0;
  };

  explicit WatchTimer(const Clock& clock);
  ~WatchTimer();
  void add(const std::shared_ptr<Client>& client) CH_EXCLUDES(mutex_);
  WriteDeadlines& writes() { return writes_; }
  void look_after(Lanes& lanes) { lanes_.store(&lanes); }  // which outlive the timer

 private:
  void run();

  const Clock& clock_;
  WriteDeadlines writes_;
  std::atomic<Lanes*> lanes_{nullptr};
  Mutex mutex_;
  CondVar stop_signal_;
  bool stopping_ CH_GUARDED_BY(mutex_) = false;
  std::vector<std::weak_ptr<Client>> clients_ CH_GUARDED_BY(mutex_);
  std::thread thread_;
};

struct WatchStart {
  registry::Query query;
  std::vector<registry::DocumentPtr> initial;  // told as ADDED before anything else
  registry::Revision after = 0;                // then the changes after this revision
  bool bookmarks = false;
  bool mark_initial = false;  // a bookmark tells where the initial objects end
  MonoTime end{};
};

// Opens the stream and answers the call with it.
void start_watch(const Services& services, const CallPtr& call, WatchStart start);

}  // namespace chandler::apiserver
