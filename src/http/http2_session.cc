#include "http/http2_session.h"

#include <nghttp2/nghttp2.h>

#include <algorithm>
#include <array>
#include <utility>

#include "base/check.h"
#include "http/http2_callbacks.h"

namespace chandler::http {

namespace {

// What a client may send us ahead of our reading: enough for a body to come in without pauses.
constexpr int32_t kStreamWindow = 256 * 1024;
constexpr int32_t kConnectionWindow = 1024 * 1024;
// Answers to PING and SETTINGS that wait because the client does not read.
constexpr size_t kMaxQueuedAcks = 1000;
// DATA below this size counts as a frame that carries nothing.
constexpr size_t kSmallFrame = 16;
// As much as a connection of HTTP/1.1 asks a source for.
constexpr size_t kPrefetch = 64 * 1024;

}  // namespace

void Http2Stream::expire() { session.expire(*this); }

void Http2Session::FreeSession::operator()(nghttp2_session* session) const { nghttp2_session_del(session); }

Http2Session::Http2Session(Http2Host& host, const Http2Limits& limits)
    : host_(host),
      limits_(limits),
      head_deadline_(*this),
      resets_(limits.resets),
      idle_frames_(limits.idle_frames),
      decoded_bytes_(limits.decoded_bytes) {
  session_.reset(make_http2_engine(*this, kMaxQueuedAcks));
}

Http2Session::~Http2Session() = default;

void Http2Session::start() {
  // Priorities are the same for all, whatever the client says: streams take turns.
  const std::array<nghttp2_settings_entry, 4> settings = {{
      {NGHTTP2_SETTINGS_MAX_CONCURRENT_STREAMS, static_cast<uint32_t>(limits_.max_streams)},
      {NGHTTP2_SETTINGS_INITIAL_WINDOW_SIZE, kStreamWindow},
      {NGHTTP2_SETTINGS_MAX_HEADER_LIST_SIZE, static_cast<uint32_t>(limits_.max_header_bytes)},
      {NGHTTP2_SETTINGS_NO_RFC7540_PRIORITIES, 1},
  }};
  CH_CHECK(nghttp2_submit_settings(session_.get(), NGHTTP2_FLAG_NONE, settings.data(), settings.size()) == 0);
  CH_CHECK(nghttp2_session_set_local_window_size(session_.get(), NGHTTP2_FLAG_NONE, 0, kConnectionWindow) == 0);
  host_.arm(head_deadline_, Stage::kHead);
}

void Http2Session::receive(std::string_view bytes) {
  if (failed_ || calmed_ || broken_) return;
  scanner_.scan(bytes, [this](const FrameHead& head) {
    if (!admit(head)) calm();
    return !calmed_;
  });
  if (calmed_) return;
  const ssize_t taken =
      nghttp2_session_mem_recv(session_.get(), reinterpret_cast<const uint8_t*>(bytes.data()), bytes.size());
  if (taken < 0) return fail(static_cast<int>(taken));
  if (!scanner_.owes()) {
    head_deadline_.disarm();
  } else if (!head_deadline_.is_armed()) {
    host_.arm(head_deadline_, Stage::kHead);
  }
  hand_out();
}

// Requests cost what they cost; here it is about frames that ask for nothing.
bool Http2Session::admit(const FrameHead& head) {
  switch (head.type) {
    case FrameType::kHeaders:
      return true;
    case FrameType::kData:
      return head.length >= kSmallFrame || head.ends_stream() || idle_frames_.take(host_.now());
    case FrameType::kRstStream:
      return resets_.take(host_.now());
    default:
      return idle_frames_.take(host_.now());
  }
}

void Http2Session::calm() {
  if (std::exchange(calmed_, true)) return;
  nghttp2_session_terminate_session(session_.get(), NGHTTP2_ENHANCE_YOUR_CALM);
}

// nghttp2 answers most faults itself. What is left are floods, among them those that our callbacks find, and a client
// that does not speak HTTP/2.
void Http2Session::fail(int error) {
  failed_ = true;
  calmed_ = error == NGHTTP2_ERR_FLOODED || error == NGHTTP2_ERR_TOO_MANY_CONTINUATIONS ||
            error == NGHTTP2_ERR_CALLBACK_FAILURE;
  nghttp2_session_terminate_session(session_.get(), NGHTTP2_ENHANCE_YOUR_CALM);
}

// Outside of nghttp2's calls, because a handler may answer at once and an answer may end everything.
void Http2Session::hand_out() {
  const std::vector<int32_t> ready = std::exchange(ready_, {});
  for (const int32_t id : ready) {
    Http2Stream* stream = find(id);
    if (stream == nullptr || stream->phase != Http2Stream::Phase::kBody) continue;
    stream->phase = Http2Stream::Phase::kHandling;
    stream->disarm();
    host_.handle(id, std::move(stream->request));
  }
}

Http2Stream* Http2Session::find(int32_t id) {
  const auto found = streams_.find(id);
  return found == streams_.end() ? nullptr : found->second.get();
}

// An answer to what is not read to its end.
void Http2Session::refuse(Http2Stream& stream, int status, std::string_view what) {
  stream.disarm();
  stream.head_only = false;
  submit(stream, host_.error_page(status, what), true);
}

// Answered before the request was complete. Its rest is not wanted, but some clients take a reset that comes too soon
// for a failure and do not look at the answer.
void Http2Session::linger(int32_t id) {
  Http2Stream* stream = find(id);
  if (stream == nullptr) return;
  stream->phase = Http2Stream::Phase::kLingering;
  host_.arm(*stream, Stage::kLinger);
}

void Http2Session::expire(Http2Stream& stream) {
  if (stream.phase == Http2Stream::Phase::kAnswering) {
    // With an open window it is the connection that is not read, or others on it that are slow; that has its own
    // deadline.
    if (may_send(stream.id)) return host_.arm(stream, Stage::kWrite);
    reset(stream, NGHTTP2_CANCEL);
  } else if (stream.phase == Http2Stream::Phase::kLingering) {
    reset(stream, NGHTTP2_NO_ERROR);
  } else {
    refuse(stream, 408, "the request did not arrive in time");
  }
  host_.changed();
}

void Http2Session::expire_head() {
  nghttp2_session_terminate_session(session_.get(), NGHTTP2_ENHANCE_YOUR_CALM);
  host_.changed();
}

void Http2Session::wake(int32_t id) {
  Http2Stream* stream = find(id);
  if (stream == nullptr || !stream->body) return;
  stream->body->wake();
  // Whether somebody waits for the client can only be told when it is known that there is something to send.
  if (!may_send(id)) stream->body->prefetch(kPrefetch);
  if (!stream->body->is_due()) return;
  park(*stream, false);
  if (!stream->is_armed()) host_.arm(*stream, Stage::kWrite);
  if (std::exchange(stream->deferred, false)) nghttp2_session_resume_data(session_.get(), id);
}

void Http2Session::drain() {
  if (std::exchange(draining_, true)) return;
  leave();
  // Waking does not remove any.
  for (const auto& [id, stream] : streams_) {
    if (!stream->body || !stream->body->has_source()) continue;
    stream->body->shut_down();
    wake(id);
  }
}

void Http2Session::leave() {
  nghttp2_submit_goaway(session_.get(), NGHTTP2_FLAG_NONE, nghttp2_session_get_last_proc_stream_id(session_.get()),
                        NGHTTP2_NO_ERROR, nullptr, 0);
}

void Http2Session::end() {
  broken_ = true;
  head_deadline_.disarm();
  ready_.clear();
  streams_.clear();
  parked_ = 0;
}

bool Http2Session::is_over() const {
  if (broken_) return true;
  return nghttp2_session_want_read(session_.get()) == 0 && nghttp2_session_want_write(session_.get()) == 0;
}

}  // namespace chandler::http
