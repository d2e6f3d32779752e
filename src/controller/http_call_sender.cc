#include "controller/http_call_sender.h"

#include <utility>

#include "base/ids.h"
#include "osb/client/sender.h"

namespace chandler::controller {

void HttpCallSender::send(const osb::Endpoint& endpoint, const osb::Call& call, Done done) {
  osb::Call question = call;
  // Reconcilers are pure and leave this to whoever sends: each request has a name of its own in the broker's logs.
  if (question.request_identity.empty()) question.request_identity = new_uuid();
  auto request = osb::to_request(endpoint, question);
  question.body = nullptr;  // reading an answer needs the question, but not its body, which may be large
  client_.send(std::move(request),
               [question = std::move(question), done = std::move(done)](http::ClientOutcome outcome) {
                 done(osb::to_answer(question, std::move(outcome)));
               });
}

}  // namespace chandler::controller
