#include <algorithm>
#include <utility>

#include "http/connection.h"

namespace chandler::http {

namespace {

// Frames that are collected before they are written: several TLS records.
constexpr size_t kOutputBudget = 64 * 1024;
// Written so often in a row before other connections get their turn, and read.
constexpr int kOutputTurns = 16;
constexpr int kInputTurns = 16;

Http2Limits limits_of(const ServerOptions& options) {
  Http2Limits limits;
  limits.max_streams = options.max_streams;
  limits.max_header_bytes = options.max_header_bytes;
  limits.max_body_bytes = options.max_body_bytes;
  limits.max_held_bytes = 4 * options.max_body_bytes;
  return limits;
}

}  // namespace

void Connection::start_http2() {
  loop_.server().http2_total.add();
  state_ = State::kHttp2;
  disarm();
  Http2Host& host = *this;
  http2_ = std::make_unique<Http2Session>(host, limits_of(loop_.server().options));
  http2_->start();
  read_http2();
}

void Connection::read_http2() {
  if (!output_empty()) return;  // goes on when the client has taken it
  for (int turn = 0; turn < kInputTurns; ++turn) {
    const Io io = transport_.read(loop_.scratch());
    switch (io.kind) {
      case Io::Kind::kDone:
        http2_->receive({loop_.scratch().data(), io.bytes});
        break;
      case Io::Kind::kWantRead:
        // First: a record of which only a part has come counts as buffered, and reading it again would not bring more.
        arm_read();
        return settle_http2();
      case Io::Kind::kWantWrite:
        read_needs_write_ = true;
        return arm_write();
      case Io::Kind::kEnd:
      case Io::Kind::kFailed:
        return close();
    }
    if (state_ != State::kHttp2) return;
    if (!transport_.has_buffered()) break;
    // Questions shall not pile up while the client does not take the answers.
    if (!flush_http2()) return;
  }
  settle_http2();
}

void Connection::deliver_http2(Note& note) {
  if (note.waker) note.waker->delivered();
  if (note.errand) {
    if (answered_by(note.stream, [&note] { note.errand->run(); })) http2_->respond(note.stream, std::move(response_));
  } else if (note.waker) {
    http2_->wake(note.stream);
  } else {
    http2_->respond(note.stream, note.response ? std::move(*note.response) : error_page(500, kNoAnswer));
  }
  settle_http2();
}

void Connection::handle(int32_t stream, std::shared_ptr<Request> request) {
  request->peer = peer_;
  const auto call = [&] { loop_.server().handler(std::move(request), make_responder(stream)); };
  if (answered_by(stream, call)) http2_->respond(stream, std::move(response_));
}

std::shared_ptr<Waker> Connection::make_waker(int32_t stream) {
  return std::make_shared<StreamWaker>(weak_from_this(), loop_.mailbox(), stream);
}

// A stream's deadline has passed, or the one for a head.
void Connection::changed() {
  const auto self = shared_from_this();
  settle_http2();
}

// The connection's own: either it was idle or the client does not take what is sent.
void Connection::expire_http2() {
  if (!output_empty() || !http2_->is_idle()) return close();
  http2_->leave();
  settle_http2();
}

// Sends what there is to send, then waits for what is next.
void Connection::settle_http2() {
  if (state_ != State::kHttp2 || !flush_http2()) return;
  if (http2_->is_over()) {
    if (http2_->was_calmed()) loop_.server().calmed_total.add();
    // Some words of the client are always on their way; a reset in answer to them could overtake our last ones.
    transport_.say_goodbye();
    http2_->end();
    return linger();
  }
  rest_http2();
  if (read_armed_ || read_needs_write_) return;
  if (!transport_.has_buffered()) return arm_read();
  asio::post(loop_.context(), [self = shared_from_this()] {
    if (self->state_ == State::kHttp2) self->read_http2();
  });
}

// True: the client has taken all that was there for it. Otherwise it is waited for, or the connection has ended.
bool Connection::flush_http2() {
  for (int turn = 0; turn < kOutputTurns; ++turn) {
    resting_ = resting_ && output_empty();  // waiting for the client to read has a deadline of its own
    if (!output_empty() && !flush()) return false;
    put({});
    http2_->produce(out_, kOutputBudget);
    if (out_.empty()) {
      loop_.give_buffer(std::exchange(out_, {}));
      return true;
    }
  }
  if (!flush()) return false;
  asio::post(loop_.context(), [self = shared_from_this()] { self->settle_http2(); });
  return false;
}

// Sets the deadline of a connection that waits for its client, and gives back what it does not need for that.
void Connection::rest_http2() {
  count_streams(http2_->streams());
  if (!http2_->is_idle()) {
    disarm();
    resting_ = false;
  } else if (!std::exchange(resting_, true)) {
    loop_.arm(*this, Stage::kIdle);
  }
  http2_->is_parked() ? transport_.release_buffers() : stay_warm();
}

void Connection::count_streams(size_t streams) {
  loop_.server().streams.add(static_cast<int64_t>(streams) - static_cast<int64_t>(std::exchange(streams_, streams)));
}

}  // namespace chandler::http
