// MutatingWebhookConfigurations and ValidatingWebhookConfigurations: who is asked about writes. Both have the same
// rules.
#include <algorithm>
#include <array>
#include <set>
#include <string>

#include <fmt/format.h>

#include "admission/broker_url.h"
#include "admission/fields.h"
#include "admission/kind_rules.h"
#include "admission/match_condition.h"
#include "base/text.h"
#include "meta/names.h"
#include "meta/selector.h"

namespace chandler::admission {
namespace {

constexpr std::string_view kAll = "*";
constexpr int64_t kLongestTimeout = 30;
constexpr size_t kNameLabels = 3;
constexpr std::array<std::string_view, 5> kOperations = {kAll, "CONNECT", "CREATE", "DELETE", "UPDATE"};

std::vector<std::string> texts_in(const json::Value& parent, std::string_view list) {
  std::vector<std::string> out;
  each(parent, list, meta::Path(), [&](const json::Value& item, const meta::Path&) {
    if (item.is_string()) out.emplace_back(json::view(item.get_string()));
  });
  return out;
}

void check_hook_name(const std::string& name, const meta::Path& path, std::set<std::string>& seen,
                     meta::FieldErrors& errors) {
  if (name.empty()) return errors.required(path);
  if (auto fault = meta::check_dns1123_subdomain(name); !fault.empty()) {
    errors.invalid(path, name, fault);
  } else if (split(name, '.').size() < kNameLabels) {
    errors.invalid(path, name, "should be a domain with at least three segments separated by dots");
  }
  if (!seen.insert(name).second) errors.duplicate(path, text(name));
}

void check_hook_url(const std::string& url, const meta::Path& path, meta::FieldErrors& errors) {
  // What stands in front of the host may be a password, so it is not repeated.
  const auto shown = shown_url(url);
  if (!to_lower(url).starts_with("https://")) {
    return errors.invalid(path, shown, "'https' is the only allowed URL scheme; desired format: https://host[/path]");
  }
  if (const auto rest = std::string_view(url).substr(8); rest.find('@') < rest.find('/')) {
    return errors.invalid(path, shown, "user information is not permitted in the URL");
  }
  if (url.find('#') != url.npos) return errors.invalid(path, shown, "fragments are not permitted in the URL");
  if (url.find('?') != url.npos) return errors.invalid(path, shown, "query parameters are not permitted in the URL");
  if (auto fault = broker_url_fault(url); !fault.empty()) errors.invalid(path, shown, fault);
}

void check_hook_service(const json::Value& service, const meta::Path& path, meta::FieldErrors& errors) {
  for (const std::string_view key : {"namespace", "name"}) {
    const auto name = json::string_or(service, key);
    if (name.empty()) errors.required(path.member(key));
  }
  const auto port = json::int_at(service, "port").value_or(443);
  if (port < 1 || port > 65535) {
    errors.invalid(path.member("port"), json::Value(port), "port is not valid: must be between 1 and 65535, inclusive");
  }
  const auto url_path = json::string_or(service, "path");
  if (url_path.empty() || url_path == "/") return;
  const auto here = path.member("path");
  if (!url_path.starts_with('/')) return errors.invalid(here, url_path, "must start with a '/'");
  if (url_path.find_first_of("?#") != url_path.npos ||
      std::any_of(url_path.begin(), url_path.end(), [](char c) { return c <= ' ' || c > '~'; })) {
    errors.invalid(here, url_path, "must be a path without blanks, query and fragment");
  }
}

void check_client_config(const json::Value& hook, const meta::Path& path, meta::FieldErrors& errors) {
  const auto& config = member(hook, "clientConfig");
  const bool has_url = filled(config, "url");
  const bool has_service = present(config, "service");
  if (has_url == has_service) return errors.required(path, "exactly one of url or service is required");
  if (has_url) check_hook_url(json::string_or(config, "url"), path.member("url"), errors);
  if (has_service) check_hook_service(member(config, "service"), path.member("service"), errors);
}

// A list in which "*" stands alone.
void check_names_or_all(const json::Value& rule, std::string_view list, std::string_view what, bool may_be_empty,
                        const meta::Path& path, meta::FieldErrors& errors) {
  const auto names = texts_in(rule, list);
  const auto here = path.member(list);
  if (names.empty()) return errors.required(here);
  if (names.size() > 1 && std::count(names.begin(), names.end(), kAll) > 0) {
    errors.invalid(here, json::Value(member(rule, list)),
                   fmt::format("if '*' is present, must not specify other {}", what));
  }
  for (size_t i = 0; i < names.size(); ++i) {
    if (names[i].empty() && !may_be_empty) errors.required(here.index(i));
  }
}

void check_rule_resources(const json::Value& rule, const meta::Path& path, meta::FieldErrors& errors) {
  const auto names = texts_in(rule, "resources");
  const auto here = path.member("resources");
  if (names.empty()) return errors.required(here);
  const bool all = std::count(names.begin(), names.end(), "*/*") > 0;
  if (all && names.size() > 1) {
    return errors.invalid(here, json::Value(member(rule, "resources")),
                          "if '*/*' is present, must not specify other resources");
  }
  const bool all_resources = std::count(names.begin(), names.end(), kAll) > 0;
  for (size_t i = 0; i < names.size(); ++i) {
    const auto& name = names[i];
    const auto slash = name.find('/');
    if (name.empty()) {
      errors.required(here.index(i));
    } else if (slash != name.npos &&
               (slash == 0 || slash + 1 == name.size() || name.find('/', slash + 1) != name.npos)) {
      errors.invalid(here.index(i), name, "must be a resource, or a resource and one of its parts: pods, pods/status");
    } else if (all_resources && name != kAll && slash == name.npos) {
      errors.invalid(here.index(i), name, "if '*' is present, must not specify other resources without subresources");
    }
  }
}

void check_rule(const json::Value& rule, const meta::Path& path, meta::FieldErrors& errors) {
  check_names_or_all(rule, "operations", "operations", true, path, errors);
  each(rule, "operations", path, [&](const json::Value& item, const meta::Path& here) {
    const std::string_view name = item.is_string() ? json::view(item.get_string()) : "";
    if (std::find(kOperations.begin(), kOperations.end(), name) == kOperations.end()) {
      errors.not_supported(here, item, {kOperations.begin(), kOperations.end()});
    }
  });
  check_names_or_all(rule, "apiGroups", "API groups", true, path, errors);
  check_names_or_all(rule, "apiVersions", "API versions", false, path, errors);
  check_rule_resources(rule, path, errors);
  const auto scope = json::string_or(rule, "scope", kAll);
  if (scope != kAll && scope != "Cluster" && scope != "Namespaced") {
    errors.not_supported(path.member("scope"), text(scope), {"*", "Cluster", "Namespaced"});
  }
}

void check_side_effects(const json::Value& hook, const meta::Path& path, meta::FieldErrors& errors) {
  const auto effects = json::string_or(hook, "sideEffects");
  const auto here = path.member("sideEffects");
  if (effects.empty()) {
    errors.required(here, "must specify one of None, NoneOnDryRun");
  } else if (effects != "None" && effects != "NoneOnDryRun") {
    errors.not_supported(here, text(effects), {"None", "NoneOnDryRun"});
  }
}

void check_review_versions(const json::Value& hook, const meta::Path& path, meta::FieldErrors& errors) {
  const auto versions = texts_in(hook, "admissionReviewVersions");
  const auto here = path.member("admissionReviewVersions");
  if (versions.empty()) return errors.required(here, "must specify one of v1");
  if (std::count(versions.begin(), versions.end(), "v1") == 0) {
    errors.invalid(here, json::Value(member(hook, "admissionReviewVersions")), "must include at least one of v1");
  }
}

void check_match_conditions(const json::Value& hook, const meta::Path& path, meta::Patterns& patterns,
                            meta::FieldErrors& errors) {
  std::set<std::string> seen;
  each(hook, "matchConditions", path, [&](const json::Value& condition, const meta::Path& here) {
    const auto name = json::string_or(condition, "name");
    if (name.empty()) {
      errors.required(here.member("name"));
    } else if (auto fault = meta::check_qualified_name(name); !fault.empty()) {
      errors.invalid(here.member("name"), name, fault);
    } else if (!seen.insert(name).second) {
      errors.duplicate(here.member("name"), text(name));
    }
    const auto expression = json::string_or(condition, "expression");
    if (trim(expression).empty()) return errors.required(here.member("expression"));
    if (const auto compiled = MatchCondition::compile(expression, patterns); !compiled.ok()) {
      errors.invalid(here.member("expression"), expression, "compilation failed: " + compiled.error());
    }
  });
}

}  // namespace

void check_webhook_configuration(const Context& context, meta::FieldErrors& errors) {
  std::set<std::string> names;
  meta::Patterns patterns;
  each(*context.object, "webhooks", meta::Path(), [&](const json::Value& hook, const meta::Path& path) {
    check_hook_name(json::string_or(hook, "name"), path.member("name"), names, errors);
    check_client_config(hook, path.member("clientConfig"), errors);
    each(hook, "rules", path, [&](const json::Value& rule, const meta::Path& here) { check_rule(rule, here, errors); });
    check_side_effects(hook, path, errors);
    check_review_versions(hook, path, errors);
    const auto seconds = json::int_at(hook, "timeoutSeconds").value_or(1);
    if (seconds < 1 || seconds > kLongestTimeout) {
      errors.invalid(path.member("timeoutSeconds"), json::Value(seconds),
                     "the timeout value must be between 1 and 30 seconds");
    }
    for (const std::string_view key : {"namespaceSelector", "objectSelector"}) {
      if (!present(hook, key)) continue;
      const auto here = path.member(key);
      const auto selector = meta::LabelSelector::from_json(member(hook, key), here.str());
      if (selector.ok()) continue;
      for (const auto& cause : selector.error().causes) errors.add(cause);
    }
    check_match_conditions(hook, path, patterns, errors);
  });
}

}  // namespace chandler::admission
