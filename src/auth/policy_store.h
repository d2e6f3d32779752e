// The policy in force, kept up to date object by object. Thread-safe: current() gives a snapshot that stays as it is,
// and reflects every apply() that returned before.
#pragma once

#include <memory>
#include <string_view>
#include <vector>

#include "auth/policy.h"
#include "base/mutex.h"

namespace chandler::auth {

class PolicyStore {
 public:
  void load(const std::vector<json::Value>& objects) CH_EXCLUDES(mutex_);  // many at once, cheaper than one by one
  void apply(const json::Value& object) CH_EXCLUDES(mutex_);
  void remove(std::string_view kind, std::string_view ns, std::string_view name) CH_EXCLUDES(mutex_);
  std::shared_ptr<const Policy> current() const CH_EXCLUDES(mutex_);

 private:
  template <typename Change>
  void change(Change change) CH_EXCLUDES(mutex_);

  Mutex writers_;  // one change at a time; readers do not wait for it
  mutable Mutex mutex_;
  std::shared_ptr<const Policy> current_ CH_GUARDED_BY(mutex_) = std::make_shared<Policy>();
};

}  // namespace chandler::auth
