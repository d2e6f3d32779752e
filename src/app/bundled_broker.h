// Makes the brokers that come with the server known to its catalog: ClusterServiceBroker `chandler` with the address
// and password of this start.
#pragma once

#include "base/result.h"
#include "brokers/bundled.h"
#include "client/api.h"

namespace chandler::app {

// Blocking. What is as it should be is not written.
Result<void> register_bundled_broker(client::Api& api, const brokers::BundledBrokers& brokers);

}  // namespace chandler::app
