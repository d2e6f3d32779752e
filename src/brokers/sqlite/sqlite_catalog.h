// The offering of the SQLite broker: one service, two plans, and what the plans allow. Pure.
#pragma once

#include <cstdint>
#include <string>
#include <string_view>

#include "base/result.h"
#include "json/value.h"
#include "osb/server/service.h"

namespace chandler::brokers {

// Fixed for ever: platforms know services and plans by these.
inline constexpr std::string_view kSqliteServiceId = "b6b7d3f4-2c7e-4e0f-9a56-6f0e5b1c8d21";
inline constexpr std::string_view kSqliteDefaultPlanId = "0d9d5c0a-7d0b-4f43-8b7e-3d1f6a2c9e10";
inline constexpr std::string_view kSqliteLargePlanId = "5a2e8f61-94c3-4b6d-a1d7-c80f3b7e4f92";

json::Value sqlite_catalog();

// What the parameters of an instance mean under its plan.
struct SqliteLimits {
  std::string journal_mode = "wal";  // or "delete"
  int64_t max_mib = 0;
  int64_t reserve_mib = 0;  // space that is taken at once
};
// The error names the parameter and what it may be.
Result<SqliteLimits> sqlite_limits(const osb::server::InstanceSpec& instance);

}  // namespace chandler::brokers
