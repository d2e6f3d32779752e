#include "http/http2_callbacks.h"

#include <nghttp2/nghttp2.h>

#include <algorithm>
#include <charconv>
#include <memory>
#include <utility>

#include "base/check.h"
#include "base/spare_text.h"
#include "base/text.h"
#include "http/http2_session.h"
#include "http/wire.h"

namespace chandler::http {

namespace {

// What a field costs besides its letters, by the counting of header compression.
constexpr size_t kFieldCost = 32;
// A block that decodes to this many times the limit ends the connection; a smaller one is read on and answered with
// 431.
constexpr size_t kFarTooLarge = 2;
// A block may decode to a usual head plus a multiple of its size on the wire; more is paid from the bucket. A decent
// client stays below, however often it asks:
// - it refers to an entry of the compression table once in a block, and all entries together have 4 KiB;
// - Huffman codes shorten text to 5/8 at best;
// - a name by reference saves most when it comes with many short values (a field for each group of a user). The limit
//   for heads allows for some thousand of them, since each field counts 32 bytes more than its letters, and names of up
//   to 25 letters then save less than a usual head has.
// So the bucket pays for entries that a block refers to again and again, and can be small: 1 MiB takes about a
// millisecond to check and copy.
constexpr size_t kUsualHead = 16 * 1024;
constexpr size_t kDecodedPerByte = 4;
// Room made at once for an announced body. More is grown as bytes arrive, so that an announcement alone costs nothing.
constexpr uint64_t kBodyRoom = 256 * 1024;
constexpr uint64_t kUnlimited = 1'000'000'000;
// A frame fits one TLS record with its head.
constexpr size_t kFrameContent = 16 * 1024 - 9;

std::string_view view_of(const uint8_t* bytes, size_t size) { return {reinterpret_cast<const char*>(bytes), size}; }

}  // namespace

// The way from nghttp2, which is C, into the session.
struct Http2Callbacks {
  static Http2Session& session_of(void* user) { return *static_cast<Http2Session*>(user); }

  static int on_begin_headers(nghttp2_session*, const nghttp2_frame* frame, void* user) {
    Http2Session& session = session_of(user);
    session.block_ = {};
    if (frame->hd.type != NGHTTP2_HEADERS || frame->headers.cat != NGHTTP2_HCAT_REQUEST) return 0;
    return session.begin_request(frame->hd.stream_id);
  }

  static int on_header(nghttp2_session*, const nghttp2_frame* frame, const uint8_t* name, size_t name_size,
                       const uint8_t* value, size_t value_size, uint8_t, void* user) {
    Http2Session& session = session_of(user);
    // After any other error nghttp2 would decode the rest of the block.
    if (!session.count_field(name_size + value_size, frame->hd.length)) return NGHTTP2_ERR_CALLBACK_FAILURE;
    // A trailer must never pass for a header: whoever checked the head did not see it.
    if (frame->hd.type != NGHTTP2_HEADERS || frame->headers.cat != NGHTTP2_HCAT_REQUEST) return 0;
    Http2Stream* stream = session.find(frame->hd.stream_id);
    if (stream != nullptr) session.add_field(*stream, view_of(name, name_size), view_of(value, value_size));
    return 0;
  }

  static int on_frame_recv(nghttp2_session*, const nghttp2_frame* frame, void* user) {
    if (frame->hd.type != NGHTTP2_HEADERS && frame->hd.type != NGHTTP2_DATA) return 0;
    Http2Session& session = session_of(user);
    Http2Stream* stream = session.find(frame->hd.stream_id);
    if (stream == nullptr) return 0;
    const bool ends = (frame->hd.flags & NGHTTP2_FLAG_END_STREAM) != 0;
    if (frame->hd.type == NGHTTP2_HEADERS && frame->headers.cat == NGHTTP2_HCAT_REQUEST) {
      session.end_head(*stream, ends);
    } else if (ends && frame->hd.type == NGHTTP2_HEADERS) {
      session.end_trailers(*stream);
    } else if (ends) {
      session.complete(*stream);
    }
    return 0;
  }

  static int on_content(nghttp2_session*, uint8_t, int32_t id, const uint8_t* bytes, size_t size, void* user) {
    Http2Session& session = session_of(user);
    Http2Stream* stream = session.find(id);
    if (stream != nullptr) session.add_content(*stream, view_of(bytes, size));
    return 0;
  }

  static int on_frame_send(nghttp2_session* engine, const nghttp2_frame* frame, void* user) {
    Http2Session& session = session_of(user);
    const int32_t id = frame->hd.stream_id;
    if (frame->hd.type == NGHTTP2_RST_STREAM) {
      session.on_sent_reset(id, frame->rst_stream.error_code);
    } else if ((frame->hd.type == NGHTTP2_HEADERS || frame->hd.type == NGHTTP2_DATA) &&
               (frame->hd.flags & NGHTTP2_FLAG_END_STREAM) != 0 &&
               nghttp2_session_get_stream_remote_close(engine, id) == 0) {
      session.linger(id);
    }
    return 0;
  }

  static int on_stream_close(nghttp2_session*, int32_t id, uint32_t, void* user) {
    session_of(user).on_closed(id);
    return 0;
  }

  static ssize_t frame_size(nghttp2_session*, uint8_t, int32_t, int32_t connection_window, int32_t stream_window,
                            uint32_t largest, void*) {
    return std::max<ssize_t>(1, std::min({static_cast<ssize_t>(connection_window), static_cast<ssize_t>(stream_window),
                                          static_cast<ssize_t>(largest), static_cast<ssize_t>(kFrameContent)}));
  }

  static int send_content(nghttp2_session*, nghttp2_frame*, const uint8_t* head, size_t, nghttp2_data_source*,
                          void* user) {
    session_of(user).frame_content(head);
    return 0;
  }
};

nghttp2_session* make_http2_engine(Http2Session& session, size_t max_queued_acks) {
  nghttp2_session_callbacks* made_callbacks = nullptr;
  CH_CHECK(nghttp2_session_callbacks_new(&made_callbacks) == 0);
  const std::unique_ptr<nghttp2_session_callbacks, decltype(&nghttp2_session_callbacks_del)> callbacks(
      made_callbacks, nghttp2_session_callbacks_del);
  nghttp2_session_callbacks_set_on_begin_headers_callback(callbacks.get(), Http2Callbacks::on_begin_headers);
  nghttp2_session_callbacks_set_on_header_callback(callbacks.get(), Http2Callbacks::on_header);
  nghttp2_session_callbacks_set_on_frame_recv_callback(callbacks.get(), Http2Callbacks::on_frame_recv);
  nghttp2_session_callbacks_set_on_data_chunk_recv_callback(callbacks.get(), Http2Callbacks::on_content);
  nghttp2_session_callbacks_set_on_frame_send_callback(callbacks.get(), Http2Callbacks::on_frame_send);
  nghttp2_session_callbacks_set_on_stream_close_callback(callbacks.get(), Http2Callbacks::on_stream_close);
  nghttp2_session_callbacks_set_data_source_read_length_callback(callbacks.get(), Http2Callbacks::frame_size);
  nghttp2_session_callbacks_set_send_data_callback(callbacks.get(), Http2Callbacks::send_content);

  nghttp2_option* made_options = nullptr;
  CH_CHECK(nghttp2_option_new(&made_options) == 0);
  const std::unique_ptr<nghttp2_option, decltype(&nghttp2_option_del)> options(made_options, nghttp2_option_del);
  nghttp2_option_set_no_closed_streams(options.get(), 1);
  nghttp2_option_set_max_outbound_ack(options.get(), max_queued_acks);
  // The session counts resets itself, in both directions.
  nghttp2_option_set_stream_reset_rate_limit(options.get(), kUnlimited, kUnlimited);

  nghttp2_session* engine = nullptr;
  CH_CHECK(nghttp2_session_server_new2(&engine, callbacks.get(), &session, options.get()) == 0);
  return engine;
}

int Http2Session::begin_request(int32_t id) {
  if (streams_.size() + orphans_.size() >= limits_.max_streams) {
    // Orphans take their place until the handler is done with them; the client may try again.
    nghttp2_submit_rst_stream(session_.get(), NGHTTP2_FLAG_NONE, id, NGHTTP2_REFUSED_STREAM);
    return NGHTTP2_ERR_TEMPORAL_CALLBACK_FAILURE;
  }
  streams_.emplace(id, std::make_unique<Http2Stream>(*this, id));
  return 0;
}

// Counts a field of a head or of trailers. `wire` is the size of the block's frames so far. False: the client has gone
// too far.
bool Http2Session::count_field(size_t letters, size_t wire) {
  const bool was_too_large = is_block_too_large();
  block_.size += letters + kFieldCost;
  block_.letters += letters;
  if (block_.size > kFarTooLarge * limits_.max_header_bytes) return false;
  if (is_block_too_large() && !was_too_large && !resets_.take(host_.now())) return false;
  const size_t covered = kUsualHead + kDecodedPerByte * wire + block_.paid;
  if (block_.letters <= covered) return true;
  const size_t due = block_.letters - covered;
  block_.paid += due;
  return decoded_bytes_.take(host_.now(), static_cast<double>(due));
}

void Http2Session::add_field(Http2Stream& stream, std::string_view name, std::string_view value) {
  if (is_block_too_large() || stream.phase != Http2Stream::Phase::kHead) return;
  Request& request = *stream.request;
  if (name == ":method") {
    request.method = method_named(value);
    request.method_text = value;
  } else if (name == ":path") {
    request.target = value;
  } else if (name == ":authority") {
    stream.has_host = true;
    request.headers.add("host", value);
    if (request.target.empty()) request.target = value;  // CONNECT has no path
  } else if (name.starts_with(':') || (name == "host" && stream.has_host)) {
    return;
  } else {
    if (name == "expect") stream.expects_continue = equals_ignore_case(value, "100-continue");
    request.headers.add(name, value);
  }
}

void Http2Session::end_head(Http2Stream& stream, bool ends_stream) {
  const nghttp2_extpri fair{NGHTTP2_EXTPRI_DEFAULT_URGENCY, 1};
  nghttp2_session_change_extpri_stream_priority(session_.get(), stream.id, &fair, 1);
  if (is_block_too_large()) return refuse(stream, 431, "the request head is too large");
  stream.phase = Http2Stream::Phase::kBody;
  stream.head_only = stream.request->method == Method::kHead;
  if (ends_stream) return complete(stream);
  const std::string_view length = stream.request->headers.get("content-length");
  uint64_t announced = 0;
  std::from_chars(length.data(), length.data() + length.size(), announced);
  if (announced > limits_.max_body_bytes) return refuse(stream, 413, "the request body is too large");
  if (announced > 0) {
    stream.request->body = take_spare_text();
    stream.request->body.reserve(static_cast<size_t>(std::min(announced, kBodyRoom)));
  }
  host_.arm(stream, Stage::kBody);
  if (!stream.expects_continue) return;
  static constexpr std::string_view kName = ":status";
  static constexpr std::string_view kValue = "100";
  const nghttp2_nv status{reinterpret_cast<uint8_t*>(const_cast<char*>(kName.data())),
                          reinterpret_cast<uint8_t*>(const_cast<char*>(kValue.data())), kName.size(), kValue.size(),
                          NGHTTP2_NV_FLAG_NONE};
  nghttp2_submit_headers(session_.get(), NGHTTP2_FLAG_NONE, stream.id, nullptr, &status, 1, nullptr);
}

// Trailers are not kept; they end the request.
void Http2Session::end_trailers(Http2Stream& stream) {
  if (stream.phase != Http2Stream::Phase::kBody) return;
  if (is_block_too_large()) return refuse(stream, 431, "the trailers are too large");
  complete(stream);
}

void Http2Session::add_content(Http2Stream& stream, std::string_view bytes) {
  if (stream.phase != Http2Stream::Phase::kBody) return;
  if (stream.held + bytes.size() > limits_.max_body_bytes) return refuse(stream, 413, "the request body is too large");
  if (held_ + bytes.size() > limits_.max_held_bytes) {
    return refuse(stream, 429, "too many large requests at once on one connection");
  }
  stream.request->body += bytes;
  stream.held += bytes.size();
  held_ += bytes.size();
}

void Http2Session::complete(Http2Stream& stream) {
  if (stream.phase == Http2Stream::Phase::kBody) ready_.push_back(stream.id);
}

// What we reset because the client broke a rule counts as if it had done so itself; a client that makes us do it costs
// the same work. What we do for reasons of our own does not.
void Http2Session::on_sent_reset(int32_t id, uint32_t code) {
  if (std::erase(cut_, id) > 0 || code == NGHTTP2_NO_ERROR) return;
  if (!resets_.take(host_.now())) calm();
}

void Http2Session::on_closed(int32_t id) {
  const auto found = streams_.find(id);
  std::erase(cut_, id);
  if (found == streams_.end()) return;
  Http2Stream& stream = *found->second;
  if (stream.phase == Http2Stream::Phase::kHandling) {
    // The handler still holds the body, so it goes on to count.
    orphans_.emplace(id, std::exchange(stream.held, 0));
  }
  park(stream, false);
  release(stream);
  streams_.erase(found);
}

}  // namespace chandler::http
