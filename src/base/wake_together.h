// Who has many things for other threads wakes them when it has passed on all of them, not at the first: a thread that
// wakes at once finds one, sleeps, and has to be woken again for the next.
#pragma once

#include <functional>
#include <vector>

namespace chandler {

// A scope of one thread. What is put off runs at its end; scopes do not nest.
class WakeTogether {
 public:
  WakeTogether();
  ~WakeTogether();
  WakeTogether(const WakeTogether&) = delete;
  WakeTogether& operator=(const WakeTogether&) = delete;

  // False: this thread is in no scope, and has to wake by itself. What is put off is run whoever else is gone by then,
  // and must not throw.
  static bool put_off(std::function<void()> waking);

 private:
  std::vector<std::function<void()>> put_off_;
};

}  // namespace chandler
