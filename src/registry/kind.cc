#include "registry/kind.h"

#include <algorithm>
#include <array>

#include "base/check.h"

namespace chandler::registry {

std::string_view verb_name(Verb verb) {
  static constexpr std::array<std::string_view, 8> kNames = {"get",    "list",  "watch",  "create",
                                                             "update", "patch", "delete", "deletecollection"};
  return kNames[static_cast<size_t>(verb)];
}

const Version* Kind::version(std::string_view wanted) const {
  for (const auto& v : versions) {
    if (v.name == wanted) return v.served ? &v : nullptr;
  }
  return nullptr;
}

const Version& Kind::storage_version() const {
  for (const auto& v : versions) {
    if (v.storage) return v;
  }
  CH_CHECK(!versions.empty());
  return versions.front();
}

std::string Kind::key(std::string_view ns, std::string_view name) const {
  std::string key;
  key.reserve(prefix_.size() + ns.size() + 1 + name.size());
  key = prefix_;
  if (namespaced) {
    key += ns;
    key += '/';
  }
  key += name;
  return key;
}

void Kind::finish() {
  prefix_ = stored_as.empty() ? (group.empty() ? "core" : group) + "/" + plural + "/" : stored_as + "/";
  for (auto& version : versions) version.api_version = meta::GroupVersion{group, version.name}.str();
  std::stable_sort(versions.begin(), versions.end(),
                   [](const Version& a, const Version& b) { return meta::version_before(a.name, b.name); });
}

}  // namespace chandler::registry
