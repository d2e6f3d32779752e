// Group, version, kind and resource names. Plain values.
#pragma once

#include <string>
#include <string_view>

#include "base/result.h"

namespace chandler::meta {

struct GroupVersion {
  std::string group;
  std::string version;
  bool operator==(const GroupVersion&) const = default;
  auto operator<=>(const GroupVersion&) const = default;
  std::string str() const { return group.empty() ? version : group + "/" + version; }  // an apiVersion
  static Result<GroupVersion> parse(std::string_view api_version);                     // "v1", "apps/v1"
};

struct GroupVersionKind {
  std::string group;
  std::string version;
  std::string kind;
  bool operator==(const GroupVersionKind&) const = default;
  auto operator<=>(const GroupVersionKind&) const = default;
};

struct GroupResource {
  std::string group;
  std::string resource;
  bool operator==(const GroupResource&) const = default;
  auto operator<=>(const GroupResource&) const = default;
  std::string str() const { return group.empty() ? resource : resource + "." + group; }
};

// True when a is preferred to b. The order of API versions: v2 > v1 > v1beta2 > v1beta1 > v1alpha1 > others by name.
bool version_before(std::string_view a, std::string_view b);

}  // namespace chandler::meta
