// The API as the engine of a simulation sees it: the real one in process, each write carried out before the call
// returns, with faults. Rights are those of the world, save for users who have lost theirs for a while.
#pragma once

#include <functional>
#include <set>
#include <string>

#include "client/api.h"
#include "simulation/faults.h"
#include "simulation/trace.h"

namespace chandler::simulation {

class SimApi final : public client::Api, private client::Writer, private client::Access {
 public:
  // Told what the engine has stored, at once: before the process can die.
  using Observer = std::function<void(const client::KindName& kind, const client::Object& object)>;

  SimApi(client::Api& real, Random& random, Faults& faults, Trace& trace)
      : real_(real), random_(random), faults_(faults), trace_(trace) {}

  client::State& state() override { return real_.state(); }
  client::Writer& writer() override { return *this; }
  client::Access& access() override { return *this; }
  void observe(Observer observer) { observer_ = std::move(observer); }
  void deny(const std::string& user) { denied_.insert(user); }
  void permit(const std::string& user) { denied_.erase(user); }

 private:
  void write(client::Write write, Done done) override;
  // Now as in the server, now as over the Kubernetes API, where a process can die between an object and its status.
  bool writes_both() const override { return random_.chance(0.5); }
  Decision may(const auth::Attributes& attributes) override;
  void on_changed(std::function<void()>) override {}

  client::Api& real_;
  Random& random_;
  Faults& faults_;
  Trace& trace_;
  Observer observer_;
  std::set<std::string> denied_;
};

}  // namespace chandler::simulation
