// One request and its answer on a connection of HTTP/2. Plain data with a deadline; the session does the thinking and
// owns it. Lives on the connection's thread.
#pragma once

#include <cstdint>
#include <memory>
#include <optional>

#include "http/deadlines.h"
#include "http/message.h"
#include "http/outgoing_body.h"

namespace chandler::http {

class Http2Session;

struct Http2Stream final : Deadline {
  enum class Phase {
    kHead,       // header fields arrive
    kBody,       // its head is complete
    kHandling,   // the handler has it
    kAnswering,  // an answer is on its way
    kLingering,  // it is sent, and the rest of the request is thrown away
  };

  Http2Stream(Http2Session& session_in, int32_t id_in) : session(session_in), id(id_in) {}
  void expire() override;

  Http2Session& session;
  const int32_t id;
  Phase phase = Phase::kHead;
  bool head_only = false;  // the request is a HEAD
  bool expects_continue = false;
  bool has_host = false;
  bool deferred = false;  // nghttp2 does not ask for content until it is told to
  bool parked = false;    // the source waits; nothing is owed to anybody
  std::shared_ptr<Request> request = std::make_shared<Request>();
  size_t held = 0;  // bytes of the body, counted against the connection
  std::optional<OutgoingBody> body;
  size_t progress = 0;  // bytes sent since the deadline was set
};

}  // namespace chandler::http
