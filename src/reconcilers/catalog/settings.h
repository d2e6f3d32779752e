// What operators may set about the controllers of the catalog; the flags of the same names fill it. Plain data.
#pragma once

#include <chrono>
#include <memory>
#include <string>

#include "osb/call.h"
#include "resolve/parameter_checksum.h"

namespace chandler::reconcilers {

struct Settings {
  std::string cluster_id;             // sent to brokers as clusterid and organization_guid
  std::string run;                    // names this run of the controllers; see begin_operation()
  resolve::ChecksumKey checksum_key;  // the same for every run, so that an unchanged parameter looks unchanged
  std::chrono::milliseconds osb_api_request_timeout{60'000};
  std::chrono::milliseconds polling_first_delay{1'000};
  std::chrono::milliseconds operation_polling_maximum_backoff{60'000};
  std::chrono::milliseconds retry_first_delay{1'000};
  std::chrono::milliseconds retry_last_delay{20 * 60'000};
  std::chrono::seconds reconciliation_retry_duration{7 * 24 * 3600};
  std::chrono::seconds broker_relist_interval{24 * 3600};
  std::string osb_api_version = "2.17";
  // Where brokers of a namespace may be: tenants write their URLs. Never null.
  std::shared_ptr<const osb::AddressRules> namespaced_broker_addresses = std::make_shared<osb::AddressRules>();

  // Feature gates.
  bool service_plan_defaults = true;
  bool service_types = true;
  bool suggested_plans = true;
};

}  // namespace chandler::reconcilers
