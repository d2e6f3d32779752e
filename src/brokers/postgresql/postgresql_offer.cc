#include "brokers/database/sql_offer.h"
#include "brokers/postgresql/postgresql_engine.h"

namespace chandler::brokers {
namespace {

ServiceOffer make() {
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
  offer.binding = {user_parameter("own the database")};
  offer.plans = sql_plans({.name = offer.name,
                           .shared_plan_id = kPostgresqlPlanId,
                           .server_plan_id = kPostgresqlServerPlanId,
                           .database_plan_id = kPostgresqlDatabasePlanId,
                           .database_and_server_plan_id = kPostgresqlDatabaseAndServerPlanId,
                           .on_shared = {20, 100},
                           .on_own = {100, 500},
                           .memory = "Shared buffers of the server"});
  return offer;
}

}  // namespace

const ServiceOffer& postgresql_offer() {
  static const ServiceOffer offer = make();
  return offer;
}

}  // namespace chandler::brokers
