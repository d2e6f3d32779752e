#include "apiserver/discovery.h"

#include <algorithm>
#include <map>
#include <vector>

#include "meta/gvk.h"

namespace chandler::apiserver {
namespace {

using registry::Kind;
using registry::Verb;

json::Array strings(const std::vector<std::string>& values) { return json::Array(values.begin(), values.end()); }

json::Array verbs_of(const Kind& kind) {
  // As recorded: custom resources are told in another order than Kubernetes' own kinds.
  static constexpr Verb kBuiltin[] = {Verb::kCreate, Verb::kDelete, Verb::kDeleteCollection, Verb::kGet,
                                      Verb::kList,   Verb::kPatch,  Verb::kUpdate,           Verb::kWatch};
  static constexpr Verb kCustom[] = {Verb::kDelete, Verb::kDeleteCollection, Verb::kGet,    Verb::kList,
                                     Verb::kPatch,  Verb::kCreate,           Verb::kUpdate, Verb::kWatch};
  json::Array out;
  for (const auto verb : kind.builtin ? kBuiltin : kCustom) {
    if (kind.allows(verb)) out.emplace_back(registry::verb_name(verb));
  }
  return out;
}

struct Subresource {
  std::string_view name;
  json::Array verbs;
  // Of the object it takes and gives; empty kind: that of the resource itself.
  meta::GroupVersionKind answer;
};

std::vector<Subresource> subresources_of(const Kind& kind, const registry::Version& version) {
  std::vector<Subresource> out;
  const bool core = kind.group.empty();
  if (core && kind.plural == "namespaces") out.push_back({"finalize", {"update"}, {}});
  const Subresource scale{"scale", {"get", "patch", "update"}, {"autoscaling", "v1", "Scale"}};
  if (version.scale && kind.builtin) out.push_back(scale);
  if (version.has_status) out.push_back({"status", {"get", "patch", "update"}, {}});
  if (version.scale && !kind.builtin) out.push_back(scale);  // as recorded: custom resources tell it last
  if (core && kind.plural == "serviceaccounts") {
    out.push_back({"token", {"create"}, {"authentication.k8s.io", "v1", "TokenRequest"}});
  }
  return out;
}

struct ByPreference {
  bool operator()(std::string_view a, std::string_view b) const { return meta::version_before(a, b); }
};
struct Served {
  const Kind* kind;
  const registry::Version* version;
};
// The served versions of a group in order of preference, with the kinds that have them; empty: no such group.
using GroupVersions = std::map<std::string_view, std::vector<Served>, ByPreference>;

GroupVersions versions_of(const registry::Kinds& kinds, std::string_view group) {
  GroupVersions out;
  for (const auto& kind : kinds.of_group(group)) {
    for (const auto& version : kind->versions) {
      if (version.served) out[version.name].push_back({kind.get(), &version});
    }
  }
  return out;
}

// The groups that have a served version, by name; without the core group.
std::vector<std::string> named_groups(const registry::Kinds& kinds) {
  std::vector<std::string> out;
  for (const auto& kind : kinds.all()) {
    const bool served =
        std::any_of(kind->versions.begin(), kind->versions.end(), [](const auto& v) { return v.served; });
    if (!served || kind->group.empty() || (!out.empty() && out.back() == kind->group)) continue;
    out.push_back(kind->group);
  }
  return out;
}

json::Object group_document(std::string_view group, const GroupVersions& versions) {
  json::Array list;
  for (const auto& [version, served] : versions) {
    list.push_back(json::Object{{"groupVersion", meta::GroupVersion{std::string(group), std::string(version)}.str()},
                                {"version", version}});
  }
  const auto preferred = list.front();
  return {{"name", group}, {"versions", std::move(list)}, {"preferredVersion", preferred}};
}

void add_resource(const Kind& kind, const registry::Version& version, json::Array& out) {
  json::Object resource{{"name", kind.plural},
                        {"singularName", kind.singular},
                        {"namespaced", kind.namespaced},
                        {"kind", kind.kind},
                        {"verbs", verbs_of(kind)}};
  if (!kind.short_names.empty()) resource["shortNames"] = strings(kind.short_names);
  if (!kind.categories.empty()) resource["categories"] = strings(kind.categories);
  out.push_back(std::move(resource));
  for (auto& sub : subresources_of(kind, version)) {
    json::Object entry{{"name", kind.plural + "/" + std::string(sub.name)},
                       {"singularName", ""},
                       {"namespaced", kind.namespaced},
                       {"kind", sub.answer.kind.empty() ? kind.kind : sub.answer.kind},
                       {"verbs", std::move(sub.verbs)}};
    if (!sub.answer.kind.empty()) {
      entry["group"] = sub.answer.group;
      entry["version"] = sub.answer.version;
    }
    out.push_back(std::move(entry));
  }
}

// Kubernetes' own kinds leave group and version to where they are listed; custom resources repeat them.
json::Object response_kind(const Kind& kind, std::string_view version) {
  if (kind.builtin) return {{"group", ""}, {"version", ""}, {"kind", kind.kind}};
  return {{"group", kind.group}, {"version", version}, {"kind", kind.kind}};
}

json::Object aggregated_resource(const Kind& kind, const registry::Version& version) {
  json::Object out{{"resource", kind.plural},
                   {"responseKind", response_kind(kind, version.name)},
                   {"scope", kind.namespaced ? "Namespaced" : "Cluster"},
                   {"singularResource", kind.singular},
                   {"verbs", verbs_of(kind)}};
  if (!kind.short_names.empty()) out["shortNames"] = strings(kind.short_names);
  if (!kind.categories.empty()) out["categories"] = strings(kind.categories);
  json::Array subresources;
  for (auto& sub : subresources_of(kind, version)) {
    json::Object answer = response_kind(kind, version.name);
    if (!sub.answer.kind.empty()) {
      answer = {{"group", sub.answer.group}, {"version", sub.answer.version}, {"kind", sub.answer.kind}};
    }
    subresources.push_back(
        json::Object{{"subresource", sub.name}, {"responseKind", std::move(answer)}, {"verbs", std::move(sub.verbs)}});
  }
  if (!subresources.empty()) out["subresources"] = std::move(subresources);
  return out;
}

json::Object aggregated_group(const registry::Kinds& kinds, const std::string& group) {
  json::Array versions;
  for (const auto& [version, served] : versions_of(kinds, group)) {
    json::Array resources;
    for (const auto& [kind, found] : served) resources.push_back(aggregated_resource(*kind, *found));
    versions.push_back(
        json::Object{{"version", version}, {"resources", std::move(resources)}, {"freshness", "Current"}});
  }
  json::Object metadata;
  if (!group.empty()) metadata["name"] = group;
  return {{"metadata", std::move(metadata)}, {"versions", std::move(versions)}};
}

}  // namespace

json::Value api_versions(std::string_view server_address) {
  json::Object address{{"clientCIDR", "0.0.0.0/0"}, {"serverAddress", server_address}};
  return json::Object{{"kind", "APIVersions"},
                      {"versions", json::Array{"v1"}},
                      {"serverAddressByClientCIDRs", json::Array{std::move(address)}}};
}

json::Value api_group_list(const registry::Kinds& kinds) {
  json::Array groups;
  for (const auto& group : named_groups(kinds)) groups.push_back(group_document(group, versions_of(kinds, group)));
  return json::Object{{"kind", "APIGroupList"}, {"apiVersion", "v1"}, {"groups", std::move(groups)}};
}

std::optional<json::Value> api_group(const registry::Kinds& kinds, std::string_view group) {
  const auto versions = versions_of(kinds, group);
  if (group.empty() || versions.empty()) return std::nullopt;
  auto document = group_document(group, versions);
  document["kind"] = "APIGroup";
  document["apiVersion"] = "v1";
  return document;
}

std::optional<json::Value> api_resource_list(const registry::Kinds& kinds, std::string_view group,
                                             std::string_view version) {
  json::Array resources;
  for (const auto& kind : kinds.of_group(group)) {
    if (const auto* found = kind->version(version); found != nullptr) add_resource(*kind, *found, resources);
  }
  if (resources.empty()) return std::nullopt;
  json::Object document{{"kind", "APIResourceList"},
                        {"groupVersion", meta::GroupVersion{std::string(group), std::string(version)}.str()},
                        {"resources", std::move(resources)}};
  // The list of the core group has never said its own version.
  if (!group.empty()) document["apiVersion"] = "v1";
  return document;
}

json::Value aggregated_discovery(const registry::Kinds& kinds, bool core, std::string_view version) {
  json::Array items;
  if (core) {
    items.push_back(aggregated_group(kinds, ""));
  } else {
    for (const auto& group : named_groups(kinds)) items.push_back(aggregated_group(kinds, group));
  }
  return json::Object{{"kind", "APIGroupDiscoveryList"},
                      {"apiVersion", "apidiscovery.k8s.io/" + std::string(version)},
                      {"metadata", json::Object()},
                      {"items", std::move(items)}};
}

}  // namespace chandler::apiserver
