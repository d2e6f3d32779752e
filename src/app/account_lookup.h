// Answers from memory whether service accounts (and what their tokens are bound to) exist.
#pragma once

#include "auth/service_account_tokens.h"
#include "registry/cache.h"
#include "registry/kinds.h"

namespace chandler::app {

class AccountLookup final : public auth::ServiceAccountLookup {
 public:
  AccountLookup(const registry::KindTable& kinds, const registry::Cache& cache) : kinds_(kinds), cache_(cache) {}
  std::optional<std::string> uid_of(std::string_view ns, std::string_view name) const override {
    return uid("serviceaccounts", ns, name);
  }
  std::optional<std::string> bound_uid(std::string_view kind, std::string_view ns,
                                       std::string_view name) const override {
    if (kind == "Secret") return uid("secrets", ns, name);
    if (kind == "Pod") return uid("pods", ns, name);
    return std::nullopt;
  }

 private:
  std::optional<std::string> uid(std::string_view plural, std::string_view ns, std::string_view name) const {
    const auto kind = kinds_.current()->find("", plural);
    const auto document = kind == nullptr ? nullptr : cache_.get(*kind, ns, name);
    if (document == nullptr) return std::nullopt;
    return std::string(document->uid());
  }

  const registry::KindTable& kinds_;
  const registry::Cache& cache_;
};

}  // namespace chandler::app
