// HTTP/2 on one connection: turns bytes into requests and answers into bytes, many at a time, and keeps the client
// within bounds. nghttp2 knows frames, header compression and windows; what may be kept, for how long and how often is
// decided here. Knows no sockets. Not thread-safe; belongs to one connection.
//
// How a client is bounded. A stream has the limits of a request of HTTP/1.1: head, body and time for each. On top of
// them:
// - streams at once, counting those that were reset while the handler still works on them;
// - bytes of all bodies that are kept at once;
// - resets, whoever sends them, and frames that carry nothing (control frames, empty DATA), each by a token bucket.
//   What we send earns tokens, because it is answered with window updates. A head that is too large costs as much as a
//   reset, and so do trailers that are too large;
// - what header blocks decode to, heads and trailers, because one byte on the wire can stand for a field of 4 KiB in
//   the compression table. A block that decodes to far more than was sent pays for it from a token bucket, and one that
//   decodes to twice the limit for heads ends the connection at once. A block of a stream that is refused or gone is
//   decoded as well, but its fields are not checked, so it costs no more than a few plain blocks of its size;
// - an answer must make progress: a window that grows by single bytes is as good as a closed one.
// A connection that goes too far is told ENHANCE_YOUR_CALM and ended.
#pragma once

#include <cstdint>
#include <map>
#include <memory>
#include <string>
#include <string_view>
#include <vector>

#include "http/frame_scanner.h"
#include "http/http2_host.h"
#include "http/http2_stream.h"
#include "http/message.h"
#include "http/token_bucket.h"

struct nghttp2_session;

namespace chandler::http {

struct Http2Limits {
  size_t max_streams = 250;
  size_t max_header_bytes = 64 * 1024;
  size_t max_body_bytes = 3 * 1024 * 1024;
  size_t max_held_bytes = 4 * max_body_bytes;  // of all bodies on the connection that are not answered yet
  TokenBucket::Rate resets{500, 50};
  TokenBucket::Rate idle_frames{2000, 200};
  TokenBucket::Rate decoded_bytes{1024 * 1024, 256 * 1024};  // beyond what count_field() allows for
};

class Http2Session {
 public:
  Http2Session(Http2Host& host, const Http2Limits& limits);
  ~Http2Session();
  Http2Session(const Http2Session&) = delete;
  Http2Session& operator=(const Http2Session&) = delete;

  // The first words of a connection; the client has a time for its own.
  void start();
  // What came from the client. Hands complete requests to the host.
  void receive(std::string_view bytes);
  // The answer to a request. One for a stream that is gone is dropped.
  void respond(int32_t stream, Response response);
  // The source of a stream has more.
  void wake(int32_t stream);
  // No new requests; streams are asked to end.
  void drain();
  // Says goodbye to a client that has no request under way.
  void leave();
  // Appends frames until `out` holds about `budget` bytes. Nothing appended: there is nothing to send for now.
  void produce(std::string& out, size_t budget);
  // Drops all streams; the connection is gone.
  void end();

  bool is_over() const;  // all is said, on both sides
  size_t streams() const { return streams_.size(); }
  bool is_idle() const { return streams_.empty(); }
  // Every stream waits for its source: a good time to give memory back.
  bool is_parked() const { return !streams_.empty() && parked_ == streams_.size(); }
  bool was_calmed() const { return calmed_; }

 private:
  friend struct Http2Stream;
  friend struct Http2Callbacks;

  struct HeadDeadline final : Deadline {
    explicit HeadDeadline(Http2Session& session_in) : session(session_in) {}
    void expire() override { session.expire_head(); }
    Http2Session& session;
  };
  // The header block that is being read; blocks never overlap.
  struct HeaderBlock {
    size_t size = 0;     // as the limit for heads counts it
    size_t letters = 0;  // of names and values
    size_t paid = 0;     // of these, from the bucket
  };
  struct FreeSession {
    void operator()(nghttp2_session* session) const;
  };

  void configure();
  // Reading (http2_session.cc).
  bool admit(const FrameHead& head);
  void calm();
  void fail(int error);
  void hand_out();
  void refuse(Http2Stream& stream, int status, std::string_view what);
  void linger(int32_t id);
  void expire(Http2Stream& stream);
  void expire_head();
  Http2Stream* find(int32_t id);
  // What nghttp2 tells (http2_callbacks.cc). Those that return an int answer with its error codes.
  int begin_request(int32_t id);
  bool count_field(size_t letters, size_t wire);
  bool is_block_too_large() const { return block_.size > limits_.max_header_bytes; }
  void add_field(Http2Stream& stream, std::string_view name, std::string_view value);
  void end_head(Http2Stream& stream, bool ends_stream);
  void end_trailers(Http2Stream& stream);
  void add_content(Http2Stream& stream, std::string_view bytes);
  void complete(Http2Stream& stream);
  void on_sent_reset(int32_t id, uint32_t code);
  void on_closed(int32_t id);
  // Writing (http2_write.cc).
  void submit(Http2Stream& stream, Response response, bool with_content);
  void reset(Http2Stream& stream, uint32_t code);
  ssize_t read_content(Http2Stream& stream, size_t length, bool& ends);
  void frame_content(const uint8_t* head);
  void park(Http2Stream& stream, bool parked);
  void release(Http2Stream& stream);
  bool may_send(int32_t id) const;

  Http2Host& host_;
  const Http2Limits limits_;
  std::unique_ptr<nghttp2_session, FreeSession> session_;
  FrameScanner scanner_;
  HeadDeadline head_deadline_;
  TokenBucket resets_;
  TokenBucket idle_frames_;
  TokenBucket decoded_bytes_;
  HeaderBlock block_;
  std::map<int32_t, std::unique_ptr<Http2Stream>> streams_;
  size_t parked_ = 0;
  size_t held_ = 0;
  std::map<int32_t, size_t> orphans_;  // reset by the client while the handler works on them; bytes of their bodies
  std::vector<int32_t> ready_;         // complete, for the handler
  std::vector<int32_t> cut_;           // reset by us, which is not the client's fault
  bool draining_ = false;
  bool calmed_ = false;
  bool failed_ = false;  // no more can be read
  bool broken_ = false;  // nor written
  // While produce() runs.
  std::string* out_ = nullptr;
  size_t budget_ = 0;
  size_t frame_begin_ = 0;
};

}  // namespace chandler::http
