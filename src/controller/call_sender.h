// Where calls go: to brokers over HTTP in production, to a scripted one in the simulation.
#pragma once

#include <functional>

#include "osb/answer.h"
#include "osb/call.h"

namespace chandler::controller {

class CallSender {
 public:
  using Done = std::function<void(osb::Answer)>;
  virtual ~CallSender() = default;
  virtual void send(const osb::Endpoint& endpoint, const osb::Call& call, Done done) = 0;  // `done` on any thread, once
};

}  // namespace chandler::controller
