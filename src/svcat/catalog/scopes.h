// Where a command looks, from its flags --cluster, --scope, --namespace and --all-namespaces.
#pragma once

#include <string>
#include <string_view>
#include <vector>

#include "svcat/call.h"

namespace chandler::svcat {

struct Place {
  Scope scope = Scope::kNamespace;
  std::string ns;  // "": all namespaces, or the cluster

  const ScopeNames& names() const { return names_of(scope); }
};

// For lists. Without flags the namespace alone, or with the cluster when `usable` (all that can be used from it).
Result<std::vector<Place>> places_to_list(Call& call, bool usable);
// What to say when a list of what brokers offer is empty; `noun` is "classes" or "plans".
std::string nothing_in(const std::vector<Place>& places, std::string_view noun);
// For a single object, in the order in which it is looked for: the namespace, then the cluster, unless flags say where.
Result<std::vector<Place>> places_to_search(Call& call);
// For commands that write something new or need to be sure: the namespace unless flags say the cluster.
Result<Place> place_to_write(Call& call);

}  // namespace chandler::svcat
