// PostgreSQL databases. An instance is a database and three roles that cannot log in: the owner of all that is in it,
// one that may change data, one that may read. A binding is a login in one of the roles. Holds no state.
//
// Traps that this goes around: a role that owns something cannot be dropped (what logins create belongs to the owner
// role; the rest is handed over); DROP ROLE leaves sessions alive (they are ended first, found by the role's number);
// CREATE DATABASE cannot be part of a transaction (the database takes no connections until it is complete).
#pragma once

#include <memory>
#include <string>

#include "brokers/database/engine.h"

namespace chandler::brokers {

std::unique_ptr<Engine> make_postgresql_engine();

const ServiceOffer& postgresql_offer();

// Fixed for ever: platforms know services and plans by these.
inline constexpr std::string_view kPostgresqlServiceId = "5b8e2d61-9f43-4c7a-8e15-d0b6a3c7f294";
inline constexpr std::string_view kPostgresqlPlanId = "e4a7c9d2-1b65-4f38-9d0e-8c2f7a5b3e16";
inline constexpr std::string_view kPostgresqlServerPlanId = "2d9f6b83-5e17-4a4c-b8f0-61c3e9d7a205";
inline constexpr std::string_view kPostgresqlDatabasePlanId = "b07c4e5f-3a92-4d61-8c7b-f5e2d8a1906c";
inline constexpr std::string_view kPostgresqlDatabaseAndServerPlanId = "6f13d8a4-c72e-4b95-a3d6-09e8b7f5c1d2";

}  // namespace chandler::brokers
