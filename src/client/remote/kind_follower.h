// Keeps a KindStore like the server's: lists in pages, then watches, resumes where a watch ended, lists again when the
// server has forgotten that point. Failures are tried again with growing delay. Everything runs on the sender's task
// thread, except what is said otherwise.
#pragma once

#include <atomic>
#include <chrono>
#include <functional>
#include <memory>
#include <string>
#include <vector>

#include "base/mutex.h"
#include "client/remote/back_off.h"
#include "client/remote/kind_store.h"
#include "client/remote/sender.h"
#include "client/resource_path.h"

namespace chandler::client {

struct FollowOptions {
  size_t page = 500;
  std::chrono::milliseconds first_delay{800};
  std::chrono::milliseconds last_delay{30'000};
  std::chrono::seconds watch_timeout{300};       // up to twice as long, by chance
  std::chrono::milliseconds short_watch{1'000};  // one that ends sooner without an event counts as a failure
};

class KindFollower : public std::enable_shared_from_this<KindFollower> {
 public:
  // `changed` runs after the store has changed or has seen more; the changes may be none.
  using Changed = std::function<void(const DocumentChanges& changes)>;
  KindFollower(std::shared_ptr<KindStore> store, std::shared_ptr<Sender> sender, FollowOptions options,
               Changed changed);

  void start();  // from any thread, once
  void stop();   // ends the stream; from any thread, when the task thread has stopped
  const KindStore& store() const { return *store_; }
  // Why it is behind now; "" when it is not. From any thread.
  std::string problem() const CH_EXCLUDES(problem_mutex_);

 private:
  struct Stream;

  void begin_list();
  void next_page();
  void on_page(Result<json::Value> answer);
  void finish_list(registry::Revision revision);
  void watch();
  void on_lines(const std::shared_ptr<Stream>& stream, const std::vector<std::string>& lines);
  // False: the stream is of no more use.
  bool on_event(std::string_view line);
  void on_end(const std::shared_ptr<Stream>& stream, const Result<void>& result);
  void drop_stream();
  void list_later(const Error& why);
  void watch_later(const Error& why);
  void after_pause(const Error& why, void (KindFollower::*next)());
  void report(std::string problem) CH_EXCLUDES(problem_mutex_);

  const std::shared_ptr<KindStore> store_;
  const std::shared_ptr<Sender> sender_;
  const FollowOptions options_;
  const Changed changed_;
  const Resource resource_;

  BackOff back_off_;
  size_t page_;  // smaller when pages turn out too large
  std::vector<registry::DocumentPtr> listing_;
  std::string continue_;
  std::shared_ptr<Stream> stream_;

  mutable Mutex problem_mutex_;
  std::string problem_ CH_GUARDED_BY(problem_mutex_);
};

}  // namespace chandler::client
