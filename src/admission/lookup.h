// What admission may look up: stored objects, as they are now. A seam, so that rules are tested without a store.
// Thread-safe.
#pragma once

#include <string_view>
#include <vector>

#include "registry/document.h"

namespace chandler::admission {

class Lookup {
 public:
  virtual ~Lookup() = default;
  // Null when there is no such object or kind. `ns` is empty for kinds of the cluster scope.
  virtual registry::DocumentPtr get(std::string_view group, std::string_view plural, std::string_view ns,
                                    std::string_view name) const = 0;
  // All objects of the kind, in every namespace. For kinds of which there are few.
  virtual std::vector<registry::DocumentPtr> list(std::string_view group, std::string_view plural) const = 0;
  // Those with that value of a selectable field, in every namespace.
  virtual std::vector<registry::DocumentPtr> list_by(std::string_view group, std::string_view plural,
                                                     std::string_view field, std::string_view value) const = 0;
  // Those of one namespace, by name.
  virtual std::vector<registry::DocumentPtr> list_in(std::string_view group, std::string_view plural,
                                                     std::string_view ns) const = 0;
};

}  // namespace chandler::admission
