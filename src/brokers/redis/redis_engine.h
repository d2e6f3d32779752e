// Redis: an instance is a prefix of keys on a shared server, or a server of its own; a binding is a user. Holds no
// state.
//
// Traps that this goes around: the rules of a user say which keys a command may name, but many commands name none and
// concern everybody, and a script keeps the only thread of the server; redis_commands.h says what is left on a shared
// server. Users are in memory only until they are saved.
#pragma once

#include <memory>
#include <string>

#include "brokers/database/engine.h"

namespace chandler::brokers {

std::unique_ptr<Engine> make_redis_engine();

const ServiceOffer& redis_offer();

// Fixed for ever: platforms know services and plans by these.
inline constexpr std::string_view kRedisServiceId = "8d4f1b70-2e96-4a53-bc08-5f7e9d3a6c41";
inline constexpr std::string_view kRedisSharedPlanId = "f92a6c3e-7d08-4b1f-95e4-a0c8d7b3e652";
inline constexpr std::string_view kRedisDedicatedPlanId = "19b5e7d4-a3f6-4c82-8d90-6e2c1f0b7a98";

}  // namespace chandler::brokers
