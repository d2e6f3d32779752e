#include "brokers/mysql/mysql_engine.h"

namespace chandler::brokers {
namespace {

ParameterRow connections(int64_t fallback, int64_t high, std::string description) {
  return {"maxConnections", std::move(description), ParameterRow::Type::kInteger, 1, high, fallback};
}

ParameterRow memory() {
  return {"memoryMiB", "Memory for the buffer pool of the server", ParameterRow::Type::kInteger, 16, 4096, 64};
}

ParameterRow character_set() {
  ParameterRow row{"characterSet", "Character set of new tables", ParameterRow::Type::kChoice};
  row.choices = {"utf8mb4", "utf8mb3", "latin1", "ascii", "binary"};
  return row;
}

ParameterRow server() {
  ParameterRow row{"server",
                   "The server to put the database on: spec.externalID of an instance of type mysql-server-only in the "
                   "same namespace",
                   ParameterRow::Type::kText};
  row.is_fixed = true;
  return row;
}

ServiceOffer make() {
  const std::string per_login = "Connections that each binding may have at the same time";
  ServiceOffer offer;
  offer.id = kMysqlServiceId;
  offer.name = "mysql";
  offer.display_name = "MySQL (MariaDB)";
  offer.description = "MySQL databases and servers, run with MariaDB";
  offer.long_description =
      "Databases that speak MySQL's protocol, on a MariaDB server. Each binding is a user of its own with a password "
      "of its own.";
  offer.server_version = "MariaDB 10.11";
  offer.tags = {"mysql", "mariadb", "sql", "database"};
  offer.secret_transform =
      json::Array{json::Object{{"addKey", json::Object{{"key", "DATABASE_URL"}, {"jsonPathExpression", "{.uri}"}}}}};
  ParameterRow user{"user", "What the login may do: everything in the database, change data, or only read",
                    ParameterRow::Type::kChoice};
  user.choices = {"admin", "writer", "reader"};
  offer.binding = {user};
  offer.plans = {
      {std::string(kMysqlPlanId),
       "mysql",
       "Shared server",
       "A database on the shared server, ready at once",
       "mysql",
       PlanShape::kShared,
       {"On a server that others use too", "Up to 200 connections per binding"},
       {"Server=shared", "MaxConnections=200"},
       {connections(40, 200, per_login), character_set()}},
      {std::string(kMysqlServerPlanId),
       "mysql-server-only",
       "Server only",
       "A server of your own, without a database: bindings may create databases",
       "mysql-server-only",
       PlanShape::kServer,
       {"Its own server process", "Bindings administer the server"},
       {"Server=dedicated", "MaxConnections=1000"},
       {connections(100, 1000, "Connections that the server takes"), memory()}},
      {std::string(kMysqlDatabasePlanId),
       "mysql-database-only",
       "Database only",
       "A database on a server that you have already",
       "mysql-database-only",
       PlanShape::kDatabaseOnServer,
       {"On a server of the plan mysql-server-only, in the same namespace"},
       {"Server=existing"},
       {connections(40, 200, per_login), character_set(), server()}},
      {std::string(kMysqlDatabaseAndServerPlanId),
       "mysql-database-and-server",
       "Database and server",
       "A server of your own with a database on it",
       "mysql-database-and-server",
       PlanShape::kDatabaseAndServer,
       {"Its own server process", "Memory as you need it"},
       {"Server=dedicated", "MaxConnections=1000"},
       {connections(100, 1000, per_login), character_set(), memory()}},
  };
  return offer;
}

}  // namespace

const ServiceOffer& mysql_offer() {
  static const ServiceOffer offer = make();
  return offer;
}

}  // namespace chandler::brokers
