// For the tests of this folder: a session of HTTP/2 and a client beside each other, without sockets or threads and with
// a clock that is turned by hand.
#pragma once

#include <functional>
#include <memory>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "http/http2_session.h"
#include "http/http2_test_peer.h"

namespace chandler::http::testing {

// Times of the stages in these tests; all different, so that the wrong one shows.
inline constexpr std::chrono::milliseconds kTestHead{1'000};
inline constexpr std::chrono::milliseconds kTestBody{3'000};
inline constexpr std::chrono::milliseconds kTestWrite{5'000};
inline constexpr std::chrono::milliseconds kTestLinger{2'000};

class Http2Pair final : public Http2Host {
 public:
  using Answer = std::function<Response(const Request&)>;

  explicit Http2Pair(const Http2Limits& limits = {}, std::optional<uint32_t> window = std::nullopt)
      : peer(window), session_(std::make_unique<Http2Session>(*this, limits)) {
    session_->start();
  }

  Http2Session& session() { return *session_; }
  // Lets both sides talk until neither has more to say.
  void exchange() {
    for (bool more = true; more;) {
      const std::string asked = peer.output();
      if (!asked.empty()) session_->receive(asked);
      deliver_wakes();
      std::string said;
      session_->produce(said, kBudget);
      largest_output = std::max(largest_output, said.size());
      if (!said.empty()) peer.input(said);
      more = !asked.empty() || !said.empty() || !wakes_.empty();
    }
  }
  void pass(std::chrono::milliseconds time) {
    now_ += time;
    while (Deadline* expired = deadlines_.pop_expired(now_)) expired->expire();
    exchange();
  }
  void deliver_wakes() {
    for (const int32_t id : std::exchange(wakes_, {})) session_->wake(id);
  }

  // What the handler is: answers at once, unless `keep` says that the test answers later.
  Answer answer = [](const Request& request) {
    Response response;
    response.body = request.method_text + " " + request.target + " " + request.body;
    return response;
  };
  bool keep = false;
  std::vector<std::pair<int32_t, std::shared_ptr<Request>>> requests;
  bool broken_off = false;
  size_t largest_output = 0;
  Http2Peer peer;

  static constexpr size_t kBudget = 64 * 1024;

 private:
  class PairWaker final : public Waker {
   public:
    PairWaker(Http2Pair& pair, int32_t id) : pair_(pair), id_(id) {}
    void wake() override { pair_.wakes_.push_back(id_); }

   private:
    Http2Pair& pair_;
    const int32_t id_;
  };

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
    requests.emplace_back(stream, request);
    if (!keep) session_->respond(stream, answer(*request));
  }
  std::shared_ptr<Waker> make_waker(int32_t stream) override { return std::make_shared<PairWaker>(*this, stream); }
  void break_off() override { broken_off = true; }
  void changed() override {}

  Deadlines::Time now_{};
  Deadlines deadlines_{{std::chrono::milliseconds(500), std::chrono::milliseconds(10'000), kTestHead, kTestBody,
                        kTestWrite, kTestLinger}};
  std::vector<int32_t> wakes_;
  std::unique_ptr<Http2Session> session_;
};

// A source that the test talks through.
struct Script {
  std::string words;
  bool last = false;
  bool destroyed = false;
  size_t given = 0;
  std::shared_ptr<Waker> waker;

  void say(const std::string& more, bool is_last = false) {
    words += more;
    last = is_last;
    waker->wake();
  }
};

class ScriptSource final : public BodySource {
 public:
  explicit ScriptSource(std::shared_ptr<Script> script) : script_(std::move(script)) {}
  ~ScriptSource() override { script_->destroyed = true; }
  State fill(std::string& out, size_t) override {
    out += script_->words;
    script_->given += script_->words.size();
    script_->words.clear();
    return script_->last ? State::kEnd : State::kWaiting;
  }
  void shut_down() override {
    script_->words += "bye";
    script_->last = true;
  }

 private:
  const std::shared_ptr<Script> script_;
};

inline Response streaming(const std::shared_ptr<Script>& script) {
  Response response;
  response.source = std::make_unique<ScriptSource>(script);
  response.on_start = [script](std::shared_ptr<Waker> waker) { script->waker = std::move(waker); };
  return response;
}

// Gives pieces of a size that fits no frame, as fast as they are taken.
class PieceSource final : public BodySource {
 public:
  PieceSource(size_t size, size_t piece, size_t* given = nullptr) : left_(size), piece_(piece), given_(given) {}
  State fill(std::string& out, size_t budget) override {
    const size_t until = out.size() + budget;
    while (left_ > 0 && out.size() < until) {
      const size_t size = std::min(left_, piece_);
      out.append(size, static_cast<char>('a' + left_ % 26));
      left_ -= size;
      if (given_) *given_ += size;
    }
    return left_ == 0 ? State::kEnd : State::kMore;
  }

 private:
  size_t left_;
  const size_t piece_;
  size_t* const given_;
};

}  // namespace chandler::http::testing
