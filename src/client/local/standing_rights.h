// What the access rules allow an identity everywhere: in all namespaces and under all names. Controllers ask before
// every write, so answers are kept until the rules change. Thread-safe.
#pragma once

#include <memory>
#include <string>
#include <string_view>
#include <vector>

#include "auth/policy_store.h"
#include "base/mutex.h"
#include "registry/kind.h"

namespace chandler::client {

class StandingRights {
 public:
  StandingRights(const auth::PolicyStore& policy, const auth::User& user) : policy_(policy), user_(user) {}
  StandingRights(const StandingRights&) = delete;
  StandingRights& operator=(const StandingRights&) = delete;

  // False: refused, or it depends on the namespace or the name.
  bool allow(std::string_view verb, const registry::Kind& kind, std::string_view subresource) CH_EXCLUDES(mutex_);

 private:
  struct Answer {
    std::string verb, group, resource, subresource;
    bool allowed = false;
  };

  const auth::PolicyStore& policy_;
  const auth::User& user_;
  Mutex mutex_;
  std::shared_ptr<const auth::Policy> asked_ CH_GUARDED_BY(mutex_);  // whose answers these are
  std::vector<Answer> answers_ CH_GUARDED_BY(mutex_);
};

}  // namespace chandler::client
