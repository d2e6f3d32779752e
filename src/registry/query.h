// What a list or watch asks for, bound to a collection: selectors with their fields resolved to index positions, and
// terms about the same thing put together. Matching an object costs a look-up for each label and selectable field that
// it has, not a comparison for each term.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "base/result.h"
#include "meta/label_matcher.h"
#include "meta/selector.h"
#include "registry/document.h"

namespace chandler::registry {

class Query {
 public:
  Query() = default;
  // `fields` may use metadata.name, metadata.namespace and the version's selectable fields; others are BadRequest.
  static Result<Query> make(const Kind& kind, const Version& version, std::string_view ns, meta::LabelSelector labels,
                            const meta::FieldSelector& fields);

  // Of the request: "" means all namespaces. A metadata.namespace= or metadata.name= term narrows these.
  const std::string& ns() const { return ns_; }
  const std::string& name() const { return name_; }  // "": any
  bool nothing() const { return nothing_; }          // contradictory terms
  const meta::LabelSelector& labels() const { return labels_; }

  struct Term {
    size_t field = 0;  // position in the collection's selectable fields
    std::string value;
  };
  const std::vector<Term>& terms() const { return terms_; }  // equalities, one for a field
  bool selective() const { return !labels_.empty() || !terms_.empty() || !excluded_.empty() || !name_.empty(); }

  bool matches(const Document& document) const;

 private:
  // Values that something must not have.
  struct Exclusion {
    size_t what = 0;                  // position of a selectable field, kName or kNamespace
    std::vector<std::string> values;  // sorted
  };
  static constexpr size_t kName = SIZE_MAX;
  static constexpr size_t kNamespace = SIZE_MAX - 1;

  void require(size_t field, const std::string& value);
  void exclude(size_t what, const std::string& value);
  bool excludes(const Document& document) const;
  bool labels_match(const Document& document) const;

  std::string ns_;
  std::string name_;
  bool nothing_ = false;
  std::vector<Term> terms_;
  std::vector<Exclusion> excluded_;
  meta::LabelSelector labels_;
  std::optional<meta::LabelMatcher> many_labels_;  // the same, when there are many terms
};

}  // namespace chandler::registry
