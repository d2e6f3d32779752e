#include "brokers/database/sql_offer.h"

#include <utility>

#include <fmt/format.h>

namespace chandler::brokers {
namespace {

using Type = ParameterRow::Type;
using Rows = std::vector<ParameterRow>;

constexpr int64_t kLeastMemoryMib = 16;
constexpr int64_t kMostMemoryMib = 4096;
constexpr int64_t kUsualMemoryMib = 64;

Rows connections(const ConnectionBounds& bounds, bool of_server) {
  return {{"maxConnections",
           of_server ? "Connections that the server takes" : "Connections that each binding may have at the same time",
           Type::kInteger, 1, bounds.high, bounds.fallback}};
}

ParameterRow memory(const SqlOffer& offer) {
  return {"memoryMiB", offer.memory, Type::kInteger, kLeastMemoryMib, kMostMemoryMib, kUsualMemoryMib};
}

ParameterRow server(const SqlOffer& offer) {
  ParameterRow row{"server",
                   fmt::format("The server to put the database on: spec.externalID of an instance of type "
                               "{}-server-only in the same namespace",
                               offer.name),
                   Type::kText};
  row.is_fixed = true;
  return row;
}

Rows joined(Rows rows, const Rows& more) {
  rows.insert(rows.end(), more.begin(), more.end());
  return rows;
}

}  // namespace

std::vector<PlanOffer> sql_plans(const SqlOffer& offer) {
  const auto limit = [](const ConnectionBounds& bounds) { return fmt::format("MaxConnections={}", bounds.high); };
  const auto on_shared = joined(connections(offer.on_shared, false), offer.of_database);
  const auto plan = [&](std::string_view id, std::string_view suffix) {
    PlanOffer row;
    row.id = id;
    row.name = offer.name + std::string(suffix);
    row.service_type = row.name;
    return row;
  };

  auto shared = plan(offer.shared_plan_id, "");
  shared.display_name = "Shared server";
  shared.description = "A database on the shared server, ready at once";
  shared.shape = PlanShape::kShared;
  shared.bullets = {"On a server that others use too",
                    fmt::format("Up to {} connections, shared by the bindings", offer.on_shared.high)};
  shared.attributes = {"Server=shared", limit(offer.on_shared)};
  shared.parameters = on_shared;

  auto server_only = plan(offer.server_plan_id, "-server-only");
  server_only.display_name = "Server only";
  server_only.description = "A server of your own: bindings may create databases";
  server_only.shape = PlanShape::kServer;
  server_only.bullets = {"Its own server process", "Bindings may create databases"};
  server_only.attributes = {"Server=dedicated", limit(offer.on_own)};
  server_only.parameters = joined(connections(offer.on_own, true), {memory(offer)});

  auto database_only = plan(offer.database_plan_id, "-database-only");
  database_only.display_name = "Database only";
  database_only.description = "A database on a server that you have already";
  database_only.shape = PlanShape::kDatabaseOnServer;
  database_only.bullets = {fmt::format("On a server of the plan {}, in the same namespace", server_only.name)};
  database_only.attributes = {"Server=existing"};
  database_only.parameters = joined(on_shared, {server(offer)});

  auto both = plan(offer.database_and_server_plan_id, "-database-and-server");
  both.display_name = "Database and server";
  both.description = "A server of your own with a database on it";
  both.shape = PlanShape::kDatabaseAndServer;
  both.bullets = {"Its own server process", "Memory as you need it"};
  both.attributes = server_only.attributes;
  both.parameters = joined(joined(connections(offer.on_own, false), offer.of_database), {memory(offer)});

  return {std::move(shared), std::move(server_only), std::move(database_only), std::move(both)};
}

}  // namespace chandler::brokers
