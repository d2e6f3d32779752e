#include "svcat/catalog/input.h"

#include <fmt/format.h>

#include "base/file.h"
#include "base/text.h"
#include "json/reader.h"
#include "json/yaml.h"
#include "resolve/secret_transform.h"

namespace chandler::svcat {
namespace {

Result<json::Value> read_value(std::string_view flag, const std::string& text) {
  if (text.starts_with('@')) {
    auto content = read_file(text.substr(1));
    if (!content.ok()) return usage_error(fmt::format("--{}: {}", flag, content.error().message));
    auto parsed = json::parse_yaml(*content);
    if (!parsed.ok()) return usage_error(fmt::format("--{} {}: {}", flag, text, parsed.error().message));
    return parsed;
  }
  auto parsed = json::parse(text);
  if (!parsed.ok()) return usage_error(fmt::format("--{} is no valid JSON: {}", flag, parsed.error().message));
  return parsed;
}

void set_or_erase(json::Object& object, std::string_view key, json::Value value) {
  const bool empty = value.is_object()  ? value.get_object().empty()
                     : value.is_array() ? value.get_array().empty()
                                        : value.is_null();
  if (empty) {
    object.erase(key);
  } else {
    object[key] = std::move(value);
  }
}

}  // namespace

Result<json::Value> read_object(std::string_view flag, const std::string& text) {
  CH_TRY_LET(value, read_value(flag, text));
  if (!value.is_object()) {
    return usage_error(fmt::format("--{} must be a JSON object such as '{{\"size\": 3}}'; it is of type {}", flag,
                                   json::type_name(value)));
  }
  return value;
}

Result<json::Object> read_parameters(const Call& call) {
  json::Object parameters;
  const auto given = call.flags("param");
  if (call.given("params-json")) {
    if (!given.empty()) return usage_error("--param and --params-json cannot be used together; leave one out");
    CH_TRY_LET(value, read_object("params-json", call.flag("params-json")));
    return std::move(value.get_object());
  }
  for (const auto& one : given) {
    const auto equals = one.find('=');
    if (equals == std::string::npos || equals == 0) {
      return usage_error("--param must be NAME=VALUE, such as --param location=westus");
    }
    const auto name = one.substr(0, equals);
    const json::Value value(one.substr(equals + 1));
    auto* before = parameters.if_contains(name);
    if (before == nullptr) {
      parameters[name] = value;
    } else if (before->is_array()) {
      before->get_array().push_back(value);
    } else {
      *before = json::Array{*before, value};
    }
  }
  return parameters;
}

Result<json::Array> read_parameters_from(const Call& call) {
  json::Array sources;
  for (const auto& one : call.flags("secret")) {
    const auto open = one.find('[');
    if (open == std::string::npos || open == 0 || !one.ends_with(']') || open + 2 >= one.size()) {
      return usage_error(fmt::format("--secret {} must be SECRET[KEY], such as --secret 'login[params]'", quoted(one)));
    }
    json::Object reference{{"name", one.substr(0, open)}, {"key", one.substr(open + 1, one.size() - open - 2)}};
    sources.push_back(json::Object{{"secretKeyRef", std::move(reference)}});
  }
  return sources;
}

Result<json::Array> read_transforms(const Call& call) {
  json::Array transforms;
  for (const auto& one : call.flags("secret-transform")) {
    if (one.starts_with('[') || one.starts_with('@')) {
      CH_TRY_LET(list, read_value("secret-transform", one));
      if (!list.is_array()) return usage_error("--secret-transform must be a list of transforms");
      for (auto& transform : list.get_array()) transforms.push_back(std::move(transform));
      continue;
    }
    const auto equals = one.find('=');
    if (equals == std::string::npos || equals == 0 || equals + 1 == one.size()) {
      return usage_error("--secret-transform must be FROM=TO, a JSON list of transforms, or @FILE");
    }
    json::Object rename{{"from", one.substr(0, equals)}, {"to", one.substr(equals + 1)}};
    transforms.push_back(json::Object{{"renameKey", std::move(rename)}});
  }
  meta::FieldErrors faults;
  resolve::parse_secret_transforms(json::Value(transforms), meta::Path("secretTransform"), faults);
  if (!faults.empty()) {
    const auto& first = faults.causes().front();
    return usage_error(fmt::format("--secret-transform: {}: {}", first.field, first.message));
  }
  return transforms;
}

Result<std::vector<std::string>> write_defaults(const Call& call, json::Object& spec) {
  std::vector<std::string> written;
  if (call.given("type")) {
    set_or_erase(spec, "serviceType", call.flag("type").empty() ? json::Value() : json::Value(call.flag("type")));
    written.emplace_back("serviceType");
  }
  for (const auto& [flag, field] : {std::pair("provision-params", "defaultProvisionParameters"),
                                    std::pair("bind-params", "defaultBindingParameters")}) {
    if (!call.given(flag)) continue;
    CH_TRY_LET(value, read_object(flag, call.flag(flag)));
    set_or_erase(spec, field, std::move(value));
    written.emplace_back(field);
  }
  if (call.given("secret-transform")) {
    CH_TRY_LET(transforms, read_transforms(call));
    set_or_erase(spec, "defaultSecretTransform", json::Value(std::move(transforms)));
    written.emplace_back("defaultSecretTransform");
  }
  return written;
}

}  // namespace chandler::svcat
