#include <utility>

#include "base/check.h"
#include "http/connection.h"

namespace chandler::http {

namespace {

// Reads in a row before other connections get their turn.
constexpr int kReadTurns = 16;
// What a client may send ahead while its request is being answered.
constexpr size_t kSentAhead = 64 * 1024;

class ConnectionResponder final : public Responder {
 public:
  ConnectionResponder(std::weak_ptr<Connection> connection, std::shared_ptr<Mailbox> mailbox, int32_t stream)
      : connection_(std::move(connection)), mailbox_(std::move(mailbox)), stream_(stream) {}
  ~ConnectionResponder() override {
    if (!sent_) pass_on(nullptr);
  }

  void send(Response response) override {
    CH_CHECK(!sent_);
    sent_ = true;
    pass_on(&response);
  }

  void hand_over(std::shared_ptr<Errand> errand) override {
    if (mailbox_->on_thread()) return errand->run();
    mailbox_->post({connection_, nullptr, nullptr, std::move(errand), stream_});
  }

 private:
  void pass_on(Response* response) {
    if (mailbox_->on_thread()) {
      const auto connection = connection_.lock();
      if (connection && connection->answer_at_once(stream_, response)) return;
    }
    auto kept = response ? std::make_unique<Response>(std::move(*response)) : nullptr;
    mailbox_->post({connection_, nullptr, std::move(kept), nullptr, stream_});
  }

  const std::weak_ptr<Connection> connection_;
  const std::shared_ptr<Mailbox> mailbox_;
  const int32_t stream_;
  bool sent_ = false;
};

}  // namespace

bool Connection::input_is_full() const { return !reads_requests() && in_.size() - in_begin_ >= kSentAhead; }

void Connection::read_input() {
  for (int turn = 0; turn < kReadTurns; ++turn) {
    const Io io = transport_.read(loop_.scratch());
    switch (io.kind) {
      case Io::Kind::kDone:
        take({loop_.scratch().data(), io.bytes});
        break;
      case Io::Kind::kWantRead:
        return arm_read();
      case Io::Kind::kWantWrite:
        read_needs_write_ = true;
        return arm_write();
      case Io::Kind::kEnd:
        return on_input_end();
      case Io::Kind::kFailed:
        return close();
    }
    if (state_ == State::kClosed || state_ == State::kLingering || input_is_full()) return;
    // What is left in the socket shows up as readable again; what TLS holds does not.
    if (!transport_.has_buffered()) return arm_read();
  }
  asio::post(loop_.context(), [self = shared_from_this()] {
    if (self->state_ != State::kClosed && self->state_ != State::kLingering) self->read_input();
  });
}

// A client may close its sending side and still wait for an answer, but nobody watches a stream that way.
void Connection::on_input_end() {
  input_ended_ = true;
  if (state_ != State::kHandling && state_ != State::kSending) end_orderly();
}

void Connection::take(std::string_view bytes) {
  if (in_.empty() && reads_requests()) {
    bytes.remove_prefix(parse(bytes));
    if (bytes.empty() || state_ == State::kClosed) return;
    in_ = loop_.take_buffer();
    in_ += bytes;
    return;
  }
  in_ += bytes;
  if (reads_requests()) return parse_kept();
  // Reading stops when too much is sent ahead, and then the end of a stream's reader would go unnoticed.
  if (state_ == State::kStreaming && input_is_full()) close();
}

void Connection::parse_kept() {
  in_begin_ += parse(std::string_view(in_).substr(in_begin_));
  // The rest moves to the front only when it is no longer than what was used. Otherwise small requests that are
  // answered one by one would cost the square of their total size.
  if (in_begin_ >= in_.size() / 2) in_.erase(0, std::exchange(in_begin_, 0));
  if (in_.empty()) loop_.give_buffer(std::exchange(in_, {}));
}

// Serves as many requests as are complete and answered at once; returns how many bytes are done with.
size_t Connection::parse(std::string_view bytes) {
  size_t used = 0;
  while (used < bytes.size() && reads_requests()) {
    if (state_ == State::kIdle) {
      // Some clients send a line break after a body.
      if (bytes[used] == '\r' || bytes[used] == '\n') {
        ++used;
        continue;
      }
      parser_.start();
      state_ = State::kHead;
      disarm();
    }
    used += parser_.feed(bytes.substr(used));
    switch (parser_.progress()) {
      case RequestParser::Progress::kHead:
        if (!is_linked()) loop_.arm(*this, Stage::kHead);
        return used;
      case RequestParser::Progress::kBody:
        if (state_ == State::kHead) {
          state_ = State::kBody;
          loop_.arm(*this, Stage::kBody);
          if (parser_.expects_continue()) {
            put(kContinue);
            flush();
          }
        }
        return used;
      case RequestParser::Progress::kFailed:
        fail(parser_.status(), parser_.problem());
        return bytes.size();
      case RequestParser::Progress::kDone:
        dispatch();
        break;
    }
  }
  return used;
}

void Connection::fail(int status, std::string_view what) {
  keep_alive_ = false;
  unread_input_ = true;
  head_only_ = false;
  http_1_0_ = false;
  respond(error_page(status, what));
}

void Connection::dispatch() {
  std::shared_ptr<Request> request = parser_.take_request();
  request->peer = peer_;
  head_only_ = request->method == Method::kHead;
  http_1_0_ = parser_.is_http_1_0();
  keep_alive_ = parser_.keep_alive();
  state_ = State::kHandling;
  disarm();
  stay_warm();
  const auto handle = [&] { loop_.server().handler(std::move(request), make_responder(0)); };
  if (answered_by(0, handle)) respond(std::move(response_));
}

std::unique_ptr<Responder> Connection::make_responder(int32_t stream) {
  return std::make_unique<ConnectionResponder>(weak_from_this(), loop_.mailbox(), stream);
}

}  // namespace chandler::http
