// Sends calls to brokers over HTTP. Borrows the client, which outlives it. Thread-safe; a call holds no thread.
#pragma once

#include "controller/call_sender.h"
#include "http/client.h"

namespace chandler::controller {

class HttpCallSender final : public CallSender {
 public:
  explicit HttpCallSender(http::Client& client) : client_(client) {}
  void send(const osb::Endpoint& endpoint, const osb::Call& call, Done done) override;

 private:
  http::Client& client_;
};

}  // namespace chandler::controller
