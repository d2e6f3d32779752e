#include "auth/rule.h"

#include <fmt/format.h>

#include <algorithm>

#include "base/cut_text.h"
#include "base/text.h"

namespace chandler::auth {
namespace {

constexpr std::string_view kAll = "*";

constexpr size_t kMaxShownValue = 100;  // bytes of a value in a description

using Texts = std::vector<std::string>;

bool has(const Texts& list, std::string_view text) { return std::find(list.begin(), list.end(), text) != list.end(); }
bool has_or_all(const Texts& list, std::string_view text) { return has(list, text) || has(list, kAll); }

bool allows_url(const Texts& urls, std::string_view wanted) {
  for (const std::string_view url : urls) {
    if (url == wanted) return true;
    if (url.empty() || url.back() != '*') continue;
    const auto prefix = url.substr(0, url.size() - 1);
    if (wanted.substr(0, prefix.size()) == prefix) return true;
  }
  return false;
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

RuleMatch::RuleMatch(const Attributes& attributes) : attributes_(attributes), resource_(attributes.resource) {
  if (!attributes.subresource.empty()) resource_ += "/" + attributes.subresource;
  slash_ = resource_.find('/');
}

bool RuleMatch::matches(const Rule& rule) const {
  if (!matches_but_name(rule)) return false;
  if (!attributes_.is_resource || rule.names.empty()) return true;
  return !attributes_.any_name && has(rule.names, attributes_.name);
}

bool RuleMatch::matches_but_name(const Rule& rule) const {
  if (!has_or_all(rule.verbs, attributes_.verb)) return false;
  if (!attributes_.is_resource) return allows_url(rule.urls, attributes_.path);
  return has_or_all(rule.groups, attributes_.group) && allows_resource(rule.resources);
}

bool RuleMatch::allows_resource(const Texts& resources) const {
  for (const std::string_view resource : resources) {
    if (resource == kAll || resource == resource_) return true;
    if (slash_ != std::string::npos && resource.substr(0, 2) == "*/" &&
        resource.substr(1) == std::string_view(resource_).substr(slash_)) {
      return true;
    }
  }
  return false;
}

std::string describe(const Rule& rule, size_t more_verbs) {
  std::string text;
  const auto add = [&](std::string_view key, const Texts& values, size_t more) {
    if (values.empty()) return;
    Texts shown;
    for (const auto& value : values) shown.push_back(quoted(shorten(value, kMaxShownValue)));
    if (more > 0) shown.push_back(fmt::format("and {} more", more));
    text += fmt::format("{}{}: [{}]", text.empty() ? "" : ", ", key, join(shown, ", "));
  };
  add("verbs", rule.verbs, more_verbs);
  add("apiGroups", rule.groups, 0);
  add("resources", rule.resources, 0);
  add("resourceNames", rule.names, 0);
  add("nonResourceURLs", rule.urls, 0);
  return "{" + text + "}";
}

}  // namespace chandler::auth
