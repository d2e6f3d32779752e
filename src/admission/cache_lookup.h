// Lookup over the server's own cache. Borrows the table and the cache, which outlive it. Thread-safe.
#pragma once

#include "admission/lookup.h"
#include "meta/selector.h"
#include "registry/cache.h"
#include "registry/kinds.h"

namespace chandler::admission {

class CacheLookup final : public Lookup {
 public:
  CacheLookup(const registry::KindTable& kinds, const registry::Cache& cache) : kinds_(kinds), cache_(cache) {}

  registry::DocumentPtr get(std::string_view group, std::string_view plural, std::string_view ns,
                            std::string_view name) const override;
  std::vector<registry::DocumentPtr> list(std::string_view group, std::string_view plural) const override;
  std::vector<registry::DocumentPtr> list_by(std::string_view group, std::string_view plural, std::string_view field,
                                             std::string_view value) const override;
  std::vector<registry::DocumentPtr> list_in(std::string_view group, std::string_view plural,
                                             std::string_view ns) const override;

 private:
  std::vector<registry::DocumentPtr> list(const registry::Kind& kind, std::string_view ns,
                                          const meta::FieldSelector& fields) const;

  const registry::KindTable& kinds_;
  const registry::Cache& cache_;
};

}  // namespace chandler::admission
