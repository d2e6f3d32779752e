// Answers of a broker: JSON bodies, refusals in the words of the specification, and the caller who waits for one.
#pragma once

#include <memory>
#include <string>
#include <string_view>

#include "base/error.h"
#include "http/message.h"
#include "json/value.h"

namespace chandler::osb::server {

// Why a request is not carried out.
struct Refusal {
  int status = 400;
  std::string error;  // one CamelCase word of the specification, or ""
  std::string description;
};

Refusal concurrency_error(std::string_view what);  // 422 ConcurrencyError: "<what>; try again when it is done"
Refusal refusal_of(const Error& error);            // 400, 422, or 500

http::Response reply(int status, const json::Value& body);
http::Response reply(const Refusal& refusal);

// Who asked. Puts the identity of the request into the answer, as the specification wants it.
class Caller {
 public:
  Caller(const http::Request& request, std::unique_ptr<http::Responder> responder);

  void send(http::Response response);  // once
  void send(int status, const json::Value& body) { send(reply(status, body)); }
  void send(const Refusal& refusal) { send(reply(refusal)); }

 private:
  std::unique_ptr<http::Responder> responder_;
  std::string identity_;
};

}  // namespace chandler::osb::server
