// For tests that send requests through a whole ApiServer without sockets: a place for the answers, and the parts of the
// server that such a test does not look at.
#pragma once

#include <string>
#include <string_view>
#include <vector>

#include "auth/service_account_tokens.h"
#include "base/mutex.h"
#include "http/message.h"

namespace chandler::apiserver::testing {

class NoAccounts final : public auth::ServiceAccountLookup {
 public:
  std::optional<std::string> uid_of(std::string_view, std::string_view) const override { return std::nullopt; }
  std::optional<std::string> bound_uid(std::string_view, std::string_view, std::string_view) const override {
    return std::nullopt;
  }
};

// Thread-safe.
struct Answers {
  Mutex mutex;
  CondVar arrived;
  std::vector<http::Response> all CH_GUARDED_BY(mutex);

  void add(http::Response response) {
    MutexLock lock(mutex);
    all.push_back(std::move(response));
    arrived.notify_all();
  }
  // Waits until an answer has arrived. The time limit of the test program stops a server that never answers.
  void wait() CH_REQUIRES(mutex) {
    while (all.empty()) arrived.wait(mutex);
  }

  size_t count() {
    MutexLock lock(mutex);
    return all.size();
  }
  void clear() {
    MutexLock lock(mutex);
    all.clear();
  }
  // Status and body of the first.
  std::string first() {
    MutexLock lock(mutex);
    return all.empty() ? "" : std::to_string(all.front().status) + " " + all.front().body;
  }
};

class FakeResponder final : public http::Responder {
 public:
  explicit FakeResponder(Answers& answers) : answers_(answers) {}
  void send(http::Response response) override { answers_.add(std::move(response)); }

 private:
  Answers& answers_;
};

}  // namespace chandler::apiserver::testing
