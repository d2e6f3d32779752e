// The controllers of binding usages: UsageKinds, ServiceBindingUsages, and what became of PodPresets.
#pragma once

#include "app/family.h"

namespace chandler::app {

inline constexpr std::string_view kUsageDuty = "binding-usage";

Family usage_family();

}  // namespace chandler::app
