#include "auth/rule.h"

#include <fmt/format.h>

#include <algorithm>

#include "base/text.h"

namespace chandler::auth {
namespace {

constexpr std::string_view kAll = "*";

// Taking a rule apart multiplies its lists. Beyond this a rule that no single owned rule covers counts as missing
// whole.
constexpr size_t kMaxPermissions = 50'000;

using Texts = std::vector<std::string>;

bool has(const Texts& list, std::string_view text) { return std::find(list.begin(), list.end(), text) != list.end(); }
bool has_or_all(const Texts& list, std::string_view text) { return has(list, text) || has(list, kAll); }

// `wanted` is "pods" or "pods/status".
bool allows_resource(const Texts& resources, std::string_view wanted) {
  const auto slash = wanted.find('/');
  for (const std::string_view resource : resources) {
    if (resource == kAll || resource == wanted) return true;
    if (slash != std::string_view::npos && resource.substr(0, 2) == "*/" &&
        resource.substr(1) == wanted.substr(slash)) {
      return true;
    }
  }
  return false;
}

bool allows_url(const Texts& urls, std::string_view wanted) {
  for (const std::string_view url : urls) {
    if (url == wanted) return true;
    if (url.empty() || url.back() != '*') continue;
    const auto prefix = url.substr(0, url.size() - 1);
    if (wanted.substr(0, prefix.size()) == prefix) return true;
  }
  return false;
}

template <typename Predicate>
bool all(const Texts& wanted, Predicate allowed) {
  return std::all_of(wanted.begin(), wanted.end(), allowed);
}

bool covers_resources(const Rule& owned, const Rule& wanted) {
  if (wanted.resources.empty()) return true;
  const bool names_covered =
      owned.names.empty() ||
      (!wanted.names.empty() && all(wanted.names, [&](const auto& name) { return has(owned.names, name); }));
  return names_covered && all(wanted.groups, [&](const auto& group) { return has_or_all(owned.groups, group); }) &&
         all(wanted.resources, [&](const auto& resource) { return allows_resource(owned.resources, resource); });
}

bool covers(const Rule& owned, const Rule& wanted) {
  return all(wanted.verbs, [&](const auto& verb) { return has_or_all(owned.verbs, verb); }) &&
         all(wanted.urls, [&](const auto& url) { return allows_url(owned.urls, url); }) &&
         covers_resources(owned, wanted);
}

bool any_covers(const std::vector<Rule>& owned, const Rule& wanted) {
  return std::any_of(owned.begin(), owned.end(), [&](const Rule& rule) { return covers(rule, wanted); });
}

// True when the rule has at most kMaxPermissions of them.
bool can_be_taken_apart(const Rule& rule) {
  size_t count = 1;
  for (const auto size :
       {rule.verbs.size(), std::max<size_t>(rule.groups.size(), 1), std::max<size_t>(rule.resources.size(), 1),
        std::max<size_t>(rule.names.size(), 1), std::max<size_t>(rule.urls.size(), 1)}) {
    count *= size;
    if (count > kMaxPermissions) return false;
  }
  return true;
}

// Adds `target` with those of `verbs` that are not covered.
void add_missing(const std::vector<Rule>& owned, const Texts& verbs, Rule target, std::vector<Rule>& missing) {
  Texts uncovered;
  for (const auto& verb : verbs) {
    target.verbs = {verb};
    if (!any_covers(owned, target)) uncovered.push_back(verb);
  }
  if (uncovered.empty()) return;
  target.verbs = std::move(uncovered);
  missing.push_back(std::move(target));
}

void take_apart(const std::vector<Rule>& owned, const Rule& wanted, std::vector<Rule>& missing) {
  for (const auto& url : wanted.urls) add_missing(owned, wanted.verbs, {{}, {}, {}, {}, {url}}, missing);
  for (const auto& group : wanted.groups) {
    for (const auto& resource : wanted.resources) {
      if (wanted.names.empty()) add_missing(owned, wanted.verbs, {{}, {group}, {resource}, {}, {}}, missing);
      for (const auto& name : wanted.names) {
        add_missing(owned, wanted.verbs, {{}, {group}, {resource}, {name}, {}}, missing);
      }
    }
  }
}

Texts texts_at(const json::Value& value, std::string_view key) {
  Texts texts;
  if (const auto* list = json::array_at(value, key)) {
    for (const auto& item : *list) {
      if (item.is_string()) texts.emplace_back(json::view(item.get_string()));
    }
  }
  return texts;
}

// resourceNames narrow a rule; one that could not be read must not widen it to all names.
bool is_readable(const json::Value& rule) {
  const auto* names = json::find(rule, "resourceNames");
  if (names == nullptr || names->is_null()) return true;
  if (!names->is_array()) return false;
  const auto& list = names->get_array();
  return std::all_of(list.begin(), list.end(), [](const json::Value& item) { return item.is_string(); });
}

}  // namespace

std::vector<Rule> rules_of(const json::Value& role) {
  std::vector<Rule> rules;
  const auto* list = json::array_at(role, "rules");
  if (list == nullptr) return rules;
  for (const auto& item : *list) {
    if (!is_readable(item)) continue;
    rules.push_back({texts_at(item, "verbs"), texts_at(item, "apiGroups"), texts_at(item, "resources"),
                     texts_at(item, "resourceNames"), texts_at(item, "nonResourceURLs")});
  }
  return rules;
}

std::vector<Rule> full_authority() { return {{{"*"}, {"*"}, {"*"}, {}, {}}, {{"*"}, {}, {}, {}, {"*"}}}; }

bool matches(const Rule& rule, const Attributes& attributes) {
  if (!has_or_all(rule.verbs, attributes.verb)) return false;
  if (!attributes.is_resource) return allows_url(rule.urls, attributes.path);
  if (!has_or_all(rule.groups, attributes.group)) return false;
  if (!rule.names.empty() && (attributes.any_name || !has(rule.names, attributes.name))) return false;
  if (attributes.subresource.empty()) return allows_resource(rule.resources, attributes.resource);
  return allows_resource(rule.resources, attributes.resource + "/" + attributes.subresource);
}

std::vector<Rule> missing_rules(const std::vector<Rule>& owned, const std::vector<Rule>& wanted) {
  std::vector<Rule> missing;
  for (const auto& rule : wanted) {
    if (any_covers(owned, rule)) continue;
    if (can_be_taken_apart(rule)) {
      take_apart(owned, rule, missing);
    } else {
      missing.push_back(rule);
    }
  }
  return missing;
}

std::string describe(const Rule& rule) {
  std::string text;
  const auto add = [&](std::string_view key, const Texts& values) {
    if (values.empty()) return;
    Texts shown;
    for (const auto& value : values) shown.push_back(quoted(value));
    text += fmt::format("{}{}: [{}]", text.empty() ? "" : ", ", key, join(shown, ", "));
  };
  add("verbs", rule.verbs);
  add("apiGroups", rule.groups);
  add("resources", rule.resources);
  add("resourceNames", rule.names);
  add("nonResourceURLs", rule.urls);
  return "{" + text + "}";
}

}  // namespace chandler::auth
