// Calls as HTTP requests and HTTP answers as Answers: the wire form of the Open Service Broker API, platform side.
// Pure.
#pragma once

#include "http/client.h"
#include "osb/answer.h"
#include "osb/call.h"

namespace chandler::osb {

// For the name that each request has in the broker's logs.
inline constexpr std::string_view kRequestIdentity = "X-Broker-API-Request-Identity";

http::ClientRequest to_request(const Endpoint& endpoint, const Call& call);
Answer to_answer(Method method, http::ClientOutcome outcome);

}  // namespace chandler::osb
