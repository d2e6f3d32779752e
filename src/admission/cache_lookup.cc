#include "admission/cache_lookup.h"

#include <string>
#include <utility>

namespace chandler::admission {

registry::DocumentPtr CacheLookup::get(std::string_view group, std::string_view plural, std::string_view ns,
                                       std::string_view name) const {
  const auto kind = kinds_.current()->find(group, plural);
  return kind == nullptr ? nullptr : cache_.get(*kind, ns, name);
}

std::vector<registry::DocumentPtr> CacheLookup::list(std::string_view group, std::string_view plural) const {
  const auto kind = kinds_.current()->find(group, plural);
  if (kind == nullptr) return {};
  auto page = cache_.list(*kind, registry::Query());
  if (!page.ok()) return {};  // only a list of the past can fail
  return std::move(page->items);
}

std::vector<registry::DocumentPtr> CacheLookup::list_by(std::string_view group, std::string_view plural,
                                                        std::string_view field, std::string_view value) const {
  const auto kind = kinds_.current()->find(group, plural);
  if (kind == nullptr) return {};
  return list(*kind, "", meta::FieldSelector::equal(std::string(field), std::string(value)));
}

std::vector<registry::DocumentPtr> CacheLookup::list_in(std::string_view group, std::string_view plural,
                                                        std::string_view ns) const {
  const auto kind = kinds_.current()->find(group, plural);
  return kind == nullptr ? std::vector<registry::DocumentPtr>() : list(*kind, ns, {});
}

std::vector<registry::DocumentPtr> CacheLookup::list(const registry::Kind& kind, std::string_view ns,
                                                     const meta::FieldSelector& fields) const {
  const auto query = registry::Query::make(kind, kind.storage_version(), ns, {}, fields);
  if (!query.ok()) return {};  // a field that cannot be selected by has no objects
  auto page = cache_.list(kind, *query);
  return page.ok() ? std::move(page->items) : std::vector<registry::DocumentPtr>();
}

}  // namespace chandler::admission
