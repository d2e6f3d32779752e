#include "http/connection.h"

#include <sys/socket.h>

#include <utility>

namespace chandler::http {

namespace {

std::string address_of(const Socket& socket) {
  error_code ec;
  const auto endpoint = socket.remote_endpoint(ec);
  if (ec) return {};
  const std::string address = endpoint.address().to_string();
  const std::string port = std::to_string(endpoint.port());
  return endpoint.address().is_v6() ? "[" + address + "]:" + port : address + ":" + port;
}

}  // namespace

Connection::Connection(Loop& loop, Socket socket)
    : loop_(loop),
      socket_(std::move(socket)),
      parser_(loop.server().options.max_header_bytes, loop.server().options.max_body_bytes) {
  loop_.server().open_connections.fetch_add(1);
  loop_.server().connections.add(1);
  loop_.server().connections_total.add();
}

Connection::~Connection() {
  loop_.server().connections.add(-1);
  loop_.server().open_connections.fetch_sub(1);
}

void Connection::start() {
  error_code ec;
  socket_.native_non_blocking(true, ec);
  if (ec || loop_.draining()) return;
  place_ = loop_.add(shared_from_this());
  transport_.open(socket_.native_handle(), loop_.server().tls());
  loop_.arm(*this, Stage::kHandshake);
  shake();
}

void Connection::shake() {
  switch (transport_.handshake().kind) {
    case Io::Kind::kWantRead:
      return arm_read();
    case Io::Kind::kWantWrite:
      return arm_write();
    case Io::Kind::kEnd:
    case Io::Kind::kFailed:
      loop_.server().handshake_failures_total.add();
      return linger();  // the alert shall arrive
    case Io::Kind::kDone:
      break;
  }
  auto peer = std::make_shared<Peer>();
  peer->address = address_of(socket_);
  transport_.describe(*peer);
  peer_ = std::move(peer);
  stay_warm();
  if (transport_.has_http2()) return start_http2();
  loop_.server().http1_total.add();
  state_ = State::kIdle;
  loop_.arm(*this, Stage::kIdle);
  settle();
}

// The waits hold the connection: a completion that was already on its way when it closed must still find it.
void Connection::arm_read() {
  if (read_armed_) return;
  read_armed_ = true;
  socket_.async_wait(Socket::wait_read, [self = shared_from_this()](error_code) {
    self->read_armed_ = false;
    if (self->state_ != State::kClosed) self->on_readable();
  });
}

void Connection::arm_write() {
  if (write_armed_) return;
  write_armed_ = true;
  socket_.async_wait(Socket::wait_write, [self = shared_from_this()](error_code) {
    self->write_armed_ = false;
    if (self->state_ != State::kClosed) self->on_writable();
  });
}

void Connection::on_readable() {
  switch (state_) {
    case State::kHandshake:
      return shake();
    case State::kLingering: {
      const Io io = transport_.discard(loop_.scratch());
      return io.kind == Io::Kind::kEnd || io.kind == Io::Kind::kFailed ? close() : arm_read();
    }
    case State::kHttp2:
      return read_http2();
    default:
      return read_input();
  }
}

void Connection::on_writable() {
  if (state_ == State::kHandshake) return shake();
  if (state_ == State::kHttp2) {
    const bool reads = std::exchange(read_needs_write_, false);
    settle_http2();
    return reads && state_ == State::kHttp2 ? read_http2() : void();
  }
  if (std::exchange(read_needs_write_, false)) read_input();
  switch (state_) {
    case State::kSending:
      if (flush()) finish_response();
      break;
    case State::kStreaming:
      pump();
      break;
    case State::kBody:
      flush();  // the rest of a 100 Continue
      break;
    default:
      break;
  }
  settle();
}

void Connection::deliver(Note& note) {
  if (http2_) return deliver_http2(note);
  if (note.waker) {
    note.waker->delivered();
    if (state_ != State::kStreaming || note.waker != waker_) return;
    woken_ = true;
    if (output_empty()) pump();
  } else if (note.errand) {
    if (state_ != State::kHandling) return note.errand->run();
    if (!answered_by(0, [&note] { note.errand->run(); })) return;
    respond(std::move(response_));
  } else {
    if (state_ != State::kHandling) return;
    respond(note.response ? std::move(*note.response) : error_page(500, kNoAnswer));
  }
  settle();
}

bool Connection::answer_at_once(int32_t stream, Response* response) {
  if (!in_handler_ || stream != handler_stream_) return false;
  response_ = response ? std::move(*response) : error_page(500, kNoAnswer);
  answered_ = true;
  return true;
}

// Goes on after an answer: with what the client has sent in the meantime, else with what it sends next.
void Connection::settle() {
  if (reads_requests() && !in_.empty()) parse_kept();
  if (state_ == State::kClosed || state_ == State::kLingering) return;
  if (reads_requests() && input_ended_) return end_orderly();
  if (read_armed_ || read_needs_write_ || input_ended_ || input_is_full()) return;
  if (transport_.has_buffered()) return read_input();
  arm_read();
}

Response Connection::error_page(int status, std::string_view what) {
  return loop_.server().options.error_page(status, what);
}

void Connection::expire() {
  const auto self = shared_from_this();
  switch (state_) {
    case State::kHttp2:
      return expire_http2();
    case State::kHandshake:
      loop_.server().handshake_failures_total.add();
      return close();
    case State::kIdle:
      return end_orderly();
    case State::kHead:
    case State::kBody:
      // A 100 Continue that the client does not even take is no case for more words.
      if (!output_empty()) return close();
      return fail(408, "the request did not arrive in time");
    default:
      return close();
  }
}

void Connection::drain() {
  switch (state_) {
    case State::kHandshake:
      return close();
    case State::kIdle:
      return end_orderly();
    case State::kStreaming:
      response_.source->shut_down();
      woken_ = true;
      if (output_empty()) pump();
      return settle();
    case State::kHttp2:
      http2_->drain();
      return settle_http2();
    default:
      return;  // ends with its answer, or with the grace
  }
}

void Connection::stay_warm() {
  active_ = true;
  if (!std::exchange(warm_, true)) loop_.watch_pause(weak_from_this());
}

bool Connection::cool() {
  if (std::exchange(active_, false)) return false;
  warm_ = false;
  transport_.release_buffers();
  return true;
}

void Connection::end_orderly() {
  transport_.say_goodbye();
  unread_input_ ? linger() : close();
}

void Connection::linger() {
  ::shutdown(socket_.native_handle(), SHUT_WR);
  state_ = State::kLingering;
  loop_.arm(*this, Stage::kLinger);
  arm_read();
}

void Connection::close() {
  if (state_ == State::kClosed) return;
  state_ = State::kClosed;
  disarm();
  waker_.reset();
  response_ = {};
  if (http2_) http2_->end();
  count_streams(0);
  error_code ec;
  socket_.close(ec);
  // Last: this may end the life of the connection unless the caller holds it.
  const auto self = shared_from_this();
  if (place_) loop_.remove(*place_);
}

}  // namespace chandler::http
