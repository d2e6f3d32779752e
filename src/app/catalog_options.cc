#include "app/catalog_options.h"

#include <map>

#include <fmt/format.h>

#include "base/text.h"
#include "base/time_text.h"

namespace chandler::app {
namespace {

template <typename Duration>
Result<void> read_duration(std::string_view flag, const std::string& text, Duration& out) {
  const auto parsed = parse_go_duration(text);
  if (!parsed || *parsed <= std::chrono::nanoseconds(0)) {
    return bad_request(fmt::format("{}: \"{}\" is no duration above zero; write it like 90s, 15m or 24h", flag, text));
  }
  out = std::chrono::duration_cast<Duration>(*parsed);
  return {};
}

Result<void> read_gates(const std::string& text, reconcilers::Settings& settings) {
  // Features that upstream could switch off and that are always on here are accepted, so that its command lines work.
  const std::map<std::string_view, bool*> gates = {{"ServicePlanDefaults", &settings.service_plan_defaults},
                                                   {"ServiceTypes", &settings.service_types},
                                                   {"SuggestedPlans", &settings.suggested_plans},
                                                   {"AsyncBindingOperations", nullptr},
                                                   {"NamespacedServiceBroker", nullptr},
                                                   {"OriginatingIdentity", nullptr},
                                                   {"OriginatingIdentityLocking", nullptr},
                                                   {"UpdateDashboardURL", nullptr},
                                                   {"CascadingDeletion", nullptr}};
  if (trim(text).empty()) return {};
  for (const auto piece : split(text, ',')) {
    const auto equals = piece.find('=');
    const auto name = trim(piece.substr(0, equals));
    const auto value = equals == piece.npos ? std::string_view() : trim(piece.substr(equals + 1));
    const auto found = gates.find(name);
    if (found == gates.end()) {
      std::vector<std::string_view> known;
      known.reserve(gates.size());
      for (const auto& [gate, unused] : gates) known.push_back(gate);
      const auto near = nearest(name, known);
      return bad_request(fmt::format("--feature-gates: there is no gate \"{}\"{}; known are {}", name,
                                     near.empty() ? "" : fmt::format(" (did you mean {}?)", near),
                                     fmt::join(known, ", ")));
    }
    if (value != "true" && value != "false") {
      return bad_request(fmt::format("--feature-gates: write {}=true or {}=false", name, name));
    }
    if (found->second != nullptr) {
      *found->second = value == "true";
    } else if (value == "false") {
      return bad_request(fmt::format("--feature-gates: {} is always on", name));
    }
  }
  return {};
}

Result<void> read_addresses(const CatalogOptions& options, reconcilers::Settings& settings) {
  auto rules = http::AddressRules::parse(
      options.deny_broker_networks, options.allow_local_brokers,
      {"ask an operator to register the broker as a ClusterServiceBroker, or to set --allow-local-brokers",
       "ask an operator to register the broker as a ClusterServiceBroker, or to take its network out of "
       "--deny-broker-networks"});
  if (!rules.ok()) return bad_request("--deny-broker-networks: " + rules.error().message);
  settings.namespaced_broker_addresses = std::make_shared<http::AddressRules>(*std::move(rules));
  return {};
}

}  // namespace

Result<reconcilers::Settings> settings_of(const CatalogOptions& options) {
  reconcilers::Settings settings;
  CH_TRY(read_duration("--osb-api-request-timeout", options.osb_api_request_timeout, settings.osb_api_request_timeout));
  CH_TRY(read_duration("--operation-polling-maximum-backoff-duration",
                       options.operation_polling_maximum_backoff_duration, settings.operation_polling_maximum_backoff));
  CH_TRY(read_duration("--reconciliation-retry-duration", options.reconciliation_retry_duration,
                       settings.reconciliation_retry_duration));
  CH_TRY(read_duration("--broker-relist-interval", options.broker_relist_interval, settings.broker_relist_interval));
  CH_TRY(read_gates(options.feature_gates, settings));
  const auto& version = options.osb_api_preferred_version;
  if (!version.starts_with("2.") || !parse_uint64(version.substr(2))) {
    return bad_request(
        fmt::format("--osb-api-preferred-version: \"{}\" is no version of the API; write it like 2.17", version));
  }
  settings.osb_api_version = version;
  CH_TRY(read_addresses(options, settings));
  return settings;
}

}  // namespace chandler::app
