// What a request wants to do, as authorization sees it. `user` is borrowed and outlives the attributes.
#pragma once

#include <string>

#include "auth/user.h"

namespace chandler::auth {

struct Attributes {
  const User* user = nullptr;
  std::string verb;  // get, list, create ...; for paths the HTTP method in lower case
  std::string group;
  std::string version;
  std::string resource;
  std::string subresource;
  std::string name;        // also of a list that a metadata.name selector limits to one object
  bool any_name = false;   // under all names at once, which rules for single names do not allow
  std::string namespace_;  // empty: at the cluster scope
  bool is_resource = true;
  std::string path;  // when not a resource
};

// Why it is refused, in the words that clients know: User "u" cannot get resource "pods" in API group "" ...
std::string denial(const Attributes& attributes);

}  // namespace chandler::auth
