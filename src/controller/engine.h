// Runs reconcilers: keeps the queue of keys, wakes a key when something it read has changed or its time has come, and
// performs the step it answers with. The rules:
//   - A key is worked on by one thing at a time: a run, its writes, or its call.
//   - A key runs again only after State shows its own last write.
//   - A key that asks whether it sees all that was decided before (View::has_caught_up) runs again when it does.
//   - The answer of a call stays with its key until a step made with it has succeeded.
//   - Calls wait in the lane of their broker: a bound on calls under way per broker and a circuit breaker, so a broker
//     that hangs or fails delays nobody else. No thread is held by a call.
//   - Namespaces take turns, both to run and to call the same broker: what one has waiting delays another by one turn.
//   - A key that waited in its lane decides anew when its turn comes: what is sent is never an old decision.
//   - A failed write is retried with growing delay; a conflict at once.
//   - A reconciler that throws, or goes on for ever without waiting, is logged and run again later.
// Single-threaded by design: turn() does one piece of work and never waits; what other threads report goes through a
// mailbox. EngineThread drives it in production, the simulation calls turn() itself.
#pragma once

#include <chrono>
#include <functional>
#include <memory>
#include <optional>
#include <vector>

#include "base/clock.h"
#include "base/metrics.h"
#include "client/api.h"
#include "controller/call_sender.h"
#include "controller/reconciler.h"
#include "controller/worker.h"

namespace chandler::controller {

struct EngineOptions {
  size_t calls_per_lane = 32;                      // under way at one broker at a time
  size_t writes_in_flight = 256;                   // of one stage
  std::chrono::milliseconds first_write_delay{5};  // after a failed write; doubles
  std::chrono::milliseconds last_write_delay{30'000};
  // The breaker of a lane opens after so many failures in a row (Verdict::breaker) and lets one call through after each
  // delay; the delay doubles.
  size_t breaker_failures = 5;
  std::chrono::milliseconds first_breaker_delay{1'000};
  std::chrono::milliseconds last_breaker_delay{60'000};
  size_t steps_in_a_row = 1'000;     // writes and calls of one key without a wait between them; more is a loop
  size_t queued_changes = 100'000;   // not looked at yet; beyond, all keys run instead
  size_t parsed_bytes = 128 * 1024;  // of documents whose parsed form is kept: few, so that their memory stays warm
  // For tests: when a step says what follows its writes, the run that is left out must decide just that.
  bool checks_what_follows = false;
  std::string component = "service-catalog-controller-manager";  // source of events
};

class Engine final : public Worker {
 public:
  Engine(client::Api& api, CallSender& sender, const Clock& clock, metrics::Registry& metrics, EngineOptions options);
  ~Engine() override;  // calls and writes under way go on without it; what they bring is found in State next time
  Engine(const Engine&) = delete;
  Engine& operator=(const Engine&) = delete;

  void add(std::unique_ptr<Reconciler> reconciler);  // before start()
  // Follows changes and queues every object that a reconciler takes care of.
  void start();

  bool turn() override;
  std::optional<WallTime> next_due() const override;
  void on_mail(std::function<void()> wake) override;
  // Nothing is queued, written, called or waiting for a call: only timers and changes can bring work. For tests.
  bool at_rest() const;

 private:
  struct Parts;
  std::unique_ptr<Parts> parts_;
};

}  // namespace chandler::controller
