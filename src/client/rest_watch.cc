// Rest::watch: lines come on the HTTP client's thread, events are handled on the caller's.
#include <deque>
#include <utility>

#include "base/mutex.h"
#include "client/line_splitter.h"
#include "client/rest.h"
#include "client/selection.h"
#include "client/status_error.h"
#include "json/reader.h"

namespace chandler::client {
namespace {

constexpr size_t kMaxLine = 16 * 1024 * 1024;
constexpr size_t kMaxWaiting = 64 * 1024 * 1024;   // bytes that the caller has not looked at yet
constexpr auto kGrace = std::chrono::seconds(30);  // beyond the time after which the server should have ended it

// Between the two threads.
class Lines {
 public:
  bool add(std::string_view piece) CH_EXCLUDES(mutex_) {
    return splitter_.add(piece, [this](std::string_view line) {
      MutexLock lock(mutex_);
      bytes_ += line.size();
      lines_.emplace_back(line);
      wake_.notify_one();
      return bytes_ <= kMaxWaiting;
    });
  }
  void end(http::ClientOutcome outcome) CH_EXCLUDES(mutex_) {
    MutexLock lock(mutex_);
    outcome_ = std::move(outcome);
    wake_.notify_one();
  }
  // False: the stream has ended and every line was handed out.
  bool next(std::string& line) CH_EXCLUDES(mutex_) {
    MutexLock lock(mutex_);
    while (lines_.empty() && !outcome_) wake_.wait(mutex_);
    if (lines_.empty()) return false;
    line = std::move(lines_.front());
    lines_.pop_front();
    bytes_ -= line.size();
    return true;
  }
  http::ClientOutcome outcome() CH_EXCLUDES(mutex_) {
    MutexLock lock(mutex_);
    while (!outcome_) wake_.wait(mutex_);
    return *outcome_;
  }

 private:
  LineSplitter splitter_{kMaxLine};  // of the HTTP client's thread
  Mutex mutex_;
  CondVar wake_;
  std::deque<std::string> lines_ CH_GUARDED_BY(mutex_);
  size_t bytes_ CH_GUARDED_BY(mutex_) = 0;
  std::optional<http::ClientOutcome> outcome_ CH_GUARDED_BY(mutex_);
};

std::string path_of(const Resource& resource, const WatchRequest& request) {
  QueryParameters parameters{
      {"watch", "1"}, {"allowWatchBookmarks", "true"}, {"timeoutSeconds", std::to_string(request.timeout.count())}};
  std::string fields = request.field_selector;
  if (!request.name.empty()) {
    fields += (fields.empty() ? "" : ",") + field_selector({{"metadata.name", request.name}});
  }
  if (!request.resource_version.empty()) parameters.emplace_back("resourceVersion", request.resource_version);
  if (!request.label_selector.empty()) parameters.emplace_back("labelSelector", request.label_selector);
  if (!fields.empty()) parameters.emplace_back("fieldSelector", fields);
  return resource_path(resource, request.ns) + query_text(parameters);
}

// False: the caller has had enough.
Result<bool> hand_over(const std::string& line,
                       const std::function<bool(std::string_view type, json::Value object)>& event) {
  CH_TRY_LET(parsed, json::parse(line));
  const auto type = json::string_or(parsed, "type");
  auto* object = json::find(parsed, "object");
  if (object == nullptr || !object->is_object()) return unavailable("the server sent a watch event without an object");
  if (type == "ERROR") return error_of_status(*object);
  return event(type, std::move(*object));
}

}  // namespace

Result<void> Rest::watch(const Resource& resource, const WatchRequest& request,
                         const std::function<bool(std::string_view type, json::Value object)>& event) {
  CH_TRY_LET(made, connection_.request("GET", path_of(resource, request)));
  const auto lines = std::make_shared<Lines>();
  made.timeout = request.timeout + kGrace;
  made.on_piece = [lines](std::string_view piece) { return lines->add(piece); };
  const auto ticket =
      client_.send(std::move(made), [lines](http::ClientOutcome outcome) { lines->end(std::move(outcome)); });
  std::string line;
  Result<void> failed;
  bool enough = false;
  while (!enough && failed.ok() && lines->next(line)) {
    auto go_on = hand_over(line, event);
    if (!go_on.ok()) {
      failed = std::move(go_on).error();
    } else {
      enough = !*go_on;
    }
  }
  if (enough || !failed.ok()) {
    client_.cancel(ticket);
    return failed;
  }
  const auto outcome = lines->outcome();
  note(outcome);
  if (!outcome.ok()) return error_of_failure(outcome.error(), connection_.server);
  if (outcome->status < 200 || outcome->status > 299) return error_of_response(*outcome);
  return {};
}

}  // namespace chandler::client
