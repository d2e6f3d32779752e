#include "webhooks/hook.h"

#include <algorithm>
#include <utility>

#include <fmt/format.h>

#include "base/text.h"

namespace chandler::webhooks {
namespace {

constexpr int64_t kLongestSeconds = 30;
constexpr int64_t kUsualSeconds = 10;

std::vector<std::string> texts_of(const json::Value& parent, std::string_view key) {
  std::vector<std::string> out;
  const auto* items = json::array_at(parent, key);
  for (size_t i = 0; items != nullptr && i < items->size(); ++i) {
    if ((*items)[i].is_string()) out.emplace_back(json::view((*items)[i].get_string()));
  }
  return out;
}

meta::LabelSelector selector_of(const json::Value& hook, std::string_view key, std::string& fault) {
  const auto* value = json::find(hook, key);
  if (value == nullptr || value->is_null()) return {};
  auto selector = meta::LabelSelector::from_json(*value, key);
  if (selector.ok()) return std::move(selector).value();
  fault = fmt::format("its {} cannot be read", key);
  return {};
}

void read_client_config(const json::Value& hook, Hook& out) {
  const auto* config = json::find(hook, "clientConfig");
  if (config == nullptr) {
    out.unusable = "it has no clientConfig";
    return;
  }
  http::ClientTls tls;
  if (const auto bundle = json::string_at(*config, "caBundle"); bundle && !bundle->empty()) {
    const auto pem = base64_decode(*bundle);
    if (pem) tls.ca_pem = *pem;
    if (tls.ca_pem.find("-----BEGIN ") == std::string::npos) {
      out.unusable = "its caBundle holds no certificate in PEM form";
    }
  }
  out.url = json::string_or(*config, "url");
  if (const auto* service = json::find(*config, "service"); service != nullptr && service->is_object()) {
    HookService to;
    to.ns = json::string_or(*service, "namespace");
    to.name = json::string_or(*service, "name");
    to.path = json::string_or(*service, "path", "/");
    to.port = json::int_at(*service, "port").value_or(443);
    tls.server_name = fmt::format("{}.{}.svc", to.name, to.ns);  // what such a webhook's certificate is made out to
    out.service = std::move(to);
  }
  if (out.url.empty() && !out.service) out.unusable = "its clientConfig has neither url nor service";
  out.tls = std::make_shared<const http::ClientTls>(std::move(tls));
}

void read_conditions(const json::Value& hook, Hook& out) {
  const auto* conditions = json::array_at(hook, "matchConditions");
  meta::Patterns patterns;
  for (size_t i = 0; conditions != nullptr && i < conditions->size(); ++i) {
    const auto& one = (*conditions)[i];
    const auto name = json::string_or(one, "name");
    auto compiled = admission::MatchCondition::compile(json::string_or(one, "expression"), patterns);
    if (compiled.ok()) {
      out.conditions.push_back({name, std::move(compiled).value()});
    } else {
      out.unusable = fmt::format("its match condition {} does not compile", quoted(name));
    }
  }
}

HookPtr read_hook(const json::Value& hook, bool mutating) {
  auto out = std::make_shared<Hook>();
  out->name = json::string_or(hook, "name");
  out->mutating = mutating;
  const auto* rules = json::array_at(hook, "rules");
  for (size_t i = 0; rules != nullptr && i < rules->size(); ++i) {
    const auto& rule = (*rules)[i];
    out->rules.push_back({texts_of(rule, "operations"), texts_of(rule, "apiGroups"), texts_of(rule, "apiVersions"),
                          texts_of(rule, "resources"), json::string_or(rule, "scope", "*")});
  }
  out->exact = json::string_or(hook, "matchPolicy") == "Exact";
  out->fails_open = json::string_or(hook, "failurePolicy") == "Ignore";
  out->reinvoked = json::string_or(hook, "reinvocationPolicy") == "IfNeeded";
  const auto effects = json::string_or(hook, "sideEffects");
  out->dry_run_safe = effects == "None" || effects == "NoneOnDryRun";
  out->timeout = std::chrono::seconds(
      std::clamp<int64_t>(json::int_at(hook, "timeoutSeconds").value_or(kUsualSeconds), 1, kLongestSeconds));
  read_client_config(hook, *out);
  out->namespaces = selector_of(hook, "namespaceSelector", out->unusable);
  out->objects = selector_of(hook, "objectSelector", out->unusable);
  read_conditions(hook, *out);
  const auto versions = texts_of(hook, "admissionReviewVersions");
  if (std::find(versions.begin(), versions.end(), "v1") == versions.end()) {
    out->unusable = "it does not understand version v1 of AdmissionReview";
  }
  return out;
}

}  // namespace

std::vector<HookPtr> read_hooks(const json::Value& configuration, bool mutating) {
  std::vector<HookPtr> out;
  const auto* hooks = json::array_at(configuration, "webhooks");
  for (size_t i = 0; hooks != nullptr && i < hooks->size(); ++i) out.push_back(read_hook((*hooks)[i], mutating));
  return out;
}

}  // namespace chandler::webhooks
