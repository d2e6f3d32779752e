#include "registry/query.h"

#include <algorithm>
#include <utility>

#include <fmt/format.h>

namespace chandler::registry {
namespace {

// So many comparisons cost less than arranging the terms.
constexpr size_t kFewTerms = 8;

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
  if (query.labels_.requirements().size() > kFewTerms) query.many_labels_.emplace(query.labels_);
  for (const auto& term : fields.terms()) {
    const bool is_name = term.field == "metadata.name";
    if (is_name || (term.field == "metadata.namespace" && kind.namespaced)) {
      if (!term.equals) {
        query.exclude(is_name ? kName : kNamespace, term.value);
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
    if (term.equals) {
      query.require(position, term.value);
    } else {
      query.exclude(position, term.value);
    }
  }
  for (auto& [what, values] : query.excluded_) std::sort(values.begin(), values.end());
  return query;
}

void Query::require(size_t field, const std::string& value) {
  const auto known = std::find_if(terms_.begin(), terms_.end(), [&](const Term& term) { return term.field == field; });
  if (known == terms_.end()) {
    terms_.push_back({field, value});
  } else if (known->value != value) {
    nothing_ = true;
  }
}

void Query::exclude(size_t what, const std::string& value) {
  auto known = std::find_if(excluded_.begin(), excluded_.end(), [&](const auto& other) { return other.what == what; });
  if (known == excluded_.end()) known = excluded_.insert(known, {what, {}});
  known->values.push_back(value);
}

bool Query::excludes(const Document& document) const {
  return std::any_of(excluded_.begin(), excluded_.end(), [&](const Exclusion& exclusion) {
    const auto value = exclusion.what == kName        ? document.name()
                       : exclusion.what == kNamespace ? document.ns()
                                                      : document.field(exclusion.what);
    return std::binary_search(exclusion.values.begin(), exclusion.values.end(), value);
  });
}

bool Query::labels_match(const Document& document) const {
  if (many_labels_)
    return many_labels_->matches(document.label_count(), [&](size_t i) { return document.label_at(i); });
  return labels_.empty() || labels_.matches([&](std::string_view key) { return document.label(key); });
}

bool Query::matches(const Document& document) const {
  if (nothing_) return false;
  if (!ns_.empty() && document.ns() != ns_) return false;
  if (!name_.empty() && document.name() != name_) return false;
  for (const auto& term : terms_) {
    if (document.field(term.field) != term.value) return false;
  }
  return !excludes(document) && labels_match(document);
}

}  // namespace chandler::registry
