#include "brokers/database/sql_offer.h"
#include "brokers/mysql/mysql_engine.h"

namespace chandler::brokers {
namespace {

ParameterRow character_set() {
  ParameterRow row{"characterSet", "Character set of new tables", ParameterRow::Type::kChoice};
  row.choices = {"utf8mb4", "utf8mb3", "latin1", "ascii", "binary"};
  return row;
}

ServiceOffer make() {
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
  offer.binding = {user_parameter("everything in the database")};
  offer.plans = sql_plans({.name = offer.name,
                           .shared_plan_id = kMysqlPlanId,
                           .server_plan_id = kMysqlServerPlanId,
                           .database_plan_id = kMysqlDatabasePlanId,
                           .database_and_server_plan_id = kMysqlDatabaseAndServerPlanId,
                           .on_shared = {40, 200},
                           .on_own = {100, 1000},
                           .memory = "Memory for the buffer pool of the server",
                           .of_database = {character_set()}});
  return offer;
}

}  // namespace

const ServiceOffer& mysql_offer() {
  static const ServiceOffer offer = make();
  return offer;
}

}  // namespace chandler::brokers
