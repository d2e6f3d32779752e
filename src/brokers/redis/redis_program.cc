#include "brokers/redis/redis_program.h"

#include <fmt/format.h>

#include "base/file.h"
#include "base/text.h"
#include "brokers/redis/redis_commands.h"
#include "brokers/redis/redis_session.h"
#include "osb/server/catalog.h"

namespace chandler::brokers {
namespace {

constexpr int64_t kSharedMemoryMib = 256;
// On the shared server no tenant takes all memory with one value, one request, or answers that it does not fetch.
constexpr std::string_view kSharedLimits =
    "proto-max-bulk-len 64mb\nclient-query-buffer-limit 96mb\nmaxmemory-clients 50%\n";

std::string server_path() { return find_program({"/usr/bin/redis-server", "/usr/local/bin/redis-server"}); }

// As a JSON string is how Redis reads a quoted word of its configuration.
std::string setting(std::string_view name, std::string_view value) {
  return fmt::format("{} {}\n", name, quoted(value));
}

}  // namespace

bool RedisProgram::is_installed() { return !server_path().empty(); }

Result<void> RedisProgram::initialise(const ServerPlace& place, const ServerRecord& record) const {
  return write_for_server(place.data + "/users.acl",
                          fmt::format("user default off\nuser {} on #{} ~* &* +@all\n", kAdminName,
                                      osb::server::sha256_hex(record.admin_password)),
                          place.account);
}

Result<Command> RedisProgram::begin(const ServerPlace& place, const ServerRecord& record) const {
  const bool is_shared = json::find(record.settings, "maxMemoryMiB") == nullptr;
  const int64_t memory = json::int_at(record.settings, "maxMemoryMiB").value_or(kSharedMemoryMib);
  const bool is_durable = json::string_or(record.settings, "persistence", "everysec") != "none";
  if (is_shared) {
    const std::string users = place.data + "/users.acl";
    CH_TRY_LET(before, read_file(users));
    const auto now = with_present_rules(before);
    if (now != before) CH_TRY(write_for_server(users, now, place.account));
  }
  std::string text;
  text += setting("bind", kLoopback);
  text += setting("port", std::to_string(record.port));
  text += setting("dir", place.data);
  text += setting("aclfile", place.data + "/users.acl");
  text += setting("daemonize", "no");
  text += setting("logfile", "");
  text += setting("appendonly", is_durable ? "yes" : "no");
  text += setting("appendfsync", "everysec");
  text += setting("save", "");
  // Tenants of a shared server are kept apart by prefixes, which are the same in all databases.
  text += setting("databases", is_shared ? "1" : "16");
  text += setting("maxmemory", std::to_string(memory) + "mb");
  text += setting("maxmemory-policy", json::string_or(record.settings, "evictionPolicy", "noeviction"));
  if (is_shared) text += kSharedLimits;
  const std::string file = place.scratch + "/redis.conf";
  CH_TRY(write_for_server(file, text, place.account));
  return place.command({server_path(), file});
}

Result<void> RedisProgram::probe(const ServerRecord& record) const {
  CH_TRY(RedisSession::connect(admin_address(record)));
  return {};
}

}  // namespace chandler::brokers
