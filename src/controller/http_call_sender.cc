#include "controller/http_call_sender.h"

#include <utility>

#include "osb/client/sender.h"

namespace chandler::controller {

void HttpCallSender::send(const osb::Endpoint& endpoint, const osb::Call& call, Done done) {
  auto request = osb::to_request(endpoint, call);
  // Reading an answer needs the question, but not its body, which may be large.
  osb::Call question = call;
  question.body = nullptr;
  client_.send(std::move(request),
               [question = std::move(question), done = std::move(done)](http::ClientOutcome outcome) {
                 done(osb::to_answer(question, std::move(outcome)));
               });
}

}  // namespace chandler::controller
