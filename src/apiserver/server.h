// The API server: takes requests from src/http, passes them through the filter chain to a handler. Thread-safe.
#pragma once

#include <memory>

#include "apiserver/call.h"
#include "http/message.h"

namespace chandler::apiserver {

class ApiServer {
 public:
  // `services` outlives the server and every request.
  explicit ApiServer(const Services& services) : services_(services) {}

  // The http::Handler. Runs on an I/O thread and does not block.
  void handle(std::shared_ptr<http::Request> request, std::unique_ptr<http::Responder> responder);

 private:
  // The filters, in the order in which filter_chain.cc lists them. An error ends the request, but for put_off().
  void pass_filters(const CallPtr& call) const;
  Result<void> read_request_info(Call& call) const;
  Result<void> authenticate(Call& call) const;
  Result<void> impersonate(Call& call) const;
  Result<void> authorize(Call& call) const;
  Result<void> find_kind(Call& call) const;
  Result<void> negotiate_output(Call& call) const;

  void dispatch(const CallPtr& call) const;

  const Services& services_;
};

// Answers that the HTTP layer gives by itself (bad request line, body too large), as Status objects.
http::Response error_page(int status, std::string_view what);

}  // namespace chandler::apiserver
