// State over the server's cache.
#pragma once

#include <memory>
#include <string>
#include <utility>
#include <vector>

#include "auth/policy_store.h"
#include "base/mutex.h"
#include "client/api.h"
#include "registry/cache.h"
#include "registry/kinds.h"

namespace chandler::client {

class LocalState final : public State {
 public:
  LocalState(const registry::KindTable& kinds, registry::Cache& cache, const auth::PolicyStore& policy,
             auth::User identity);
  ~LocalState() override;
  LocalState(const LocalState&) = delete;
  LocalState& operator=(const LocalState&) = delete;

  Object get(const KindName& kind, std::string_view ns, std::string_view name) const override;
  std::vector<Object> list(const KindName& kind, const Selection& selection) const override;
  std::string_view field(const KindName& kind, const Object& object, std::string_view field) const override;
  std::optional<ServedKind> find_kind(std::string_view group, std::string_view version,
                                      std::string_view word) const override;
  bool has_listed(const KindName&) const override { return true; }
  // At any time; changes come on the store's thread. A kind that the identity may not list and watch is told about all
  // the same, and an error in the log says which rule is missing: on another server the same identity would see
  // nothing.
  void listen(std::vector<KindName> kinds, Listener listener) override;

 private:
  class Hub;
  registry::KindPtr find(const KindName& kind) const;
  void check_rights(const KindName& kind) const;

  const registry::KindTable& kinds_;
  const registry::Cache& cache_;
  const auth::PolicyStore& policy_;
  const auth::User identity_;
  const std::shared_ptr<Hub> hub_;  // the cache holds it too
};

}  // namespace chandler::client
