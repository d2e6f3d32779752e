// Whether a user may do the same thing to many objects: what Policy::authorize() answers for each of them. The rules of
// the cluster and of each namespace are searched once, not for each object. Not thread-safe.
#pragma once

#include <map>
#include <string>
#include <string_view>

#include "auth/policy.h"

namespace chandler::auth {

class AccessByName {
 public:
  // Namespace and name come with each question. The policy and the user of the attributes outlive this.
  AccessByName(const Policy& policy, Attributes attributes);

  bool may(std::string_view ns, std::string_view name);

 private:
  const AllowedNames& names_in(std::string_view scope);

  const Policy& policy_;
  Attributes attributes_;
  std::map<std::string, AllowedNames, std::less<>> names_;  // by namespace; "" has those of the whole cluster
};

}  // namespace chandler::auth
