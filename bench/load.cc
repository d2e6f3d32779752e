// Load on a server: as many requests as it answers over N connections, each with one request at a time, from one
// thread.
//   bench_load --port P [--token T] --connections N (--count C | --milliseconds M) --get PATH
//   bench_load ... --get PATH --accept TYPE
//   bench_load ... --create configmaps|plans --first NUMBER [--groups G]
//   bench_load ... --change update|patch|apply --among K   (ConfigMaps item-0 to item-<K-1> in turn)
// Prints: requests, seconds, per_second, bytes (bodies of the answers), p50_us, p99_us.
#include <fmt/format.h>

#include <limits>
#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "changes.h"
#include "http_client.h"
#include "objects.h"
#include "tool.h"

namespace chandler::bench {
namespace {

struct Lane {
  explicit Lane(SSL_CTX& context, int port) : connection(context, port) {}
  Connection connection;
  ResponseReader reader;
  Clock::time_point sent;
};

class Load {
 public:
  explicit Load(const Args& args)
      : context_(client_context()),
        token_(args.text("token", "")),
        get_(args.text("get", "")),
        limit_(args.number("count", std::numeric_limits<int64_t>::max())),
        milliseconds_(args.number("milliseconds", 0)),
        next_(args.number("first", 0)) {
    if (const auto how = args.text("change", ""); !how.empty()) {
      changes_.emplace(how, args.number("among"), token_);
    } else if (get_.empty()) {
      objects_ = objects_of(args.text("create"), args.number("groups", 100));
      head_ = request_head("POST", objects_.path, token_, kObjectBytes);
    } else {
      request_ = request_head("GET", get_, token_);
      if (const auto accept = args.text("accept", ""); !accept.empty()) {
        request_.insert(request_.size() - 2, fmt::format("Accept: {}\r\n", accept));
      }
    }
    const int64_t connections = args.number("connections");
    for (int64_t i = 0; i < connections; ++i) {
      lanes_.push_back(std::make_unique<Lane>(*context_, static_cast<int>(args.number("port"))));
      poller_.add(lanes_.back()->connection.descriptor(), lanes_.size() - 1);
    }
  }

  void run() {
    const auto begin = Clock::now();
    end_ = milliseconds_ > 0 ? begin + std::chrono::milliseconds(milliseconds_) : Clock::time_point::max();
    for (auto& lane : lanes_) send_next(*lane, begin);
    while (busy_ > 0) {
      poller_.wait([this](size_t index) { read(*lanes_[index]); });
    }
    const double seconds = seconds_between(begin, Clock::now());
    const size_t requests = latencies_.size();
    fmt::print("requests={} seconds={:.3f} per_second={:.1f} bytes={} p50_us={:.1f} p99_us={:.1f}\n", requests, seconds,
               static_cast<double>(requests) / seconds, bytes_, percentile(latencies_, 0.5),
               percentile(latencies_, 0.99));
  }

 private:
  void send_next(Lane& lane, Clock::time_point now) {
    if (sent_ == limit_ || now >= end_) return;
    ++sent_;
    ++busy_;
    if (changes_) {
      request_ = changes_->next();
    } else if (get_.empty()) {
      request_ = head_;
      objects_.append(request_, next_++);
    }
    lane.sent = Clock::now();
    lane.connection.send(request_);
  }

  void read(Lane& lane) {
    for (auto bytes = lane.connection.receive(); !bytes.empty(); bytes = lane.connection.receive()) {
      if (!lane.reader.take(bytes)) continue;
      const auto now = Clock::now();
      if (lane.reader.status() != (get_.empty() && !changes_ ? 201 : 200)) {
        fail(fmt::format("answer {}: {}", lane.reader.status(), lane.reader.body_start()));
      }
      latencies_.push_back(seconds_between(lane.sent, now) * 1e6);
      bytes_ += lane.reader.body_bytes();
      --busy_;
      send_next(lane, now);
      return;  // the next answer cannot be there yet
    }
  }

  TlsContext context_;
  std::string token_;
  std::string get_;      // the path, or empty when objects are created
  std::string head_;     // of a request that creates; the same for all, as their bodies are equally long
  std::string request_;  // to be sent next
  Objects objects_{};
  std::optional<Changes> changes_;
  int64_t limit_;
  int64_t milliseconds_;
  int64_t next_;
  std::vector<std::unique_ptr<Lane>> lanes_;
  Poller poller_;
  Clock::time_point end_;
  int64_t sent_ = 0;
  int64_t busy_ = 0;
  uint64_t bytes_ = 0;
  std::vector<double> latencies_;
};

}  // namespace
}  // namespace chandler::bench

int main(int argc, char** argv) {
  chandler::bench::Load(chandler::bench::Args(argc, argv)).run();
  return 0;
}
