#include "simulation/sim_network.h"

#include <utility>

#include "osb/client/sender.h"

namespace chandler::simulation {
namespace {

using Kind = http::ClientFailure::Kind;
using std::chrono::milliseconds;

http::ClientOutcome failed(Kind kind, std::string message) {
  http::ClientFailure failure;
  failure.kind = kind;
  failure.message = std::move(message);
  return fail(std::move(failure));
}

http::ClientOutcome replied(int status, std::string body = "{}") {
  http::ClientResponse out;
  out.status = status;
  out.body = std::move(body);
  return out;
}

// A broker may refuse any change, a repeated request too: that says nothing of what an earlier one did.
bool may_refuse(osb::Method method) {
  using osb::Method;
  return method == Method::kProvision || method == Method::kUpdate || method == Method::kDeprovision ||
         method == Method::kBind || method == Method::kUnbind;
}

}  // namespace

SimBroker& SimNetwork::add(const std::string& name) {
  auto& broker = brokers_[url_of(name)];
  broker = std::make_unique<SimBroker>(name, clock_, random_);
  return *broker;
}

void SimNetwork::at(milliseconds delay, std::function<void()> event) {
  events_.emplace(std::pair(clock_.now() + delay, ++last_event_), std::move(event));
}

void SimNetwork::answer(milliseconds delay, const osb::Call& call, http::ClientOutcome outcome, Done done) {
  trace_.add(
      "  answer in {}ms: {}", delay.count(),
      outcome.ok() ? fmt::format("{} {}", outcome->status, outcome->body.substr(0, 80)) : outcome.error().message);
  at(delay, [method = call.method, outcome = std::move(outcome), done = std::move(done)] {
    done(osb::to_answer(method, outcome));
  });
}

void SimNetwork::send(const osb::Endpoint& endpoint, const osb::Call& call, Done done) {
  if (faults_.is_down_now()) return;
  ++calls_;
  const auto found = brokers_.find(endpoint.url);
  trace_.add("call {} {} {} {}", endpoint.url, osb::method_name(call.method), trace_.alias(call.instance_id),
             trace_.alias(call.binding_id));
  if (found == brokers_.end())
    return answer(milliseconds(1), call, failed(Kind::kConnect, "simulated: no such host"), std::move(done));
  SimBroker& broker = *found->second;
  if (faults_.call_fails()) {
    go_wrong(broker, call, std::move(done));
  } else {
    const auto delay = random_.chance(0.05) ? random_.below(30'000) : random_.below(50);
    answer(milliseconds(delay), call, broker.handle(call), std::move(done));
  }
  (void)faults_.is_down_now();  // sent, and dead before the answer
}

void SimNetwork::go_wrong(SimBroker& broker, const osb::Call& call, Done done) {
  const milliseconds soon(random_.below(100));
  const milliseconds timeout(60'000);
  switch (random_.below(14)) {
    case 0:
      return answer(soon, call, replied(500, R"({"description":"simulated, before"})"), std::move(done));
    case 1:
      broker.handle(call);
      return answer(soon, call, replied(500, R"({"description":"simulated, after"})"), std::move(done));
    case 2:
      return answer(timeout, call, failed(Kind::kTimeout, "simulated time-out, before"), std::move(done));
    case 3:
      broker.handle(call);
      return answer(timeout, call, failed(Kind::kTimeout, "simulated time-out, after"), std::move(done));
    case 4:
      broker.handle(call);
      return answer(soon, call, failed(Kind::kBroken, "simulated lost answer"), std::move(done));
    case 5:
      return answer(soon, call, failed(Kind::kConnect, "simulated: connection refused"), std::move(done));
    case 6:
      return answer(soon, call, replied(429), std::move(done));
    case 7:
      return answer(soon, call, replied(503, "Service Unavailable"), std::move(done));
    case 8: {
      if (!may_refuse(call.method)) return answer(soon, call, replied(500), std::move(done));
      return answer(soon, call, replied(400, R"({"description":"simulated refusal"})"), std::move(done));
    }
    case 9: {
      auto response = broker.handle(call);
      response.body = "<html>";
      return answer(soon, call, std::move(response), std::move(done));
    }
    case 10:
      return answer(soon, call, replied(408), std::move(done));
    case 11:
    case 12:
      return come_late(broker, call, std::move(done));
    default: {
      // Worked on after its sender has given up; a correct broker refuses others meanwhile.
      auto held = broker.ledger().find(call.instance_id);
      const bool makes_it = held == broker.ledger().end() && call.method == osb::Method::kProvision;
      if (makes_it) held = broker.ledger().try_emplace(call.instance_id).first;
      if (held == broker.ledger().end() || held->second.is_busy)
        return answer(timeout, call, failed(Kind::kTimeout, "simulated time-out, nothing done"), std::move(done));
      held->second.is_busy = true;
      at(timeout + milliseconds(random_.below(60'000)), [this, &broker, call, makes_it] {
        const auto still = broker.ledger().find(call.instance_id);
        if (still == broker.ledger().end()) return;  // an operation that was under way has removed it
        still->second.is_busy = false;
        if (makes_it) broker.ledger().erase(still);
        const auto done_late = broker.handle(call);
        trace_.add("  late {} {}: {}", osb::method_name(call.method), trace_.alias(call.instance_id), done_late.status);
      });
      return answer(timeout, call, failed(Kind::kTimeout, "simulated time-out, done later"), std::move(done));
    }
  }
}

// A proxy has taken the request and gives up or hangs up; what sits in its queue comes to the broker later, which has
// answered others about the same ID meanwhile: after the deletion that follows, but before one that follows a time-out
// later. Only what makes something can leave anything behind.
void SimNetwork::come_late(SimBroker& broker, const osb::Call& call, Done done) {
  const milliseconds timeout(60'000);
  const bool makes = call.method == osb::Method::kProvision || call.method == osb::Method::kBind;
  if (!makes || !faults_.has_queues())
    return answer(milliseconds(random_.below(100)), call, replied(502, "<html>Bad Gateway"), std::move(done));
  const bool hangs = random_.chance(0.5);
  at((hangs ? 2 * timeout : milliseconds(1'000)) + milliseconds(random_.below(55'000)), [this, &broker, call] {
    const auto done_late = broker.handle(call);
    trace_.add("  queued {} {} {}: {}", osb::method_name(call.method), trace_.alias(call.instance_id),
               trace_.alias(call.binding_id), done_late.status);
  });
  if (hangs) return answer(timeout, call, failed(Kind::kTimeout, "simulated time-out, queued"), std::move(done));
  answer(milliseconds(random_.below(100)), call, replied(504, "<html>Gateway Timeout"), std::move(done));
}

std::optional<WallTime> SimNetwork::next_event() const {
  if (events_.empty()) return std::nullopt;
  return events_.begin()->first.first;
}

bool SimNetwork::deliver_one() {
  if (events_.empty() || events_.begin()->first.first > clock_.now()) return false;
  const auto event = std::move(events_.begin()->second);
  events_.erase(events_.begin());
  event();
  return true;
}

}  // namespace chandler::simulation
