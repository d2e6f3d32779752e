#include "svcat/catalog/discovery.h"

#include <fmt/format.h>

#include <algorithm>

#include "base/text.h"
#include "json/reader.h"
#include "svcat/catalog/fields.h"

namespace chandler::svcat {
namespace {

constexpr size_t kMaxVersions = 16;

// Null: there is nothing at the path.
Result<json::Value> document_at(Catalog& catalog, const std::string& path) {
  auto text = catalog.rest().get_text(path);
  if (!text.ok()) {
    if (is_not_found(text.error())) return json::Value();
    return std::move(text).error();
  }
  return json::parse(*text);
}

// In the order in which they are tried: the given one, the preferred one, the others.
Result<std::vector<std::string>> versions_of(Catalog& catalog, const std::string& group, const std::string& version) {
  std::vector<std::string> all;
  const auto add = [&](std::string name) {
    const bool fits = !name.empty() && all.size() < kMaxVersions;
    if (fits && std::find(all.begin(), all.end(), name) == all.end()) all.push_back(std::move(name));
  };
  if (group.empty()) {
    add("v1");
    return all;
  }
  CH_TRY_LET(document, document_at(catalog, "/apis/" + group));
  std::vector<std::string> served;
  if (const auto* versions = array_at(document, {"versions"})) {
    for (const auto& one : versions->get_array()) served.push_back(text_at(one, {"version"}));
  }
  if (std::find(served.begin(), served.end(), version) != served.end()) add(version);
  add(text_at(document, {"preferredVersion", "version"}));
  for (auto& one : served) add(std::move(one));
  return all;
}

// How well the word names the resource; 0: not at all.
int closeness(const json::Value& resource, std::string_view word) {
  const auto is_word = [&](std::string_view name) { return equals_ignore_case(name, word); };
  if (text_at(resource, {"name"}).find('/') != std::string::npos) return 0;  // a part of one
  if (is_word(text_at(resource, {"kind"})) || is_word(text_at(resource, {"name"}))) return 3;
  if (is_word(text_at(resource, {"singularName"}))) return 2;
  const auto* short_names = array_at(resource, {"shortNames"});
  if (short_names == nullptr) return 0;
  const auto& names = short_names->get_array();
  return std::any_of(
             names.begin(), names.end(),
             [&](const json::Value& name) { return name.is_string() && is_word(json::view(name.get_string())); })
             ? 1
             : 0;
}

const json::Value* best_in(const json::Value& list, std::string_view word) {
  const auto* resources = array_at(list, {"resources"});
  if (resources == nullptr) return nullptr;
  const json::Value* best = nullptr;
  int closest = 0;
  for (const auto& resource : resources->get_array()) {
    const int found = closeness(resource, word);
    if (found <= closest) continue;
    best = &resource;
    closest = found;
  }
  return best;
}

}  // namespace

Kind DiscoveredKind::kind() const {
  return {.name = name,
          .version = api_version,
          .resource = resource,
          .noun = noun,
          .namespaced = namespaced,
          .nouns = resource.plural,
          .story = "describe"};
}

std::string DiscoveredKind::qualified() const {
  return resource.group.empty() ? resource.plural : resource.plural + "." + resource.group;
}

Result<std::optional<DiscoveredKind>> discover_kind(Catalog& catalog, const std::string& group,
                                                    const std::string& version, std::string_view word) {
  CH_TRY_LET(versions, versions_of(catalog, group, version));
  for (const auto& one : versions) {
    const auto api_version = group.empty() ? one : fmt::format("{}/{}", group, one);
    CH_TRY_LET(list, document_at(catalog, (group.empty() ? "/api/" : "/apis/") + api_version));
    const auto* found = best_in(list, word);
    if (found == nullptr) continue;
    DiscoveredKind kind;
    kind.name = text_at(*found, {"kind"});
    kind.api_version = api_version;
    kind.noun = to_lower(kind.name);
    kind.resource = {group, one, text_at(*found, {"name"})};
    kind.namespaced = true_at(*found, {"namespaced"});
    kind.exact_version = version.empty() || one == version;
    if (const auto* verbs = array_at(*found, {"verbs"})) {
      for (const auto& verb : verbs->get_array()) {
        if (verb.is_string()) kind.verbs.emplace_back(json::view(verb.get_string()));
      }
    }
    return std::optional(std::move(kind));
  }
  return std::optional<DiscoveredKind>();
}

}  // namespace chandler::svcat
