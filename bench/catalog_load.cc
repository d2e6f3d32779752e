// Instances or bindings until they are Ready: N at a time, the next one is created when one has become Ready.
//   bench_catalog_load --port P --token T --revision V --create instances|bindings --parallel N --count C
//     [--first NUMBER] [--classes C --plans P] [--class NAME --plan NAME] [--wait 0]
// Instance i-K gets plan K of the generated catalog, or the named class and plan; binding b-K is of instance i-K. V is
// the server's revision, from which on the collection is watched. With --wait 0 all are created and none is awaited.
// Prints: seconds, per_second, p50_us, p99_us (from sending the create to the event that shows it Ready).
#include <fmt/format.h>

#include <deque>
#include <memory>
#include <string>
#include <unordered_map>
#include <vector>

#include "catalog_watch.h"
#include "http_client.h"
#include "tool.h"

namespace chandler::bench {
namespace {

constexpr std::string_view kCollections = "/apis/servicecatalog.k8s.io/v1beta1/namespaces/default/";

// What is created, by number.
class Wanted {
 public:
  explicit Wanted(const Args& args)
      : bindings_(args.text("create") == "bindings"),
        classes_(args.number("classes", 100)),
        plans_(args.number("plans", 10)),
        class_(args.text("class", "")),
        plan_(args.text("plan", "")) {}

  std::string collection() const {
    return std::string(kCollections) + (bindings_ ? "servicebindings" : "serviceinstances");
  }
  std::string name(int64_t number) const { return fmt::format("{}-{}", bindings_ ? "b" : "i", number); }
  std::string body(int64_t number) const {
    const std::string spec = bindings_ ? fmt::format(R"("instanceRef":{{"name":"i-{}"}})", number) : instance(number);
    return fmt::format(R"({{"apiVersion":"servicecatalog.k8s.io/v1beta1","kind":"{}","metadata":{{"name":"{}"}},)"
                       R"("spec":{{{}}}}})",
                       bindings_ ? "ServiceBinding" : "ServiceInstance", name(number), spec);
  }

 private:
  std::string instance(int64_t number) const {
    const auto service = class_.empty() ? fmt::format("generated-{}", number % classes_) : class_;
    const auto plan = plan_.empty() ? fmt::format("plan-{}", number / classes_ % plans_) : plan_;
    return fmt::format(R"("clusterServiceClassExternalName":"{}","clusterServicePlanExternalName":"{}",)"
                       R"("parameters":{{"number":{},"purpose":"a measurement"}})",
                       service, plan, number);
  }

  bool bindings_;
  int64_t classes_;
  int64_t plans_;
  std::string class_;
  std::string plan_;
};

struct Lane {
  Lane(SSL_CTX& context, int port) : connection(context, port) {}
  Connection connection;
  ResponseReader reader;
  std::string name;    // of what it has created
  bool busy = false;   // its create is not answered yet
  bool ready = false;  // before the answer to its create was read
  Clock::time_point sent;
};

class CatalogLoad {
 public:
  explicit CatalogLoad(const Args& args)
      : context_(client_context()),
        wanted_(args),
        token_(args.text("token")),
        next_(args.number("first", 0)),
        left_(args.number("count")),
        waits_(args.number("wait", 1) != 0),
        watch_(*context_, static_cast<int>(args.number("port")), wanted_.collection(), args.text("revision"), token_) {
    const auto parallel = static_cast<size_t>(args.number("parallel"));
    for (size_t i = 0; i < parallel; ++i) {
      lanes_.push_back(std::make_unique<Lane>(*context_, static_cast<int>(args.number("port"))));
      poller_.add(lanes_.back()->connection.descriptor(), i);
    }
    poller_.add(watch_.descriptor(), parallel);
  }

  void run() {
    const auto begin = Clock::now();
    for (size_t i = 0; i < lanes_.size(); ++i) create_next(i);
    while (!by_name_.empty()) {
      poller_.wait([this](size_t index) {
        if (index == lanes_.size()) {
          watch_.read([this](const std::string& name) { became_ready(name); });
        } else {
          read_answer(index);
        }
      });
    }
    const double seconds = seconds_between(begin, Clock::now());
    fmt::print("seconds={:.3f} per_second={:.1f} p50_us={:.1f} p99_us={:.1f}\n", seconds,
               static_cast<double>(latencies_.size()) / seconds, percentile(latencies_, 0.5),
               percentile(latencies_, 0.99));
  }

 private:
  void create_next(size_t index) {
    if (left_ == 0) return;
    --left_;
    Lane& lane = *lanes_[index];
    lane.name = wanted_.name(next_);
    const std::string body = wanted_.body(next_++);
    by_name_.emplace(lane.name, index);
    lane.busy = true;
    lane.ready = false;
    lane.sent = Clock::now();
    lane.connection.send(request_head("POST", wanted_.collection(), token_, body.size()) + body);
  }

  void read_answer(size_t index) {
    Lane& lane = *lanes_[index];
    for (auto bytes = lane.connection.receive(); !bytes.empty(); bytes = lane.connection.receive()) {
      if (!lane.reader.take(bytes)) continue;
      if (lane.reader.status() != 201) {
        fail(fmt::format("{}: answer {}: {}", lane.name, lane.reader.status(), lane.reader.body_start()));
      }
      lane.busy = false;
      if (lane.ready || !waits_) end(index);
      return;
    }
  }

  void became_ready(const std::string& name) {
    const auto found = by_name_.find(name);
    if (found == by_name_.end() || !waits_) return;
    Lane& lane = *lanes_[found->second];
    if (lane.busy) {
      lane.ready = true;
    } else {
      end(found->second);
    }
  }

  void end(size_t index) {
    latencies_.push_back(seconds_between(lanes_[index]->sent, Clock::now()) * 1e6);
    by_name_.erase(lanes_[index]->name);
    create_next(index);
  }

  TlsContext context_;
  Wanted wanted_;
  std::string token_;
  int64_t next_;
  int64_t left_;
  bool waits_;
  ReadyWatch watch_;
  std::vector<std::unique_ptr<Lane>> lanes_;
  std::unordered_map<std::string, size_t> by_name_;  // what is under way: its lane
  Poller poller_;
  std::vector<double> latencies_;
};

}  // namespace
}  // namespace chandler::bench

int main(int argc, char** argv) {
  chandler::bench::CatalogLoad(chandler::bench::Args(argc, argv)).run();
  return 0;
}
