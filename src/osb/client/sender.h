// Calls as HTTP requests and HTTP answers as Answers: the wire form of the Open Service Broker API, platform side.
// Pure.
#pragma once

#include "http/client.h"
#include "osb/answer.h"
#include "osb/call.h"

namespace chandler::osb {

http::ClientRequest to_request(const Endpoint& endpoint, const Call& call);
Answer to_answer(const Call& call, http::ClientOutcome outcome);

}  // namespace chandler::osb
