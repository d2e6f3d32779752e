// What this program is. Clients read gitVersion as a semantic version and judge compatibility by it.
#pragma once

#include <string_view>

#include "json/value.h"

namespace chandler::apiserver {

inline constexpr std::string_view kKubernetesMinor = "32";  // the API level whose rules we follow

std::string_view program_version();  // "0.1.0"
json::Value version_document();      // /version

}  // namespace chandler::apiserver
