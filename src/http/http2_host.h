// What a session of HTTP/2 needs from the connection that carries it. Besides the connection there are one for tests
// and one for fuzzing, which have no sockets.
#pragma once

#include <chrono>
#include <cstdint>
#include <memory>
#include <string_view>

#include "http/deadlines.h"
#include "http/message.h"

namespace chandler::http {

class Http2Host {
 public:
  virtual std::string_view date() = 0;
  virtual std::chrono::steady_clock::time_point now() = 0;
  virtual void arm(Deadline& entry, Stage stage) = 0;
  virtual Response error_page(int status, std::string_view what) = 0;
  // A request is complete. It is answered by respond(), exactly once, from within this call or later.
  virtual void handle(int32_t stream, std::shared_ptr<Request> request) = 0;
  virtual std::shared_ptr<Waker> make_waker(int32_t stream) = 0;
  // An answer wants the connection to break without a word.
  virtual void break_off() = 0;
  // There may be something to send although nobody called the session: a deadline has passed.
  virtual void changed() = 0;

 protected:
  ~Http2Host() = default;
};

}  // namespace chandler::http
