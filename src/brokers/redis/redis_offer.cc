#include "brokers/redis/redis_engine.h"

#include "brokers/database/offer.h"

namespace chandler::brokers {
namespace {

ParameterRow choices(std::string name, std::string description, std::vector<std::string> values) {
  ParameterRow row{std::move(name), std::move(description), ParameterRow::Type::kChoice};
  row.choices = std::move(values);
  return row;
}

ServiceOffer make() {
  const auto scripting =
      choices("scripting", "Whether bindings may run Lua scripts and functions", {"allowed", "refused"});
  auto no_scripting =
      choices("scripting", "Lua scripts and functions do not run on the shared server: everybody would wait for them",
              {"refused"});
  no_scripting.former_choices = {"allowed"};
  ServiceOffer offer;
  offer.id = kRedisServiceId;
  offer.name = "redis";
  offer.display_name = "Redis";
  offer.description = "Redis, shared by prefix or as a server of your own";
  offer.long_description =
      "Keys and values in memory, kept on disk. On the shared server all keys of an instance begin with the prefix "
      "that is in its credentials, and memory is shared: Redis has no limit for each user. Each binding is a user of "
      "its "
      "own with a password of its own.";
  offer.server_version = "Redis 7.0";
  offer.tags = {"redis", "cache", "key-value"};
  offer.binding = {user_parameter("everything")};
  offer.plans = {
      {std::string(kRedisSharedPlanId),
       "shared",
       "Shared server",
       "A prefix of keys on the shared server, ready at once; its memory is shared with all other instances",
       "redis",
       PlanShape::kShared,
       {"On a server that others use too", "Keys must begin with the prefix in the credentials",
        "Memory and connections are shared by all: 256 MiB on the bundled server, and when it is full, writes of all "
        "are refused (noeviction)",
        "No scripts and functions, no commands that concern others"},
       {"Server=shared"},
       {no_scripting}},
      {std::string(kRedisDedicatedPlanId),
       "dedicated",
       "Dedicated server",
       "A server of your own, with memory of its own",
       "redis",
       PlanShape::kDatabaseAndServer,
       {"Its own server process", "All 16 databases and every key"},
       {"Server=dedicated", "MaxMemoryMiB=4096"},
       {scripting,
        {"maxMemoryMiB", "Memory for data", ParameterRow::Type::kInteger, 8, 4096, 64},
        choices("evictionPolicy", "What happens when memory is full",
                {"noeviction", "allkeys-lru", "allkeys-lfu", "allkeys-random", "volatile-lru", "volatile-lfu",
                 "volatile-random", "volatile-ttl"}),
        choices("persistence", "How often data is written to disk", {"everysec", "none"})},
       false},
  };
  return offer;
}

}  // namespace

const ServiceOffer& redis_offer() {
  static const ServiceOffer offer = make();
  return offer;
}

}  // namespace chandler::brokers
