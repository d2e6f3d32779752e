// MariaDB databases: an instance is a database, a binding a user of it. Holds no state.
//
// Traps that this goes around: '_' and '%' in a GRANT are wildcards (our names have none); DROP USER leaves sessions
// alive (they are locked out and killed first); DROP DATABASE waits for open transactions (there are none by then).
#pragma once

#include <memory>
#include <string>

#include "brokers/database/engine.h"

namespace chandler::brokers {

std::unique_ptr<Engine> make_mysql_engine();

const ServiceOffer& mysql_offer();

// Fixed for ever: platforms know services and plans by these.
inline constexpr std::string_view kMysqlServiceId = "3f0c7a52-6b1d-4d8e-9c57-2a4e8b90d1f3";
inline constexpr std::string_view kMysqlPlanId = "c1e65d0b-4a8f-4f2d-8b3e-7d5f90a1c264";
inline constexpr std::string_view kMysqlServerPlanId = "7e2b9f48-0c53-4d1a-b6e7-95a8c3d4f012";
inline constexpr std::string_view kMysqlDatabasePlanId = "94d3a6e1-8f27-4b5c-a0d9-e6b1f7c82350";
inline constexpr std::string_view kMysqlDatabaseAndServerPlanId = "a85f1c37-d264-4e90-8b1f-3c7e6d90b4a2";

}  // namespace chandler::brokers
