#include "client/local/local_api.h"

#include <utility>

namespace chandler::client {

auth::User service_account(std::string_view ns, std::string_view name) {
  auth::User user;
  user.name = auth::service_account_user(ns, name);
  user.groups = auth::service_account_groups(ns);
  user.groups.emplace_back(auth::kAuthenticated);
  return user;
}

Access::Decision LocalAccess::may(const auth::Attributes& attributes) {
  auto asked = attributes;
  if (asked.user == nullptr) asked.user = &self_;
  return policy_.current()->authorize(asked).allowed ? Decision::kAllowed : Decision::kDenied;
}

LocalApi::LocalApi(const registry::KindTable& kinds, registry::Cache& cache, registry::Objects& objects,
                   const auth::PolicyStore& policy, const auth::User& identity)
    : state_(kinds, cache, policy, identity), writer_(kinds, objects, policy, identity), access_(policy, identity) {}

}  // namespace chandler::client
