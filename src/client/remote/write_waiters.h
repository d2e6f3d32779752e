// Writes that have succeeded and wait for the local state to show them. Belongs to the client's task thread.
#pragma once

#include <chrono>
#include <functional>
#include <string>
#include <vector>

#include "client/remote/kind_store.h"

namespace chandler::client {

// What the state must show: everything up to a revision, or that the object with this uid is gone.
struct Shown {
  registry::Revision revision = 0;
  std::string gone_uid;  // not empty: gone
  std::string ns;
  std::string name;

  bool by(const KindStore& store) const;
};

class WriteWaiters {
 public:
  using Done = std::function<void()>;
  using Time = std::chrono::steady_clock::time_point;

  void add(const KindStore* store, Shown shown, Time deadline, Done done);
  // Ends those of the store that are shown now.
  void check(const KindStore& store);
  // Ends those whose time is over, shown or not; with Time::max() all of them.
  void expire(Time now);

 private:
  struct Waiter {
    const KindStore* store;
    Shown shown;
    Time deadline;
    Done done;
  };
  template <typename Ends>
  void end_those(Ends&& ends);

  std::vector<Waiter> waiters_;
};

}  // namespace chandler::client
