// Something that works in turns and never waits, so that a thread (EngineThread) or a simulation can drive it.
#pragma once

#include <functional>
#include <optional>

#include "base/clock.h"

namespace chandler::controller {

class Worker {
 public:
  virtual ~Worker() = default;
  // Does one piece of work that is due. False: nothing is due now.
  virtual bool turn() = 0;
  // When something will be due that is not now; nullopt: only news from outside can bring work.
  virtual std::optional<WallTime> next_due() const = 0;
  // `wake` is called, from any thread, when news has arrived.
  virtual void on_mail(std::function<void()> wake) = 0;
};

}  // namespace chandler::controller
