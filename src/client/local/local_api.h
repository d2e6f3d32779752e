// The API inside the server's own process: reads come from the server's cache (documents are shared, nothing is parsed
// twice), writes go through the same rules and admission as everybody's, under a named identity whose rights are
// checked against the access rules of that moment. Thread-safe.
//
// Made before Cache::follow(), so that no change is missed. The store has stopped when it is destroyed.
#pragma once

#include <memory>
#include <string_view>

#include "auth/policy_store.h"
#include "client/api.h"
#include "client/local/local_state.h"
#include "client/local/local_writer.h"
#include "registry/cache.h"
#include "registry/kinds.h"
#include "registry/objects.h"

namespace chandler::client {

// The user that a service account is: its name and groups.
auth::User service_account(std::string_view ns, std::string_view name);

class LocalAccess final : public Access {
 public:
  LocalAccess(const auth::PolicyStore& policy, auth::User self) : policy_(policy), self_(std::move(self)) {}
  Decision may(const auth::Attributes& attributes) override;
  // Every question is answered at once, so there is nothing to tell later.
  void on_changed(std::function<void()>) override {}

 private:
  const auth::PolicyStore& policy_;
  const auth::User self_;
};

class LocalApi final : public Api {
 public:
  LocalApi(const registry::KindTable& kinds, registry::Cache& cache, registry::Objects& objects,
           const auth::PolicyStore& policy, const auth::User& identity);

  State& state() override { return state_; }
  Writer& writer() override { return writer_; }
  Access& access() override { return access_; }

 private:
  LocalState state_;
  LocalWriter writer_;
  LocalAccess access_;
};

}  // namespace chandler::client
