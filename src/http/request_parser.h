// Turns the bytes of a connection into requests, one after the other, without knowing where the bytes come from. Limits
// count everything that a client can make us keep: the head against the head limit, content against the body limit,
// trailers and chunk lines against 4 KiB or the head limit, whichever is less. Not thread-safe; belongs to one
// connection.
#pragma once

#include <memory>
#include <string_view>

#include "http/message.h"

namespace chandler::http {

class RequestParser {
 public:
  enum class Progress { kHead, kBody, kDone, kFailed };

  RequestParser(size_t head_limit, size_t body_limit);
  ~RequestParser();
  RequestParser(const RequestParser&) = delete;
  RequestParser& operator=(const RequestParser&) = delete;

  // Begins the next request. Required before the first and after each kDone or kFailed.
  void start();
  // Takes what it can and says how much that was. The rest is to be offered again, with more behind it.
  size_t feed(std::string_view bytes);
  Progress progress() const;

  // After kFailed: how to answer.
  int status() const;
  std::string_view problem() const;

  // From kBody on.
  bool keep_alive() const;
  bool is_http_1_0() const;
  bool expects_continue() const;
  // After kDone, once.
  std::shared_ptr<Request> take_request();

 private:
  class State;
  std::unique_ptr<State> state_;
};

}  // namespace chandler::http
