#include <nghttp2/nghttp2.h>

#include <algorithm>
#include <array>
#include <charconv>
#include <cstring>
#include <utility>

#include "base/check.h"
#include "base/text.h"
#include "http/http2_session.h"
#include "http/wire.h"

namespace chandler::http {

namespace {

constexpr size_t kFrameHead = 9;
// Less than this within the time for writing is no progress, unless it was all.
constexpr size_t kLeastProgress = 1024;
// A client answers content with window updates; some do so for every 4 KiB on the stream and on the connection.
constexpr double kBytesPerToken = 512;

// The fields of an answer in the form that nghttp2 wants; it makes copies.
class FieldList {
 public:
  explicit FieldList(size_t fields) {
    // Views of the texts must not move.
    texts_.reserve(fields);
    list_.reserve(fields);
  }

  void add(std::string_view name, std::string_view value) {
    value = trim(value);
    if (value.find_first_of(kBreaks) != std::string_view::npos) {
      std::string& text = texts_.emplace_back(value);
      for (char& c : text) {
        if (kBreaks.find(c) != std::string_view::npos) c = ' ';
      }
      value = text;
    }
    list_.push_back({bytes(name), bytes(value), name.size(), value.size(), NGHTTP2_NV_FLAG_NONE});
  }

  const nghttp2_nv* data() const { return list_.data(); }
  size_t size() const { return list_.size(); }

 private:
  static constexpr std::string_view kBreaks{"\r\n\0", 3};
  static uint8_t* bytes(std::string_view text) { return reinterpret_cast<uint8_t*>(const_cast<char*>(text.data())); }

  std::vector<nghttp2_nv> list_;
  std::vector<std::string> texts_;
};

class Digits {
 public:
  explicit Digits(uint64_t number) : end_(std::to_chars(text_.data(), text_.data() + text_.size(), number).ptr) {}
  std::string_view text() const { return {text_.data(), static_cast<size_t>(end_ - text_.data())}; }

 private:
  std::array<char, 20> text_;
  char* end_;
};

}  // namespace

void Http2Session::respond(int32_t id, Response response) {
  Http2Stream* stream = find(id);
  if (stream == nullptr) {
    if (const auto orphan = orphans_.extract(id)) held_ -= orphan.mapped();
    return;
  }
  if (response.abort) return host_.break_off();
  const bool with_content = !stream->head_only && allows_body(response.status);
  const bool has_content = response.source || !response.body.empty() || !response.tail.empty();
  submit(*stream, std::move(response), with_content && has_content);
}

void Http2Session::submit(Http2Stream& stream, Response response, bool with_content) {
  stream.phase = Http2Stream::Phase::kAnswering;
  stream.request.reset();
  release(stream);

  const Digits status(static_cast<uint64_t>(response.status));
  const std::optional<uint64_t> length =
      response.source ? response.content_length : std::optional<uint64_t>(response.body.size() + response.tail.size());
  const Digits length_digits(length.value_or(0));
  FieldList fields(response.headers.fields().size() + 3);
  fields.add(":status", status.text());
  fields.add("date", host_.date());
  for (const auto& [name, value] : response.headers.fields()) {
    if (!is_connection_field(name)) fields.add(name, value);
  }
  if (length && allows_body(response.status)) fields.add("content-length", length_digits.text());

  nghttp2_data_provider provider{};
  provider.source.ptr = &stream;
  provider.read_callback = [](nghttp2_session*, int32_t, uint8_t*, size_t size, uint32_t* flags,
                              nghttp2_data_source* source, void*) -> ssize_t {
    auto& of = *static_cast<Http2Stream*>(source->ptr);
    bool ends = false;
    const ssize_t read = of.session.read_content(of, size, ends);
    if (ends) *flags |= NGHTTP2_DATA_FLAG_EOF;
    if (read > 0) *flags |= NGHTTP2_DATA_FLAG_NO_COPY;
    return read;
  };
  if (nghttp2_submit_response(session_.get(), stream.id, fields.data(), fields.size(),
                              with_content ? &provider : nullptr) != 0) {
    return reset(stream, NGHTTP2_INTERNAL_ERROR);
  }
  if (!with_content) return;
  const auto on_start = std::move(response.on_start);
  stream.body.emplace(std::move(response));
  host_.arm(stream, Stage::kWrite);
  if (!stream.body->has_source()) return;
  if (on_start) on_start(host_.make_waker(stream.id));
  if (draining_) stream.body->shut_down();
}

// Content goes right behind room for the head of its frame, into the buffer that is written to the client.
ssize_t Http2Session::read_content(Http2Stream& stream, size_t length, bool& ends) {
  if (out_->size() >= budget_) return NGHTTP2_ERR_PAUSE;
  frame_begin_ = out_->size();
  out_->append(kFrameHead, '\0');
  const OutgoingBody::State state = stream.body->take(*out_, length);
  const size_t size = out_->size() - frame_begin_ - kFrameHead;
  if (state == OutgoingBody::State::kBroken) {
    out_->resize(frame_begin_);
    cut_.push_back(stream.id);
    return NGHTTP2_ERR_TEMPORAL_CALLBACK_FAILURE;
  }
  ends = state == OutgoingBody::State::kEnd;
  if (ends) stream.disarm();
  if (size == 0) {
    out_->resize(frame_begin_);
    if (ends) return 0;
  }
  if (state == OutgoingBody::State::kWaiting) {
    stream.disarm();
    stream.progress = 0;
    park(stream, true);
  }
  if (size == 0) {
    stream.deferred = true;
    // A source that has more but gave nothing is asked again when the others had their turn.
    if (state == OutgoingBody::State::kMore) host_.make_waker(stream.id)->wake();
    return NGHTTP2_ERR_DEFERRED;
  }
  stream.progress += size;
  if (stream.progress >= kLeastProgress && state == OutgoingBody::State::kMore) {
    stream.progress = 0;
    host_.arm(stream, Stage::kWrite);
  }
  idle_frames_.give(static_cast<double>(size) / kBytesPerToken);
  return static_cast<ssize_t>(size);
}

void Http2Session::produce(std::string& out, size_t budget) {
  out_ = &out;
  budget_ = budget;
  while (!broken_ && out.size() < budget) {
    const uint8_t* bytes = nullptr;
    const ssize_t size = nghttp2_session_mem_send(session_.get(), &bytes);
    if (size < 0) broken_ = true;
    if (size <= 0) break;
    out.append(reinterpret_cast<const char*>(bytes), static_cast<size_t>(size));
  }
  out_ = nullptr;
}

void Http2Session::reset(Http2Stream& stream, uint32_t code) {
  stream.disarm();
  cut_.push_back(stream.id);
  nghttp2_submit_rst_stream(session_.get(), NGHTTP2_FLAG_NONE, stream.id, code);
}

void Http2Session::park(Http2Stream& stream, bool parked) {
  if (stream.parked == parked) return;
  stream.parked = parked;
  parked ? ++parked_ : --parked_;
}

// Its body is the handler's, or nobody's, from here on.
void Http2Session::release(Http2Stream& stream) { held_ -= std::exchange(stream.held, 0); }

bool Http2Session::may_send(int32_t id) const {
  return nghttp2_session_get_remote_window_size(session_.get()) > 0 &&
         nghttp2_session_get_stream_remote_window_size(session_.get(), id) > 0;
}

void Http2Session::frame_content(const uint8_t* head) { std::memcpy(out_->data() + frame_begin_, head, kFrameHead); }

}  // namespace chandler::http
