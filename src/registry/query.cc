#include "registry/query.h"

#include <utility>

#include <fmt/format.h>

namespace chandler::registry {
namespace {

// Narrows `have` to `want`; false when the two contradict.
bool narrow(std::string& have, const std::string& want) {
  if (!have.empty() && have != want) return false;
  have = want;
  return true;
}

}  // namespace

Result<Query> Query::make(const Kind& kind, const Version& version, std::string_view ns, meta::LabelSelector labels,
                          const meta::FieldSelector& fields) {
  Query query;
  query.ns_ = ns;
  query.labels_ = std::move(labels);
  for (const auto& term : fields.terms()) {
    const bool is_name = term.field == "metadata.name";
    if (is_name || (term.field == "metadata.namespace" && kind.namespaced)) {
      if (!term.equals) {
        query.excluded_.emplace_back(is_name, term.value);
      } else if (term.value.empty() || !narrow(is_name ? query.name_ : query.ns_, term.value)) {
        query.nothing_ = true;
      }
      continue;
    }
    size_t position = 0;
    while (position < version.selectable.size() && version.selectable[position].label != term.field) ++position;
    if (position == version.selectable.size()) {
      return bad_request(fmt::format("field label not supported: {}", term.field));
    }
    query.terms_.push_back({position, term.equals, term.value});
  }
  return query;
}

bool Query::matches(const Document& document) const {
  if (nothing_) return false;
  if (!ns_.empty() && document.ns() != ns_) return false;
  if (!name_.empty() && document.name() != name_) return false;
  for (const auto& [is_name, value] : excluded_) {
    if ((is_name ? document.name() : document.ns()) == value) return false;
  }
  for (const auto& term : terms_) {
    if ((document.field(term.field) == term.value) != term.equals) return false;
  }
  return labels_.empty() || labels_.matches([&](std::string_view key) { return document.label(key); });
}

}  // namespace chandler::registry
