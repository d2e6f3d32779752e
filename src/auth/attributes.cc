#include "auth/attributes.h"

#include <fmt/format.h>

#include "base/text.h"

namespace chandler::auth {

std::string denial(const Attributes& attributes) {
  const auto user = quoted(attributes.user->name);
  if (!attributes.is_resource) {
    return fmt::format("User {} cannot {} path {}", user, attributes.verb, quoted(attributes.path));
  }
  auto resource = attributes.resource;
  if (!attributes.subresource.empty()) resource += "/" + attributes.subresource;
  const auto where = attributes.namespace_.empty() ? std::string("at the cluster scope")
                                                   : fmt::format("in the namespace {}", quoted(attributes.namespace_));
  return fmt::format("User {} cannot {} resource {} in API group {} {}", user, attributes.verb, quoted(resource),
                     quoted(attributes.group), where);
}

}  // namespace chandler::auth
