#include <algorithm>
#include <utility>

#include "base/log.h"
#include "http/connection.h"

namespace chandler::http {

namespace {

// Up to this much goes out in one piece: the content of one TLS record.
constexpr size_t kRecord = 16 * 1024;
constexpr size_t kFillBudget = 64 * 1024;
// Fills in a row before other connections get their turn.
constexpr int kFillTurns = 16;

}  // namespace

void Connection::respond(Response response) {
  if (response.abort) return close();
  response_ = std::move(response);
  if (loop_.draining()) keep_alive_ = false;
  state_ = State::kSending;
  const bool with_body = !head_only_ && allows_body(response_.status);
  if (response_.source && with_body) return start_stream();
  send_whole(with_body);
}

void Connection::send_whole(bool with_body) {
  HeadInfo info{Framing::kLength, response_.body.size() + response_.tail.size(), !keep_alive_, loop_.date()};
  if (!allows_body(response_.status)) {
    info.framing = Framing::kNone;
  } else if (response_.source) {  // asked for with HEAD
    info.length = response_.content_length.value_or(0);
    if (!response_.content_length) info.framing = http_1_0_ ? Framing::kUntilClose : Framing::kChunked;
  }
  put({});
  append_head(out_, response_.status, response_.headers, info);
  if (with_body) {
    body_ = response_.body;
    tail_ = response_.tail;
    // Head and the beginning of the body share a record; the rest of a large body is sent from where it is.
    for (std::string_view* part : {&body_, &tail_}) {
      const size_t size = std::min(part->size(), kRecord - std::min(kRecord, out_.size() - out_begin_));
      out_ += part->substr(0, size);
      part->remove_prefix(size);
      if (!part->empty()) break;
    }
  }
  if (flush()) finish_response();
}

void Connection::start_stream() {
  framing_ = response_.content_length ? Framing::kLength : http_1_0_ ? Framing::kUntilClose : Framing::kChunked;
  announced_ = response_.content_length.value_or(0);
  put({});
  append_head(out_, response_.status, response_.headers, {framing_, announced_, !keep_alive_, loop_.date()});
  state_ = State::kStreaming;
  waker_ = std::make_shared<StreamWaker>(weak_from_this(), loop_.mailbox(), 0);
  if (response_.on_start) response_.on_start(waker_);
  last_fill_ = fill();
  pump();
}

// Sends and fills in turn until the socket takes no more, the source has no more, or others shall have their turn.
void Connection::pump() {
  for (int turn = 0; turn < kFillTurns; ++turn) {
    if (!flush()) return;
    if (last_fill_ == BodySource::State::kEnd) return finish_response();
    // It may be silent for hours.
    if (last_fill_ == BodySource::State::kWaiting && !woken_) return transport_.release_buffers();
    last_fill_ = fill();
  }
  if (flush()) waker_->wake();
}

BodySource::State Connection::fill() {
  woken_ = false;
  put({});
  const size_t start = framing_ == Framing::kChunked ? open_chunk(out_) : out_.size();
  BodySource::State state = response_.source->fill(out_, kFillBudget);
  if (framing_ == Framing::kChunked) {
    out_begin_ = close_chunk(out_, out_begin_, start);
    if (state == BodySource::State::kEnd) out_ += kLastChunk;
  } else if (framing_ == Framing::kLength) {
    const size_t size = out_.size() - start;
    if (size > announced_ || (state == BodySource::State::kEnd && size < announced_)) {
      // The client can only learn from the end of the connection that the body is not what was announced.
      log::error("a response body differs from its announced length", {{"announced", *response_.content_length}});
      out_.resize(start + std::min(size, static_cast<size_t>(announced_)));
      keep_alive_ = false;
      state = BodySource::State::kEnd;
    }
    announced_ -= std::min<uint64_t>(size, announced_);
  } else if (state == BodySource::State::kEnd) {
    keep_alive_ = false;
  }
  return state;
}

void Connection::put(std::string_view bytes) {
  if (out_.capacity() < kRecord) {
    std::string buffer = loop_.take_buffer();
    buffer.reserve(kRecord);
    buffer += out_;
    out_ = std::move(buffer);
  }
  out_ += bytes;
}

bool Connection::flush() {
  const bool is_long = out_.size() - out_begin_ + body_.size() + tail_.size() > kRecord;
  if (is_long) transport_.begin_long();
  while (!output_empty()) {
    const std::string_view piece = out_begin_ < out_.size() ? std::string_view(out_).substr(out_begin_)
                                   : !body_.empty()         ? body_
                                                            : tail_;
    const Io io = transport_.write(piece);
    switch (io.kind) {
      case Io::Kind::kDone:
        drop(io.bytes);
        break;
      case Io::Kind::kWantWrite:
        if (is_long) transport_.end_long();
        // While a body is being read its own deadline holds.
        if (state_ != State::kBody && !write_armed_) loop_.arm(*this, Stage::kWrite);
        arm_write();
        return false;
      default:
        close();
        return false;
    }
  }
  if (is_long) transport_.end_long();
  if (state_ == State::kStreaming) disarm();
  if (out_.capacity() != 0) loop_.give_buffer(std::exchange(out_, {}));
  out_begin_ = 0;
  return true;
}

void Connection::drop(size_t bytes) {
  if (out_begin_ < out_.size()) {
    out_begin_ += bytes;
  } else if (!body_.empty()) {
    body_.remove_prefix(bytes);
  } else {
    tail_.remove_prefix(bytes);
  }
}

void Connection::finish_response() {
  response_ = {};
  waker_.reset();
  if (!keep_alive_ || loop_.draining()) return end_orderly();
  state_ = State::kIdle;
  loop_.arm(*this, Stage::kIdle);
}

}  // namespace chandler::http
