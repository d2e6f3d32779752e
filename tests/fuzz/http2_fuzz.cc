// Feeds bytes to a session of HTTP/2 the way a connection does, without sockets. The first byte chooses how large the
// pieces are, whether the client's preface is put in front, and whether the client reads. Whatever comes: what is kept
// stays within the limits, and the session either goes on or says that it is over.
#include <algorithm>
#include <chrono>
#include <cstdint>
#include <map>
#include <memory>
#include <string>
#include <string_view>
#include <vector>

#include "base/check.h"
#include "http/http2_session.h"

namespace {

using chandler::http::BodySource;
using chandler::http::Deadline;
using chandler::http::Deadlines;
using chandler::http::FrameScanner;
using chandler::http::Http2Host;
using chandler::http::Http2Limits;
using chandler::http::Http2Session;
using chandler::http::Method;
using chandler::http::Request;
using chandler::http::Response;
using chandler::http::Stage;
using chandler::http::Waker;
using std::chrono::milliseconds;

constexpr size_t kBudget = 8 * 1024;
constexpr size_t kLargestFrame = 16 * 1024;
constexpr std::string_view kSettings{"\0\0\0\x04\0\0\0\0\0", 9};

Http2Limits fuzz_limits() {
  Http2Limits limits;
  limits.max_streams = 8;
  limits.max_header_bytes = 16 * 1024;  // a block may decode to more than every head may for free
  limits.max_body_bytes = 4096;
  limits.max_held_bytes = 8192;
  limits.resets = {20, 5};
  limits.idle_frames = {200, 20};
  limits.decoded_bytes = {4096, 512};
  return limits;
}

class FuzzSource final : public BodySource {
 public:
  State fill(std::string& out, size_t budget) override {
    if (++fills_ > 20) return State::kEnd;
    out.append(fills_ % 3 == 0 ? budget * 2 : 100, 'x');
    return fills_ % 2 == 0 ? State::kMore : State::kWaiting;
  }
  void shut_down() override { fills_ = 20; }

 private:
  int fills_ = 0;
};

class FuzzHost final : public Http2Host {
 public:
  FuzzHost() : session_(*this, fuzz_limits()) { session_.start(); }
  ~FuzzHost() = default;
  FuzzHost(const FuzzHost&) = delete;
  FuzzHost& operator=(const FuzzHost&) = delete;

  void feed(std::string_view bytes) {
    session_.receive(bytes);
    now_ += milliseconds(7);
    CH_CHECK(session_.streams() <= fuzz_limits().max_streams);
  }
  void read() {
    std::string out;
    session_.produce(out, kBudget);
    CH_CHECK(out.size() <= kBudget + 2 * kLargestFrame);
  }
  void let_time_pass() {
    now_ += milliseconds(300);
    while (Deadline* expired = deadlines_.pop_expired(now_)) expired->expire();
  }
  void answer_one() {
    if (open_.empty()) return;
    const auto next = open_.begin();
    const int32_t id = next->first;
    Response response = answer_to(*next->second);
    open_.erase(next);
    session_.respond(id, std::move(response));
  }
  void wake_all() {
    for (const int32_t id : woken_) session_.wake(id);
  }
  void finish() {
    session_.drain();
    while (!open_.empty()) answer_one();
    wake_all();
    read();
    session_.end();
    CH_CHECK(session_.is_over());
  }

 private:
  class NoWaker final : public Waker {
   public:
    void wake() override {}
  };

  static Response answer_to(const Request& request) {
    Response response;
    if (request.target.size() % 3 == 1) {
      response.source = std::make_unique<FuzzSource>();
    } else {
      response.body.assign(request.target.size() * 50, 'b');
    }
    if (request.method == Method::kDelete) response.status = 204;
    return response;
  }

  std::string_view date() override { return "Sun, 06 Nov 1994 08:49:37 GMT"; }
  std::chrono::steady_clock::time_point now() override { return now_; }
  void arm(Deadline& entry, Stage stage) override { deadlines_.arm(entry, stage, now_); }
  Response error_page(int status, std::string_view what) override {
    Response response;
    response.status = status;
    response.body = what;
    return response;
  }
  void handle(int32_t stream, std::shared_ptr<Request> request) override {
    CH_CHECK(request->body.size() <= fuzz_limits().max_body_bytes);
    for (const auto& [name, value] : request->headers.fields()) {
      CH_CHECK(!name.empty() && name[0] != ':' && value.find('\n') == std::string::npos);
    }
    CH_CHECK(!request->method_text.empty());
    if (request->method == Method::kPut) {
      CH_CHECK(open_.emplace(stream, std::move(request)).second);
    } else {
      session_.respond(stream, answer_to(*request));
    }
  }
  std::shared_ptr<Waker> make_waker(int32_t stream) override {
    woken_.push_back(stream);
    return std::make_shared<NoWaker>();
  }
  void break_off() override {}
  void changed() override {}

  Deadlines::Time now_{};
  Deadlines deadlines_{{milliseconds(500), milliseconds(1'000), milliseconds(700), milliseconds(900), milliseconds(800),
                        milliseconds(600)}};
  std::map<int32_t, std::shared_ptr<Request>> open_;
  std::vector<int32_t> woken_;
  Http2Session session_;
};

}  // namespace

extern "C" int LLVMFuzzerTestOneInput(const uint8_t* data, size_t size) {
  if (size == 0) return 0;
  std::string_view bytes(reinterpret_cast<const char*>(data) + 1, size - 1);
  const size_t piece = (data[0] & 0x0F) == 0 ? bytes.size() + 1 : data[0] & 0x0F;
  const bool reads = (data[0] & 0x10) == 0;
  FuzzHost host;
  if ((data[0] & 0x20) == 0) {
    host.feed(FrameScanner::kPreface);
    host.feed(kSettings);
  }
  for (size_t turn = 0; !bytes.empty(); ++turn) {
    host.feed(bytes.substr(0, piece));
    bytes.remove_prefix(std::min(piece, bytes.size()));
    if (reads) host.read();
    if (turn % 8 == 0) host.answer_one();
    if (turn % 16 == 0) host.wake_all();
    if ((data[0] & 0x40) != 0 && turn % 32 == 0) host.let_time_pass();
  }
  host.finish();
  return 0;
}
