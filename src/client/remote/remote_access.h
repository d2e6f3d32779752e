// Access over SubjectAccessReviews: the server is asked once, and its answer is good for a while. Thread-safe.
#pragma once

#include <chrono>
#include <functional>
#include <map>
#include <memory>
#include <string>
#include <vector>

#include "base/clock.h"
#include "base/mutex.h"
#include "client/api.h"
#include "client/remote/back_off.h"
#include "client/remote/sender.h"

namespace chandler::client {

struct AccessOptions {
  std::chrono::seconds allowed_for{60};
  std::chrono::seconds denied_for{30};
  size_t max_answers = 10'000;
  std::chrono::milliseconds first_delay{500};  // after a question that got no answer
  std::chrono::milliseconds last_delay{30'000};
};

class RemoteAccess final : public Access {
 public:
  RemoteAccess(std::shared_ptr<Sender> sender, const Clock& clock, AccessOptions options);

  Decision may(const auth::Attributes& attributes) override CH_EXCLUDES(mutex_);
  void on_changed(std::function<void()> changed) override CH_EXCLUDES(mutex_);  // on the client's thread

 private:
  struct Known {
    Decision decision = Decision::kUnknown;  // kUnknown: being asked
    MonoTime until{};
  };
  void ask(const std::string& review) CH_EXCLUDES(mutex_);
  void on_answer(const std::string& review, const Result<json::Value>& answer) CH_EXCLUDES(mutex_);
  void make_room(MonoTime now) CH_REQUIRES(mutex_);

  const std::shared_ptr<Sender> sender_;
  const Clock& clock_;
  const AccessOptions options_;
  BackOff back_off_;  // of the task thread

  Mutex mutex_;
  std::map<std::string, Known> known_ CH_GUARDED_BY(mutex_);  // by the canonical review
  std::vector<std::function<void()>> changed_ CH_GUARDED_BY(mutex_);
};

// The SubjectAccessReview that asks for these attributes; without a user a SelfSubjectAccessReview.
json::Value access_review(const auth::Attributes& attributes);

}  // namespace chandler::client
