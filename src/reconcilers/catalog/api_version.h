// Which version of the Open Service Broker API a broker is sent. Versions only add, and what a broker does not know it
// ignores; one that refuses a version (412) is sent the next lower one, and that is remembered in its status. Pure.
#pragma once

#include <optional>
#include <string>
#include <string_view>

#include "client/object.h"
#include "reconcilers/catalog/settings.h"

namespace chandler::reconcilers {

// The one that the settings prefer, or the lower one that the broker has made us use.
std::string api_version_for(const client::Object& broker, const Settings& settings);

// The next lower one that we speak; none below the lowest, or when `version` is no version.
std::optional<std::string> lower_api_version(std::string_view version);

}  // namespace chandler::reconcilers
