// One client connection as a state machine: handshake, then request after request, each read, handed to the handler and
// answered before the next is looked at. When the handshake settles on HTTP/2, a session takes the place of all that
// and the connection only moves its bytes. Lives on its loop's thread; created on any. The loop owns it until close().
//
// Output is a buffer (head, chunks, small bodies) followed by up to two views into the response (large bodies). It is
// written as soon as it exists; only what the socket does not take waits for it to become writable.
#pragma once

#include "http/asio.h"

#include <atomic>
#include <memory>
#include <optional>
#include <string>
#include <string_view>

#include "http/deadlines.h"
#include "http/http2_host.h"
#include "http/http2_session.h"
#include "http/loop.h"
#include "http/message.h"
#include "http/request_parser.h"
#include "http/transport.h"
#include "http/wire.h"

namespace chandler::http {

class Connection final : public std::enable_shared_from_this<Connection>, public Deadline, private Http2Host {
 public:
  Connection(Loop& loop, Socket socket);
  ~Connection() override;
  Connection(const Connection&) = delete;
  Connection& operator=(const Connection&) = delete;

  // All on the loop's thread.
  void start();
  void deliver(Note& note);
  // An answer given while the handler runs, null for a dropped responder. False: the handler has returned, use a note.
  bool answer_at_once(int32_t stream, Response* response);
  void expire() override;  // the armed deadline has passed
  void drain();            // the server stops
  bool cool();             // true when there was no request since the last call: buffers are given back
  void close();

 private:
  enum class State {
    kHandshake,
    kIdle,       // between requests
    kHead,       // a request has begun
    kBody,       // its head is complete
    kHandling,   // the handler has it
    kSending,    // the answer is on its way
    kStreaming,  // the same, from a BodySource
    kHttp2,      // everything between handshake and end, in HTTP/2
    kLingering,  // all is said; what still comes is thrown away, so that the last answer is not lost to a reset
    kClosed,
  };

  static constexpr std::string_view kNoAnswer = "no answer was given";

  bool reads_requests() const { return state_ == State::kIdle || state_ == State::kHead || state_ == State::kBody; }
  bool output_empty() const { return out_begin_ == out_.size() && body_.empty() && tail_.empty(); }

  // Waiting for the socket (connection.cc).
  void arm_read();
  void arm_write();
  void on_readable();
  void on_writable();
  void shake();
  void linger();
  void end_orderly();
  void stay_warm();
  void settle();

  // Makes a call to the handler or of an errand. True: it answered meanwhile, the answer is in response_.
  template <typename Call>
  bool answered_by(int32_t stream, const Call& call);
  std::unique_ptr<Responder> make_responder(int32_t stream);

  // HTTP/2 (connection_http2.cc).
  void start_http2();
  void read_http2();
  void deliver_http2(Note& note);
  void expire_http2();
  void settle_http2();
  bool flush_http2();
  void rest_http2();
  void count_streams(size_t streams);
  std::string_view date() override { return loop_.date(); }
  std::chrono::steady_clock::time_point now() override { return std::chrono::steady_clock::now(); }
  void arm(Deadline& entry, Stage stage) override { loop_.arm(entry, stage); }
  Response error_page(int status, std::string_view what) override;
  void handle(int32_t stream, std::shared_ptr<Request> request) override;
  std::shared_ptr<Waker> make_waker(int32_t stream) override;
  void break_off() override { close(); }
  void changed() override;

  // Reading requests (connection_read.cc).
  void read_input();
  bool input_is_full() const;
  void on_input_end();
  void take(std::string_view bytes);
  void parse_kept();
  size_t parse(std::string_view bytes);
  void fail(int status, std::string_view what);
  void dispatch();

  // Writing answers (connection_write.cc).
  void respond(Response response);
  void send_whole(bool with_body);
  void start_stream();
  void pump();
  BodySource::State fill();
  void put(std::string_view bytes);  // into the buffer
  bool flush();                      // true when all is sent
  void drop(size_t bytes);           // from the front of the output
  void finish_response();

  Loop& loop_;
  Socket socket_;
  std::optional<Loop::Connections::iterator> place_;
  Transport transport_;
  RequestParser parser_;
  std::shared_ptr<const Peer> peer_;

  State state_ = State::kHandshake;
  bool read_armed_ = false;
  bool write_armed_ = false;
  bool read_needs_write_ = false;  // TLS has to say something before it can read on
  bool input_ended_ = false;
  bool in_handler_ = false;     // or in an errand
  int32_t handler_stream_ = 0;  // of HTTP/2
  bool answered_ = false;       // in the handler
  bool head_only_ = false;      // the request is a HEAD
  bool http_1_0_ = false;
  bool keep_alive_ = true;
  bool unread_input_ = false;  // closing in the middle of a request: linger
  bool warm_ = false;          // the loop looks for its next pause
  bool active_ = false;        // since it last looked
  std::string in_;             // came while it could not be used yet
  size_t in_begin_ = 0;        // of what is still to be used

  Response response_;
  std::string out_;
  size_t out_begin_ = 0;
  std::string_view body_;  // of response_
  std::string_view tail_;  // of response_

  std::shared_ptr<StreamWaker> waker_;
  Framing framing_ = Framing::kNone;
  uint64_t announced_ = 0;  // bytes still to come under Content-Length
  BodySource::State last_fill_ = BodySource::State::kMore;
  bool woken_ = false;
  std::unique_ptr<Http2Session> http2_;
  size_t streams_ = 0;    // as counted for the metric
  bool resting_ = false;  // the idle deadline is set
};

template <typename Call>
bool Connection::answered_by(int32_t stream, const Call& call) {
  in_handler_ = true;
  handler_stream_ = stream;
  answered_ = false;
  call();
  in_handler_ = false;
  return answered_;
}

// The waker of one stream.
class StreamWaker final : public Waker, public std::enable_shared_from_this<StreamWaker> {
 public:
  StreamWaker(std::weak_ptr<Connection> connection, std::shared_ptr<Mailbox> mailbox, int32_t stream)
      : connection_(std::move(connection)), mailbox_(std::move(mailbox)), stream_(stream) {}
  void wake() override {
    if (!queued_.exchange(true)) mailbox_->post({connection_, shared_from_this(), nullptr, nullptr, stream_});
  }
  void delivered() { queued_.store(false); }

 private:
  const std::weak_ptr<Connection> connection_;
  const std::shared_ptr<Mailbox> mailbox_;
  const int32_t stream_;
  std::atomic<bool> queued_{false};
};

}  // namespace chandler::http
