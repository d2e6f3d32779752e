// Writer over registry::Objects.
#pragma once

#include <memory>

#include "auth/policy_store.h"
#include "client/api.h"
#include "client/local/standing_rights.h"
#include "registry/kinds.h"
#include "registry/objects.h"

namespace chandler::client {

class LocalWriter final : public Writer {
 public:
  LocalWriter(const registry::KindTable& kinds, registry::Objects& objects, const auth::PolicyStore& policy,
              auth::User identity);
  // `done` may run before this returns (refused, nothing to do), otherwise on the store's thread.
  void write(Write write, Done done) override;
  // Not while there are admission webhooks: these know an update and an update of the status, which are two questions,
  // maybe for different ones.
  bool writes_both() const override { return !objects_.is_reviewed(); }
  void end_burst() override { objects_.end_burst(); }

 private:
  Result<std::shared_ptr<registry::WriteRequest>> request(const Write& write) const;
  bool begins_with_status(const Write& write, const registry::WriteRequest& request) const;
  Result<void> authorize(const std::string& name, std::string_view verb, const registry::WriteRequest& request,
                         std::string_view subresource) const;

  const registry::KindTable& kinds_;
  registry::Objects& objects_;
  const auth::PolicyStore& policy_;
  const std::shared_ptr<const auth::User> identity_;
  mutable StandingRights rights_;
};

}  // namespace chandler::client
