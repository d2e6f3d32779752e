// The type that a request's URL gives its body, and the words for a body that is of another one. They are the same
// for every body, whichever module reads it. Plain values.
#pragma once

#include <string_view>

#include "base/error.h"

namespace chandler::meta {

struct BodyType {
  std::string_view kind;         // "TokenRequest"
  std::string_view api_version;  // "authentication.k8s.io/v1"

  Error not_an_object() const;
  Error other_version(std::string_view given) const;
  Error other_kind(std::string_view given) const;
  static Error other_namespace(std::string_view given, std::string_view expected);
  // `fault` says where and what: "spec: expected an object".
  Error malformed(std::string_view fault) const;
};

}  // namespace chandler::meta
