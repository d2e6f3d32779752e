// The way to the brokers: calls are carried out when they arrive, answers come after a while, and on the way things go
// wrong: errors before and after the request was carried out, lost answers, time-outs, requests that are carried out
// after their sender has given up, or after the broker has answered that there is nothing to delete, garbage.
#pragma once

#include <functional>
#include <map>
#include <memory>
#include <optional>
#include <string>

#include "controller/call_sender.h"
#include "simulation/faults.h"
#include "simulation/sim_broker.h"
#include "simulation/trace.h"

namespace chandler::simulation {

class SimNetwork final : public controller::CallSender {
 public:
  SimNetwork(const Clock& clock, Random& random, Faults& faults, Trace& trace)
      : clock_(clock), random_(random), faults_(faults), trace_(trace) {}

  SimBroker& add(const std::string& name);  // at http://<name>.sim
  static std::string url_of(const std::string& name) { return "http://" + name + ".sim"; }

  void send(const osb::Endpoint& endpoint, const osb::Call& call, Done done) override;
  std::optional<WallTime> next_event() const;
  bool deliver_one();  // what is due; false: nothing is
  size_t calls() const { return calls_; }
  const std::map<std::string, std::unique_ptr<SimBroker>>& brokers() const { return brokers_; }

 private:
  void at(std::chrono::milliseconds delay, std::function<void()> event);
  void answer(std::chrono::milliseconds delay, const osb::Call& call, http::ClientOutcome outcome, Done done);
  void go_wrong(SimBroker& broker, const osb::Call& call, Done done);
  void come_late(SimBroker& broker, const osb::Call& call, Done done);

  const Clock& clock_;
  Random& random_;
  Faults& faults_;
  Trace& trace_;
  std::map<std::string, std::unique_ptr<SimBroker>> brokers_;  // by URL
  std::map<std::pair<WallTime, uint64_t>, std::function<void()>> events_;
  uint64_t last_event_ = 0;
  size_t calls_ = 0;
};

}  // namespace chandler::simulation
