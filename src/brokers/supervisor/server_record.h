// What is remembered of one server that we run: its port, its admin's password, whose it is, its settings, and the
// databases that instances have on it. Stored as JSON for the owner only. Pure.
#pragma once

#include <cstdint>
#include <set>
#include <string>
#include <string_view>

#include "base/result.h"
#include "json/value.h"

namespace chandler::brokers {

inline constexpr std::string_view kAdminName = "chandler";
inline constexpr std::string_view kLoopback = "127.0.0.1";

struct ServerRecord {
  std::string name;
  uint16_t port = 0;
  std::string admin_password;
  std::string organization;  // whose it is; both empty: everybody's
  std::string space;
  bool takes_members = false;  // databases of other instances may be put on it
  json::Value settings = json::Object();
  std::set<std::string> members;  // databases of other instances

  bool operator==(const ServerRecord&) const = default;
};

std::string write_record(const ServerRecord& record);
// The error says what is wrong, never a value.
Result<ServerRecord> read_record(std::string_view text);

}  // namespace chandler::brokers
