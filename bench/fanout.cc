// One write, many watchers: how long until the last of them has the event.
//   bench_fanout --port P --token T --watchers N --rounds R --revision V --first NUMBER
// All watchers follow ConfigMaps from revision V, which must be the newest; each round creates one ConfigMap. The time
// of a round runs from the answer to the write, or from the first event if that is earlier, to the last event. Prints:
// p50_us, from_request_us (the same, but from the sending of the write), event_bytes (as framed for HTTP).
#include <fmt/format.h>

#include <algorithm>
#include <memory>
#include <string>
#include <vector>

#include "http_client.h"
#include "objects.h"
#include "tool.h"

namespace chandler::bench {
namespace {

class Fanout {
 public:
  explicit Fanout(const Args& args)
      : context_(client_context()),
        token_(args.text("token")),
        objects_(objects_of("configmaps", 100)),
        next_(args.number("first")),
        rounds_(args.number("rounds")),
        writer_(*context_, static_cast<int>(args.number("port"))) {
    const auto watchers = static_cast<size_t>(args.number("watchers"));
    const std::string request = request_head(
        "GET", objects_.path + "?watch=1&timeoutSeconds=600&resourceVersion=" + args.text("revision"), token_);
    for (size_t i = 0; i < watchers; ++i) {
      watchers_.push_back(std::make_unique<Connection>(*context_, static_cast<int>(args.number("port"))));
      poller_.add(watchers_.back()->descriptor(), i);
      watchers_.back()->send(request);
    }
    got_.resize(watchers);
  }

  void run() {
    await_heads();
    poller_.add(writer_.descriptor(), watchers_.size());
    std::vector<double> times;
    for (int64_t i = 0; i < rounds_; ++i) {
      round();
      times.push_back(seconds_between(std::min(answered_, first_event_), last_event_) * 1e6);
    }
    fmt::print("p50_us={:.1f} event_bytes={}\n", percentile(times, 0.5), got_[0].size());
  }

 private:
  void await_heads() {
    size_t waiting = watchers_.size();
    while (waiting > 0) {
      poller_.wait([&](size_t index) {
        for (auto bytes = watchers_[index]->receive(); !bytes.empty(); bytes = watchers_[index]->receive()) {
          got_[index] += bytes;
        }
        if (!got_[index].ends_with("\r\n\r\n")) return;
        if (!got_[index].starts_with("HTTP/1.1 200")) fail(fmt::format("a watch was refused: {}", got_[index]));
        --waiting;
      });
    }
  }

  void round() {
    for (auto& text : got_) text.clear();
    const std::string body = objects_.make(next_++);
    const std::string request = request_head("POST", objects_.path, token_, body.size()) + body;
    first_event_ = Clock::time_point::max();
    size_t waiting = watchers_.size() + 1;
    writer_.send(request);
    while (waiting > 0) {
      poller_.wait([&](size_t index) {
        if (index < watchers_.size() ? read_event(index) : read_answer()) --waiting;
      });
    }
  }

  bool read_event(size_t index) {
    auto& text = got_[index];
    for (auto bytes = watchers_[index]->receive(); !bytes.empty(); bytes = watchers_[index]->receive()) text += bytes;
    if (!text.ends_with("}\n\r\n")) return false;
    last_event_ = Clock::now();
    first_event_ = std::min(first_event_, last_event_);
    return true;
  }

  bool read_answer() {
    for (auto bytes = writer_.receive(); !bytes.empty(); bytes = writer_.receive()) {
      if (!answer_.take(bytes)) continue;
      if (answer_.status() != 201) fail(fmt::format("answer {}: {}", answer_.status(), answer_.body_start()));
      answered_ = Clock::now();
      return true;
    }
    return false;
  }

  TlsContext context_;
  std::string token_;
  Objects objects_;
  int64_t next_;
  int64_t rounds_;
  Connection writer_;
  ResponseReader answer_;
  std::vector<std::unique_ptr<Connection>> watchers_;
  std::vector<std::string> got_;  // by watcher, in this round
  Poller poller_;
  Clock::time_point answered_;
  Clock::time_point first_event_;
  Clock::time_point last_event_;
};

}  // namespace
}  // namespace chandler::bench

int main(int argc, char** argv) {
  chandler::bench::Fanout(chandler::bench::Args(argc, argv)).run();
  return 0;
}
