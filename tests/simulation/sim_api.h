// The API as the engine of a simulation sees it: the real one in process, each write carried out before the call
// returns, with faults.
#pragma once

#include "client/api.h"
#include "simulation/faults.h"
#include "simulation/trace.h"

namespace chandler::simulation {

class SimApi final : public client::Api, private client::Writer {
 public:
  SimApi(client::Api& real, Random& random, Faults& faults, Trace& trace)
      : real_(real), random_(random), faults_(faults), trace_(trace) {}

  client::State& state() override { return real_.state(); }
  client::Writer& writer() override { return *this; }
  client::Access& access() override { return real_.access(); }
  size_t writes() const { return writes_; }

 private:
  void write(client::Write write, Done done) override;

  client::Api& real_;
  Random& random_;
  Faults& faults_;
  Trace& trace_;
  size_t writes_ = 0;
};

}  // namespace chandler::simulation
