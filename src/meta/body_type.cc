#include "meta/body_type.h"

#include <fmt/format.h>

namespace chandler::meta {
namespace {

// "apps/v1" is version v1 of its group.
std::string_view version_in(std::string_view api_version) { return api_version.substr(api_version.rfind('/') + 1); }

}  // namespace

Error BodyType::not_an_object() const {
  return bad_request(fmt::format("the object provided is unrecognized (must be of type {}): it is no object", kind));
}

Error BodyType::other_version(std::string_view given) const {
  return bad_request(
      fmt::format("the API version in the data ({}) does not match the expected API version ({})", given, api_version));
}

Error BodyType::other_kind(std::string_view given) const {
  return bad_request(fmt::format("{} in version \"{}\" cannot be handled as a {}: the URL is of another kind", given,
                                 version_in(api_version), kind));
}

Error BodyType::other_namespace(std::string_view given, std::string_view expected) {
  return bad_request(
      fmt::format("the namespace of the provided object does not match the namespace sent on the request: {} is not {}",
                  given, expected));
}

Error BodyType::malformed(std::string_view fault) const {
  return bad_request(
      fmt::format("{} in version \"{}\" cannot be handled as a {}: {}", kind, version_in(api_version), kind, fault));
}

}  // namespace chandler::meta
