#include "brokers/postgresql/postgresql_engine.h"

namespace chandler::brokers {
namespace {

ParameterRow connections(int64_t fallback, int64_t high, std::string description) {
  return {"maxConnections", std::move(description), ParameterRow::Type::kInteger, 1, high, fallback};
}

ParameterRow memory() {
  return {"memoryMiB", "Shared buffers of the server", ParameterRow::Type::kInteger, 16, 4096, 64};
}

ParameterRow server() {
  ParameterRow row{"server",
                   "The server to put the database on: spec.externalID of an instance of type postgresql-server-only "
                   "in the same namespace",
                   ParameterRow::Type::kText};
  row.is_fixed = true;
  return row;
}

ServiceOffer make() {
  const std::string per_login = "Connections that each binding may have at the same time";
  ServiceOffer offer;
  offer.id = kPostgresqlServiceId;
  offer.name = "postgresql";
  offer.display_name = "PostgreSQL";
  offer.description = "PostgreSQL databases and servers";
  offer.long_description =
      "PostgreSQL databases. What any binding creates belongs to the instance, so bindings come and go and the tables "
      "stay. Each binding is a login of its own with a password of its own.";
  offer.server_version = "PostgreSQL 15";
  offer.tags = {"postgresql", "postgres", "sql", "database"};
  ParameterRow user{"user", "What the login may do: own the database, change data, or only read",
                    ParameterRow::Type::kChoice};
  user.choices = {"admin", "writer", "reader"};
  offer.binding = {user};
  offer.plans = {
      {std::string(kPostgresqlPlanId),
       "postgresql",
       "Shared server",
       "A database on the shared server, ready at once",
       "postgresql",
       PlanShape::kShared,
       {"On a server that others use too", "Up to 100 connections per binding"},
       {"Server=shared", "MaxConnections=100"},
       {connections(20, 100, per_login)}},
      {std::string(kPostgresqlServerPlanId),
       "postgresql-server-only",
       "Server only",
       "A server of your own: bindings may create databases",
       "postgresql-server-only",
       PlanShape::kServer,
       {"Its own server process", "Bindings may create databases"},
       {"Server=dedicated", "MaxConnections=500"},
       {connections(100, 500, "Connections that the server takes"), memory()}},
      {std::string(kPostgresqlDatabasePlanId),
       "postgresql-database-only",
       "Database only",
       "A database on a server that you have already",
       "postgresql-database-only",
       PlanShape::kDatabaseOnServer,
       {"On a server of the plan postgresql-server-only, in the same namespace"},
       {"Server=existing"},
       {connections(20, 100, per_login), server()}},
      {std::string(kPostgresqlDatabaseAndServerPlanId),
       "postgresql-database-and-server",
       "Database and server",
       "A server of your own with a database on it",
       "postgresql-database-and-server",
       PlanShape::kDatabaseAndServer,
       {"Its own server process", "Memory as you need it"},
       {"Server=dedicated", "MaxConnections=500"},
       {connections(100, 500, per_login), memory()}},
  };
  return offer;
}

}  // namespace

const ServiceOffer& postgresql_offer() {
  static const ServiceOffer offer = make();
  return offer;
}

}  // namespace chandler::brokers
