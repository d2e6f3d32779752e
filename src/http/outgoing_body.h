// The body of one answer while it leaves over HTTP/2, whose frames have a size that the client decides: hands out
// exactly as much as is asked for and keeps what a source gave beyond that, which is at most the end of one piece. Not
// thread-safe; belongs to one stream.
#pragma once

#include <cstdint>
#include <memory>
#include <optional>
#include <string>
#include <string_view>

#include "http/message.h"

namespace chandler::http {

class OutgoingBody {
 public:
  enum class State {
    kMore,     // there may be more at once
    kWaiting,  // nothing until wake()
    kEnd,      // that was all
    kBroken,   // the source gave more or less than was announced
  };

  // Takes over the content; the rest of the answer is the caller's.
  explicit OutgoingBody(Response response);
  OutgoingBody(const OutgoingBody&) = delete;  // holds views of itself
  OutgoingBody& operator=(const OutgoingBody&) = delete;

  bool has_source() const { return source_ != nullptr; }
  // Appends up to `limit` bytes, never more.
  State take(std::string& out, size_t limit);
  // The source may have more. When nothing can be sent for now, prefetch() finds out whether it has.
  void wake() { woken_ = true; }
  void prefetch(size_t budget);
  void shut_down();
  // Something is there to be sent, or may be.
  bool is_due() const;

 private:
  void take_view(std::string& out, size_t until, std::string_view& view);
  BodySource::State fill(std::string& out, size_t budget);

  // Thousands of these wait at a time, so it keeps no more than it needs.
  const std::unique_ptr<BodySource> source_;
  std::string text_;         // the body, or what the source gave and nobody has asked for yet
  std::string_view unsent_;  // of text_
  const std::shared_ptr<const void> owner_;
  std::string_view tail_;
  BodySource::State last_ = BodySource::State::kMore;
  std::optional<uint64_t> announced_;  // bytes that the source still owes
  bool woken_ = false;
  bool broken_ = false;
};

}  // namespace chandler::http
