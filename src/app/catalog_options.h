// What `chandler serve` and `chandler controllers` can be told about the service catalog. The names are those of the
// flags. Plain data.
#pragma once

#include <string>

#include "base/result.h"
#include "reconcilers/catalog/settings.h"

namespace chandler::app {

struct CatalogOptions {
  // Durations as Go writes them.
  std::string osb_api_request_timeout = "60s";
  std::string operation_polling_maximum_backoff_duration = "1m";
  std::string reconciliation_retry_duration = "168h";
  std::string broker_relist_interval = "24h";
  std::string osb_api_preferred_version = "2.17";
  std::string feature_gates;  // "ServiceTypes=false,SuggestedPlans=true"
  bool allow_local_brokers = false;
  std::string deny_broker_networks;  // "private,203.0.113.0/24"
};

// The settings they amount to, all but the cluster's ID. An error names the flag.
Result<reconcilers::Settings> settings_of(const CatalogOptions& options);

}  // namespace chandler::app
