// For the tests of this folder: the client's side of HTTP/2 without a socket, made of nghttp2's own client. Bytes go in
// and out as strings, so it serves beside a bare session and at the end of a TLS connection. Frames that no decent
// client sends are made by hand.
#pragma once

#include <gtest/gtest.h>
#include <nghttp2/nghttp2.h>

#include <algorithm>
#include <cstdint>
#include <map>
#include <memory>
#include <optional>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "http/frame_scanner.h"

namespace chandler::http::testing {

struct StreamAnswer {
  int status = 0;
  bool continued = false;  // a 100 came before
  std::map<std::string, std::string> headers;
  std::string body;
  bool complete = false;          // END_STREAM was seen
  std::optional<uint32_t> reset;  // the code of an RST_STREAM
};

using Fields = std::vector<std::pair<std::string, std::string>>;

// A frame by hand.
inline std::string raw_frame(uint8_t type, uint8_t flags, int32_t stream, std::string_view payload = {}) {
  std::string frame;
  const auto add = [&frame](size_t value) { frame += static_cast<char>(value & 0xFF); };
  add(payload.size() >> 16);
  add(payload.size() >> 8);
  add(payload.size());
  add(type);
  add(flags);
  const auto id = static_cast<size_t>(stream);
  for (const int shift : {24, 16, 8, 0}) add(id >> shift);
  return frame.append(payload);
}

class Http2Peer {
 public:
  // With `window` the client opens that much on each stream and no more by itself.
  explicit Http2Peer(std::optional<uint32_t> window = std::nullopt) {
    nghttp2_session_callbacks* callbacks = nullptr;
    nghttp2_session_callbacks_new(&callbacks);
    nghttp2_session_callbacks_set_on_header_callback(callbacks, on_header);
    nghttp2_session_callbacks_set_on_frame_recv_callback(callbacks, on_frame);
    nghttp2_session_callbacks_set_on_data_chunk_recv_callback(callbacks, on_content);
    nghttp2_option* options = nullptr;
    nghttp2_option_new(&options);
    if (window) nghttp2_option_set_no_auto_window_update(options, 1);
    nghttp2_session_client_new2(&session_, callbacks, this, options);
    nghttp2_option_del(options);
    nghttp2_session_callbacks_del(callbacks);
    const nghttp2_settings_entry entry{NGHTTP2_SETTINGS_INITIAL_WINDOW_SIZE, window.value_or(1 << 20)};
    nghttp2_submit_settings(session_, NGHTTP2_FLAG_NONE, &entry, 1);
  }
  ~Http2Peer() { nghttp2_session_del(session_); }
  Http2Peer(const Http2Peer&) = delete;
  Http2Peer& operator=(const Http2Peer&) = delete;

  // With `open` the end of the body is left out.
  int32_t request(const std::string& method, const std::string& target, const Fields& fields = {},
                  const std::string& body = "", bool open = false) {
    std::vector<nghttp2_nv> list;
    const auto add = [&list](std::string_view name, std::string_view value) {
      list.push_back({bytes(name), bytes(value), name.size(), value.size(), NGHTTP2_NV_FLAG_NONE});
    };
    add(":method", method);
    add(":scheme", "https");
    add(":authority", "chandler.example");
    add(":path", target);
    for (const auto& [name, value] : fields) add(name, value);
    const bool has_body = open || !body.empty();
    nghttp2_data_provider provider{};
    provider.read_callback = read_body;
    const int32_t id =
        nghttp2_submit_request(session_, nullptr, list.data(), list.size(), has_body ? &provider : nullptr, nullptr);
    if (has_body) bodies_[id] = {body, open};
    return id;
  }
  int32_t get(const std::string& target, const Fields& fields = {}) { return request("GET", target, fields); }
  void reset(int32_t stream, uint32_t code = NGHTTP2_CANCEL) {
    nghttp2_submit_rst_stream(session_, NGHTTP2_FLAG_NONE, stream, code);
  }
  void open_window(int32_t stream, int32_t bytes_more) {
    nghttp2_submit_window_update(session_, NGHTTP2_FLAG_NONE, stream, bytes_more);
  }
  void raw(std::string_view frames) { raw_ += frames; }

  // What the client has to say now; frames by hand come last.
  std::string output() {
    std::string out;
    const uint8_t* data = nullptr;
    for (ssize_t size = nghttp2_session_mem_send(session_, &data); size > 0;
         size = nghttp2_session_mem_send(session_, &data)) {
      out.append(reinterpret_cast<const char*>(data), static_cast<size_t>(size));
    }
    return out + std::exchange(raw_, {});
  }
  void input(std::string_view bytes_in) {
    const ssize_t taken =
        nghttp2_session_mem_recv(session_, reinterpret_cast<const uint8_t*>(bytes_in.data()), bytes_in.size());
    EXPECT_EQ(taken, static_cast<ssize_t>(bytes_in.size())) << nghttp2_strerror(static_cast<int>(taken));
  }

  StreamAnswer& answer(int32_t stream) { return answers_[stream]; }
  bool is_settled(int32_t stream) { return answers_[stream].complete || answers_[stream].reset; }
  std::optional<uint32_t> goaway() const { return goaway_; }
  size_t largest_frame() const { return largest_frame_; }
  size_t pongs() const { return pongs_; }

 private:
  struct Body {
    std::string text;
    bool open = false;
  };

  static uint8_t* bytes(std::string_view text) { return reinterpret_cast<uint8_t*>(const_cast<char*>(text.data())); }
  static Http2Peer& peer(void* user) { return *static_cast<Http2Peer*>(user); }

  static ssize_t read_body(nghttp2_session*, int32_t stream, uint8_t* buffer, size_t room, uint32_t* flags,
                           nghttp2_data_source*, void* user) {
    Body& body = peer(user).bodies_[stream];
    const size_t size = std::min(room, body.text.size());
    if (size == 0 && body.open) return NGHTTP2_ERR_DEFERRED;
    std::copy_n(body.text.data(), size, buffer);
    body.text.erase(0, size);
    if (body.text.empty() && !body.open) *flags |= NGHTTP2_DATA_FLAG_EOF;
    return static_cast<ssize_t>(size);
  }
  static int on_header(nghttp2_session*, const nghttp2_frame* frame, const uint8_t* name, size_t name_size,
                       const uint8_t* value, size_t value_size, uint8_t, void* user) {
    StreamAnswer& answer = peer(user).answers_[frame->hd.stream_id];
    const std::string key(reinterpret_cast<const char*>(name), name_size);
    const std::string text(reinterpret_cast<const char*>(value), value_size);
    answer.headers[key] = text;
    if (key != ":status") return 0;
    if (text == "100") {
      answer.continued = true;
    } else {
      answer.status = std::stoi(text);
    }
    return 0;
  }
  static int on_frame(nghttp2_session*, const nghttp2_frame* frame, void* user) {
    Http2Peer& self = peer(user);
    StreamAnswer& answer = self.answers_[frame->hd.stream_id];
    self.largest_frame_ = std::max(self.largest_frame_, frame->hd.length);
    switch (frame->hd.type) {
      case NGHTTP2_HEADERS:
      case NGHTTP2_DATA:
        if ((frame->hd.flags & NGHTTP2_FLAG_END_STREAM) != 0) answer.complete = true;
        break;
      case NGHTTP2_RST_STREAM:
        answer.reset = frame->rst_stream.error_code;
        break;
      case NGHTTP2_GOAWAY:
        self.goaway_ = frame->goaway.error_code;
        break;
      case NGHTTP2_PING:
        ++self.pongs_;
        break;
      default:
        break;
    }
    return 0;
  }
  static int on_content(nghttp2_session*, uint8_t, int32_t stream, const uint8_t* data, size_t size, void* user) {
    peer(user).answers_[stream].body.append(reinterpret_cast<const char*>(data), size);
    return 0;
  }

  nghttp2_session* session_ = nullptr;
  std::map<int32_t, Body> bodies_;
  std::map<int32_t, StreamAnswer> answers_;
  std::optional<uint32_t> goaway_;
  size_t largest_frame_ = 0;
  size_t pongs_ = 0;
  std::string raw_;
};

}  // namespace chandler::http::testing
