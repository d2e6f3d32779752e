// Many watchers that have nothing to watch: what each costs the server.
//   bench_watchers --port P --token T --pid SERVER --revision V --connections N --streams M
// With M streams per connection over HTTP/2; M = 0 is one watch per connection over HTTP/1.1. All follow ConfigMaps
// from revision V, which must be the newest. Prints, in bytes of the server's resident memory: connection_bytes (a
// connection without any request) and watcher_bytes (a watch without its connection), watchers.
#include <fmt/format.h>
#include <nghttp2/nghttp2.h>

#include <chrono>
#include <fstream>
#include <memory>
#include <string>
#include <thread>
#include <vector>

#include "http_client.h"
#include "objects.h"
#include "tool.h"

namespace chandler::bench {
namespace {

int64_t resident_bytes(int64_t pid) {
  std::ifstream status(fmt::format("/proc/{}/status", pid));
  for (std::string line; std::getline(status, line);) {
    if (line.starts_with("VmRSS:")) return std::stoll(line.substr(6)) * 1024;
  }
  fail("there is no such process");
}

// Until the server has given back what it does not need for waiting: three readings in a row that agree.
int64_t settled_bytes(int64_t pid) {
  int64_t last = 0;
  for (int same = 0, i = 0; same < 3 && i < 60; ++i) {
    std::this_thread::sleep_for(std::chrono::milliseconds(500));
    const int64_t now = resident_bytes(pid);
    same = std::abs(now - last) <= now / 100 ? same + 1 : 0;
    last = now;
  }
  return last;
}

// One connection and its watches.
class Lane {
 public:
  Lane(SSL_CTX& context, int port, size_t streams) : connection_(context, port), streams_(streams) {
    if (streams == 0) return;
    nghttp2_session_callbacks* callbacks = nullptr;
    nghttp2_session_callbacks_new(&callbacks);
    nghttp2_session_callbacks_set_on_frame_recv_callback(
        callbacks, [](nghttp2_session*, const nghttp2_frame* frame, void* user) {
          if (frame->hd.type == NGHTTP2_HEADERS) ++static_cast<Lane*>(user)->heads_;
          return frame->hd.type == NGHTTP2_GOAWAY || frame->hd.type == NGHTTP2_RST_STREAM ? NGHTTP2_ERR_CALLBACK_FAILURE
                                                                                          : 0;
        });
    nghttp2_session_client_new(&session_, callbacks, this);
    nghttp2_session_callbacks_del(callbacks);
    nghttp2_submit_settings(session_, NGHTTP2_FLAG_NONE, nullptr, 0);
    flush();
  }
  ~Lane() { nghttp2_session_del(session_); }
  Lane(const Lane&) = delete;
  Lane& operator=(const Lane&) = delete;

  int descriptor() const { return connection_.descriptor(); }
  size_t wanted() const { return std::max<size_t>(1, streams_); }

  void watch(const std::string& path, const std::string& token) {
    if (session_ == nullptr) return connection_.send(request_head("GET", path, token));
    const std::string bearer = "Bearer " + token;
    const auto field = [](std::string_view name, std::string_view value) {
      return nghttp2_nv{reinterpret_cast<uint8_t*>(const_cast<char*>(name.data())),
                        reinterpret_cast<uint8_t*>(const_cast<char*>(value.data())), name.size(), value.size(),
                        NGHTTP2_NV_FLAG_NONE};
    };
    const std::vector<nghttp2_nv> fields = {field(":method", "GET"), field(":scheme", "https"),
                                            field(":authority", "127.0.0.1"), field(":path", path),
                                            field("authorization", bearer)};
    for (size_t i = 0; i < streams_; ++i) {
      nghttp2_submit_request(session_, nullptr, fields.data(), fields.size(), nullptr, nullptr);
    }
    flush();
  }

  // True when the last head has come.
  bool read() {
    const size_t before = heads_;
    for (auto bytes = connection_.receive(); !bytes.empty(); bytes = connection_.receive()) {
      if (session_ == nullptr) {
        text_ += bytes;
        if (text_.ends_with("\r\n\r\n") && text_.starts_with("HTTP/1.1 200")) heads_ = 1;
      } else if (nghttp2_session_mem_recv(session_, reinterpret_cast<const uint8_t*>(bytes.data()), bytes.size()) < 0) {
        fail("a watch was refused");
      }
    }
    if (session_ != nullptr) flush();
    return heads_ > before && heads_ == wanted();
  }

 private:
  void flush() {
    std::string out;
    const uint8_t* bytes = nullptr;
    for (ssize_t size = nghttp2_session_mem_send(session_, &bytes); size > 0;
         size = nghttp2_session_mem_send(session_, &bytes)) {
      out.append(reinterpret_cast<const char*>(bytes), static_cast<size_t>(size));
    }
    if (!out.empty()) connection_.send(out);
  }

  Connection connection_;
  const size_t streams_;
  nghttp2_session* session_ = nullptr;
  size_t heads_ = 0;
  std::string text_;
};

void run(const Args& args) {
  const auto streams = static_cast<size_t>(args.number("streams"));
  const int64_t pid = args.number("pid");
  const TlsContext context = client_context(streams > 0);
  const std::string path =
      objects_of("configmaps", 100).path + "?watch=1&timeoutSeconds=600&resourceVersion=" + args.text("revision");
  const int64_t before = settled_bytes(pid);
  std::vector<std::unique_ptr<Lane>> lanes;
  Poller poller;
  for (int64_t i = 0; i < args.number("connections"); ++i) {
    lanes.push_back(std::make_unique<Lane>(*context, static_cast<int>(args.number("port")), streams));
    poller.add(lanes.back()->descriptor(), lanes.size() - 1);
  }
  const int64_t connected = settled_bytes(pid);
  for (auto& lane : lanes) lane->watch(path, args.text("token"));
  for (size_t waiting = lanes.size(); waiting > 0;) {
    poller.wait([&](size_t index) {
      if (lanes[index]->read()) --waiting;
    });
  }
  const int64_t watching = settled_bytes(pid);
  const size_t watchers = lanes.size() * lanes[0]->wanted();
  fmt::print("connection_bytes={:.0f} watcher_bytes={:.0f} watchers={}\n",
             static_cast<double>(connected - before) / static_cast<double>(lanes.size()),
             static_cast<double>(watching - connected) / static_cast<double>(watchers), watchers);
}

}  // namespace
}  // namespace chandler::bench

int main(int argc, char** argv) {
  chandler::bench::run(chandler::bench::Args(argc, argv));
  return 0;
}
