// For what another thread does: waits until a condition holds. This is no pause of a guessed length: it goes on as soon
// as the condition is true, and the deadline only bounds how long a failing test takes.
#pragma once

#include <chrono>
#include <functional>
#include <thread>

namespace chandler::testing {

// EXPECT_TRUE(eventually([&] { return ...; })). False when the condition did not hold within the deadline.
inline bool eventually(const std::function<bool()>& condition,
                       std::chrono::milliseconds deadline = std::chrono::seconds(60)) {
  const auto until = std::chrono::steady_clock::now() + deadline;
  while (!condition()) {
    if (std::chrono::steady_clock::now() >= until) return condition();
    std::this_thread::sleep_for(std::chrono::milliseconds(1));
  }
  return true;
}

}  // namespace chandler::testing
