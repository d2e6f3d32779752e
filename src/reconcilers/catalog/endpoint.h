// How to reach a broker: address, trust and credentials, read from the broker object and its secret.
#pragma once

#include <string>

#include "base/result.h"
#include "controller/view.h"
#include "osb/call.h"
#include "reconcilers/catalog/kinds.h"
#include "reconcilers/catalog/settings.h"

namespace chandler::reconcilers {

client::Object broker_object(const BrokerRef& ref, controller::View& view);
// An error names the secret and the key that is missing, never a value.
Result<osb::Endpoint> endpoint_of(const client::Object& broker, Scope scope, const Settings& settings,
                                  controller::View& view);

// The user as brokers are told: {"username","uid","groups","extra"} as JSON; "" when there is none.
std::string identity_of(const json::Value& user_info);

}  // namespace chandler::reconcilers
