// What a server (or the lack of one) answered, as an Error: Status bodies with reason, causes and retry-after, bare
// codes and failures to get an answer. Pure.
#pragma once

#include <string>
#include <string_view>

#include "base/error.h"
#include "base/result.h"
#include "http/client.h"
#include "json/value.h"

namespace chandler::client {

// A Status object, as in ERROR events of a watch; `http_code` is for one that has no code.
Error error_of_status(const json::Value& status, int http_code = 500);
Error error_of_response(const http::ClientResponse& response);  // for codes of 300 and more
// `server` is named in the message: the failure itself may only know a host.
Error error_of_failure(const http::ClientFailure& failure, std::string_view server);

// Unauthorized with a message that says why: the proof of who we are could not be had.
Error unauthorized_because(std::string message);

// The body of a 2xx answer as JSON; everything else as an Error.
Result<json::Value> json_of(const http::ClientOutcome& outcome, std::string_view server);

}  // namespace chandler::client
