// What goes wrong, how often, and whether the process is still alive. A crash takes effect at once: nothing that the
// engine does after it reaches the world, and the driver replaces the engine before it goes on.
#pragma once

#include "simulation/random.h"

namespace chandler::simulation {

struct FaultRates {
  double write = 0.05;   // a write fails, before or after it was carried out
  double call = 0.30;    // a call goes wrong in one of many ways
  double crash = 0.003;  // at each piece of work, write and call
  bool queues = true;    // a request may wait in a queue until its deletion is answered, which asks for a second one
};

class Faults {
 public:
  Faults(Random& random, FaultRates rates) : random_(random), rates_(rates) {}

  void end() { rates_ = {.write = 0, .call = 0, .crash = 0}; }
  bool write_fails() { return random_.chance(rates_.write); }
  bool has_queues() const { return rates_.queues; }
  bool call_fails() { return random_.chance(rates_.call); }
  // Dies now, perhaps. True: the process is dead.
  bool is_down_now() {
    if (!down_ && random_.chance(rates_.crash)) down_ = true;
    return down_;
  }
  bool is_down() const { return down_; }
  void restart() { down_ = false; }

 private:
  Random& random_;
  FaultRates rates_;
  bool down_ = false;
};

}  // namespace chandler::simulation
