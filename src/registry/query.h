// What a list or watch asks for, bound to a collection: selectors with their fields resolved to index positions.
#pragma once

#include <string>
#include <vector>

#include "base/result.h"
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
    bool equals = true;
    std::string value;
  };
  const std::vector<Term>& terms() const { return terms_; }
  bool selective() const { return !labels_.empty() || !terms_.empty() || !excluded_.empty() || !name_.empty(); }

  bool matches(const Document& document) const;

 private:
  std::string ns_;
  std::string name_;
  bool nothing_ = false;
  std::vector<std::pair<bool, std::string>> excluded_;  // metadata.name!= (true) and metadata.namespace!= (false)
  meta::LabelSelector labels_;
  std::vector<Term> terms_;
};

}  // namespace chandler::registry
