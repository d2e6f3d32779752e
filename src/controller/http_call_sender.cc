#include "controller/http_call_sender.h"

#include <utility>

#include "base/ids.h"
#include "osb/client/sender.h"

namespace chandler::controller {

void HttpCallSender::send(const osb::Endpoint& endpoint, const osb::Call& call, Done done) {
  auto request = osb::to_request(endpoint, call);
  // Reconcilers are pure and leave this to whoever sends: each request has a name of its own.
  if (call.request_identity.empty()) request.headers.add(osb::kRequestIdentity, new_uuid());
  client_.send(std::move(request), [method = call.method, done = std::move(done)](http::ClientOutcome outcome) {
    done(osb::to_answer(method, std::move(outcome)));
  });
}

}  // namespace chandler::controller
