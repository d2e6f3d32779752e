#include "apiserver/watch_stream.h"

#include <algorithm>
#include <charconv>
#include <utility>

#include "apiserver/audit/audit_trail.h"
#include "apiserver/lanes/lanes.h"
#include "apiserver/request_metrics.h"
#include "apiserver/respond.h"
#include "apiserver/status.h"
#include "apiserver/table.h"
#include "base/pool.h"
#include "json/writer.h"

namespace chandler::apiserver {
namespace {

constexpr auto kTick = std::chrono::milliseconds(250);
constexpr auto kBookmarkEvery = std::chrono::seconds(50);
constexpr auto kBookmarkBeforeEnd = std::chrono::seconds(2);
constexpr size_t kEventsPerFill = 256;

std::string_view type_text(registry::EventType type) {
  switch (type) {
    case registry::EventType::kAdded:
      return "ADDED";
    case registry::EventType::kModified:
      return "MODIFIED";
    case registry::EventType::kDeleted:
      return "DELETED";
  }
  return "";
}

// The part that other threads may touch: told by the cache and the timer, it wakes the connection.
class WatchSignal final : public registry::Watcher, public WatchTimer::Client {
 public:
  void attach(std::shared_ptr<http::Waker> waker) {
    MutexLock lock(mutex_);
    waker_ = std::move(waker);
  }
  void notify() override { wake(); }
  void wake() override {
    std::shared_ptr<http::Waker> waker;
    {
      MutexLock lock(mutex_);
      waker = waker_;
    }
    if (waker != nullptr) waker->wake();
  }
  MonoTime due() const override { return MonoTime(MonoTime::duration(due_.load(std::memory_order_relaxed))); }
  void set_due(MonoTime due) { due_.store(due.time_since_epoch().count(), std::memory_order_relaxed); }

 private:
  mutable Mutex mutex_;
  std::shared_ptr<http::Waker> waker_ CH_GUARDED_BY(mutex_);
  std::atomic<MonoTime::rep> due_{MonoTime::max().time_since_epoch().count()};
};

class WatchSource final : public http::BodySource {
 public:
  // Of the call it keeps only what it needs: thousands of watches may be open.
  WatchSource(const Services& services, const Call& call, WatchStart start, std::shared_ptr<WatchSignal> signal)
      : services_(services), telling_(call), audit_(call.audit), start_(std::move(start)), signal_(std::move(signal)) {
    services_.request_metrics.watchers().add(1);
    next_bookmark_ = services_.clock.mono() + kBookmarkEvery;
    schedule();
  }
  ~WatchSource() override {
    services_.request_metrics.watchers().add(-1);
    audit_stream_end(services_, audit_.get());
  }

  State fill(std::string& out, size_t budget) override {
    const size_t until = out.size() + budget;
    while (initial_told_ < start_.initial.size()) {
      append(out, "ADDED", *start_.initial[initial_told_]);
      start_.initial[initial_told_++].reset();
      if (out.size() >= until) return State::kMore;
    }
    if (std::exchange(start_.mark_initial, false)) append_bookmark(out, true);
    if (ended_ || kind_changed()) return State::kEnd;

    events_.clear();
    auto told = services_.cache.changes(*telling_.kind, start_.query, start_.after, kEventsPerFill, events_);
    if (!told.ok()) {
      append_error(out, told.error());
      return State::kEnd;
    }
    start_.after = *told;
    for (const auto& event : events_) append(out, type_text(event.type), *event.document);
    if (events_.size() >= kEventsPerFill) return State::kMore;

    const auto now = services_.clock.mono();
    if (now >= start_.end) return State::kEnd;
    if (start_.bookmarks && now >= next_bookmark_) {
      append_bookmark(out, false);
      next_bookmark_ = now + kBookmarkEvery;
    }
    schedule();
    return State::kWaiting;
  }

  void shut_down() override { ended_ = true; }

 private:
  void schedule() {
    auto due = start_.end;
    if (start_.bookmarks) {
      // The last one shortly before the end lets the client resume without a gap.
      const auto before_end = start_.end - kBookmarkBeforeEnd;
      if (services_.clock.mono() < before_end) next_bookmark_ = std::min(next_bookmark_, before_end);
      due = std::min(due, next_bookmark_);
    }
    signal_->set_due(due);
  }

  bool kind_changed() const {
    return !telling_.kind->crd_uid.empty() &&
           services_.kinds.current()->find(telling_.kind->group, telling_.kind->plural) != telling_.kind;
  }

  void append(std::string& out, std::string_view type, const registry::Document& document) {
    out.append("{\"type\":\"").append(type).append("\",\"object\":");
    if (sends_stored_bytes(telling_)) {
      out.append(document.bytes());
    } else {
      json::write_to(out, shaped(document));
    }
    out.append("}\n");
  }

  json::Value shaped(const registry::Document& document) {
    json::Value object = in_version(telling_, document.parse());
    if (telling_.output.shape == Shape::kPartialMetadata) return partial_metadata(telling_.output, object);
    if (telling_.output.shape != Shape::kTable) return object;
    json::Array rows;
    rows.push_back(table_row(*telling_.version, telling_.output, object, services_.clock.now()));
    json::Array columns;
    if (!std::exchange(columns_told_, true)) columns = table_columns(*telling_.version);
    json::Object metadata;
    metadata["resourceVersion"] = std::to_string(document.revision());
    return make_table(telling_.output, std::move(columns), std::move(rows), std::move(metadata));
  }

  void append_bookmark(std::string& out, bool initial_end) {
    json::Object metadata;
    metadata["resourceVersion"] = std::to_string(start_.after);
    metadata["creationTimestamp"] = nullptr;
    if (initial_end) metadata["annotations"] = json::Object{{"k8s.io/initial-events-end", "true"}};
    json::Object object;
    object["kind"] = telling_.kind->kind;
    object["apiVersion"] = telling_.version->api_version;
    object["metadata"] = std::move(metadata);
    out.append("{\"type\":\"BOOKMARK\",\"object\":");
    json::write_to(out, shaped_bookmark(std::move(object)));
    out.append("}\n");
  }

  // A client that asked for a shape knows no other.
  json::Value shaped_bookmark(json::Object bookmark) const {
    if (telling_.output.shape == Shape::kPartialMetadata) return partial_metadata(telling_.output, bookmark);
    if (telling_.output.shape != Shape::kTable) return bookmark;
    auto& metadata = bookmark["metadata"].as_object();
    metadata.erase("creationTimestamp");
    return make_table(telling_.output, {}, {}, std::move(metadata));
  }

  static void append_error(std::string& out, const Error& error) {
    out.append("{\"type\":\"ERROR\",\"object\":");
    json::write_to(out, status_of(error));
    out.append("}\n");
  }

  const Services& services_;
  const Telling telling_;
  const std::shared_ptr<AuditTrail> audit_;
  WatchStart start_;
  const std::shared_ptr<WatchSignal> signal_;
  std::vector<registry::WatchEvent> events_;
  size_t initial_told_ = 0;
  MonoTime next_bookmark_{};
  bool columns_told_ = false;
  bool ended_ = false;
};

}  // namespace

WatchTimer::WatchTimer(const Clock& clock) : clock_(clock), thread_([this] { run(); }) {}

WatchTimer::~WatchTimer() {
  {
    MutexLock lock(mutex_);
    stopping_ = true;
    stop_signal_.notify_all();
  }
  thread_.join();
}

void WatchTimer::add(const std::shared_ptr<Client>& client) {
  MutexLock lock(mutex_);
  clients_.push_back(client);
}

void WatchTimer::run() {
  name_this_thread("watch-timer");
  std::vector<std::shared_ptr<Client>> due;
  while (true) {
    {
      MutexLock lock(mutex_);
      if (!stopping_) stop_signal_.wait_until(mutex_, std::chrono::steady_clock::now() + kTick);
      if (stopping_) return;
      const auto now = clock_.mono();
      std::erase_if(clients_, [&](const std::weak_ptr<Client>& weak) {
        auto client = weak.lock();
        if (client == nullptr) return true;
        if (client->due() <= now) due.push_back(std::move(client));
        return false;
      });
    }
    for (const auto& client : due) client->wake();
    due.clear();
    for (const auto& overdue : writes_.take_due(clock_.mono())) answer_overdue(overdue);
    if (auto* lanes = lanes_.load()) lanes->tick(clock_.mono());
  }
}

void start_watch(const Services& services, const CallPtr& call, WatchStart start) {
  auto signal = std::make_shared<WatchSignal>();
  services.cache.subscribe(*call->kind, signal);
  services.timer.add(signal);
  http::Response response;
  response.headers.set("Content-Type", "application/json");
  response.on_start = [signal](std::shared_ptr<http::Waker> waker) { signal->attach(std::move(waker)); };
  response.source = std::make_unique<WatchSource>(services, *call, std::move(start), signal);
  respond(services, *call, std::move(response));
}

}  // namespace chandler::apiserver
