// Writes that wait for the store, and until when. A disk that hangs must not hang its clients: who waits longer than
// allowed is told so, and what the store says afterwards is dropped (the write may still happen). Calls join when they
// are dispatched and leave with their answer; an idle list costs nothing. Thread-safe.
#pragma once

#include <chrono>
#include <memory>
#include <string_view>
#include <vector>

#include "base/clock.h"
#include "base/mutex.h"
#include "base/result.h"

namespace chandler::apiserver {

struct Call;
struct Services;

class WriteDeadlines {
 public:
  // The longest that a request may take, and what it may take when the client does not say.
  static constexpr std::chrono::seconds kLongest{60};

  // A call's place in the list: a member of Call. Leaves when it is destroyed.
  class Ticket {
   public:
    Ticket() = default;
    ~Ticket() { leave(); }
    Ticket(const Ticket&) = delete;
    Ticket& operator=(const Ticket&) = delete;
    void leave() {
      if (owner_ != nullptr) owner_->remove(*this);
    }

   private:
    friend class WriteDeadlines;
    WriteDeadlines* owner_ = nullptr;  // set once, before other threads know the call
    // The rest is guarded by the owner's mutex.
    bool listed_ = false;
    Ticket* before_ = nullptr;
    Ticket* after_ = nullptr;
    const Services* services_ = nullptr;
    Call* call_ = nullptr;
    MonoTime due_{};
  };

  // A write that ran out of time.
  struct Overdue {
    const Services* services;
    std::shared_ptr<Call> call;
  };

  // `ticket` is a member of `call`, which is owned by a shared_ptr.
  void add(Ticket& ticket, const Services& services, Call& call, MonoTime due) CH_EXCLUDES(mutex_);
  // Takes those out whose time has come.
  std::vector<Overdue> take_due(MonoTime now) CH_EXCLUDES(mutex_);

 private:
  void remove(Ticket& ticket) CH_EXCLUDES(mutex_);
  void unlink(Ticket& ticket) CH_REQUIRES(mutex_);

  Mutex mutex_;
  Ticket* first_ CH_GUARDED_BY(mutex_) = nullptr;
};

// How long a request may take by its query parameter "timeout", a duration such as 30s: that, within what is allowed.
Result<std::chrono::nanoseconds> request_timeout(std::string_view parameter);

// Tells the client of an overdue write.
void answer_overdue(const WriteDeadlines::Overdue& overdue);

}  // namespace chandler::apiserver
