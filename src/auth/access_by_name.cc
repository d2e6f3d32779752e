#include "auth/access_by_name.h"

#include <utility>

namespace chandler::auth {

AccessByName::AccessByName(const Policy& policy, Attributes attributes)
    : policy_(policy), attributes_(std::move(attributes)) {}

bool AccessByName::may(std::string_view ns, std::string_view name) {
  return names_in("").has(name) || (!ns.empty() && names_in(ns).has(name));
}

const AllowedNames& AccessByName::names_in(std::string_view scope) {
  const auto known = names_.find(scope);
  if (known != names_.end()) return known->second;
  attributes_.namespace_ = scope;
  return names_.emplace(scope, policy_.allowed_names(attributes_)).first->second;
}

}  // namespace chandler::auth
