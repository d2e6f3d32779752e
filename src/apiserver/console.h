// What a console shows when somebody wants to give a binding to a workload: which kinds of workload can use one, and
// which objects of such a kind there are. Two paths answer it, each with the rights of whoever asks: the list of
// UsageKinds, and of one of them the objects that the caller may list. Objects that belong to another object (the
// ReplicaSet of a Deployment) are left out, since whoever made them undoes changes. A kind that cannot be listed says
// why in its own entry. Works on snapshots of kinds and policy and on the cache; keeps nothing, so one per request.
#pragma once

#include <memory>
#include <optional>
#include <string>
#include <string_view>

#include "apiserver/request_info.h"
#include "auth/policy.h"
#include "base/result.h"
#include "client/kind_names.h"
#include "json/value.h"
#include "registry/cache.h"
#include "registry/kinds.h"

namespace chandler::apiserver {

inline constexpr std::string_view kConsoleKindsPath = "/console/v1/usagekinds";

struct ConsolePath {
  std::string usage_kind;  // whose resources are asked for; empty: the list of usage kinds
};

// Nothing for any other path.
std::optional<ConsolePath> parse_console_path(std::string_view path);

// What the caller must be allowed to do before the console tells anything: to list usage kinds, or to get the one that
// is named. There is no right on the path itself, so that the roles for the kinds are all that an operator maintains.
std::optional<auth::Attributes> console_attributes(const RequestInfo& info, const auth::User& user);

class Console {
 public:
  // `cache` and `user` outlive it.
  Console(registry::KindsPtr kinds, const registry::Cache& cache, std::shared_ptr<const auth::Policy> policy,
          const auth::User& user);

  // All usage kinds; whether each can be listed is said for namespace `ns` (empty: for all namespaces together).
  Result<json::Value> usage_kinds(std::string_view ns) const;

  struct Wish {
    std::string_view usage_kind;
    std::string_view ns;  // empty: all namespaces
    std::string_view limit;
    std::string_view continue_token;
  };
  // NotFound when there is no such usage kind or nothing is served under what it names, Forbidden when the caller may
  // not list it. Looks at a bounded number of objects, so a page may be short and still have a continuation.
  Result<json::Value> resources(const Wish& wish) const;

 private:
  struct Target {
    json::Object entry;      // as usage_kinds() shows it
    registry::KindPtr kind;  // null: cannot be listed, for the reason in `refusal`
    std::optional<Error> refusal;
  };
  Result<registry::KindPtr> usage_kind_kind() const;
  Target target_of(const registry::Document& usage_kind, std::string_view ns) const;
  std::optional<Error> refusal_of(const std::optional<client::ServedKind>& served, const json::Value& usage_kind,
                                  std::string_view ns) const;

  const registry::KindsPtr kinds_;
  const registry::Cache& cache_;
  const std::shared_ptr<const auth::Policy> policy_;
  const auth::User& user_;
};

}  // namespace chandler::apiserver
