// Catalogs of the scripted broker: a small one with a service for every peculiarity, and generated ones of any size.
// Pure.
#pragma once

#include <cstddef>
#include <string_view>

#include "json/value.h"

namespace chandler::brokers {

inline constexpr std::string_view kScriptedServiceId = "3f1c7a52-8e0b-4d5c-b2a4-1d9e6c70f101";
inline constexpr std::string_view kScriptedSyncPlanId = "3f1c7a52-8e0b-4d5c-b2a4-1d9e6c70f111";
inline constexpr std::string_view kScriptedAsyncPlanId = "3f1c7a52-8e0b-4d5c-b2a4-1d9e6c70f112";
inline constexpr std::string_view kScriptedPaidPlanId = "3f1c7a52-8e0b-4d5c-b2a4-1d9e6c70f113";
inline constexpr std::string_view kScriptedAsyncBindingsPlanId = "3f1c7a52-8e0b-4d5c-b2a4-1d9e6c70f114";
inline constexpr std::string_view kScriptedUnbindableServiceId = "3f1c7a52-8e0b-4d5c-b2a4-1d9e6c70f201";
inline constexpr std::string_view kScriptedUnbindablePlanId = "3f1c7a52-8e0b-4d5c-b2a4-1d9e6c70f211";
inline constexpr std::string_view kScriptedPlainServiceId = "3f1c7a52-8e0b-4d5c-b2a4-1d9e6c70f301";
inline constexpr std::string_view kScriptedPlainPlanId = "3f1c7a52-8e0b-4d5c-b2a4-1d9e6c70f311";

json::Value scripted_catalog();
// Services "generated-<i>" with plans "plan-<j>"; ids are derived from the numbers.
json::Value generated_catalog(size_t classes, size_t plans);

}  // namespace chandler::brokers
