#include "brokers/redis/redis_engine.h"

#include <algorithm>

#include <fmt/format.h>

#include "base/text.h"
#include "brokers/redis/redis_commands.h"
#include "brokers/redis/redis_program.h"
#include "brokers/redis/redis_session.h"
#include "osb/server/catalog.h"

namespace chandler::brokers {
namespace {

using Words = std::vector<std::string>;

constexpr const char* kScanBatch = "500";
constexpr const char* kNoWriting = "-@write";

std::string prefix_of(const Tenant& tenant) { return tenant.name('p') + ":"; }

void append(Words& words, std::initializer_list<const char*> more) {
  words.insert(words.end(), more.begin(), more.end());
}

// Which commands a user may run. With a server of one's own, whether scripts are among them can change while users
// exist.
Words command_rules(const Tenant& tenant, bool is_reader) {
  Words words;
  if (tenant.is_alone) {
    append(words, {"+@all", "-@dangerous", "-@admin", "+keys", "+sort", "+sort_ro", "+flushdb", "+flushall", "+info",
                   "+restore", "+swapdb"});
    if (choice(tenant.settings, "scripting") == "refused") {
      append(words, {"-@scripting"});
    } else {
      append(words, {"+eval", "+eval_ro", "+evalsha", "+evalsha_ro", "+fcall", "+fcall_ro", "+script", "+function"});
    }
  } else {
    words = shared_command_rules();
  }
  if (is_reader) append(words, {kNoWriting});  // the last word counts
  return words;
}

Words joined(Words words, const Words& more) {
  words.insert(words.end(), more.begin(), more.end());
  return words;
}

// The complete rules of a user, beginning from nothing.
Words rules_of(const Tenant& tenant, const Login& login) {
  Words words = {"ACL", "SETUSER", login.username, "reset", "on", "#" + osb::server::sha256_hex(login.password)};
  for (const char* kind : {"~", "&"})
    words.push_back(tenant.is_alone ? kind + std::string("*") : kind + prefix_of(tenant) + "*");
  return joined(std::move(words), command_rules(tenant, login.access == "reader"));
}

// Users outlive a restart only when they are in a file.
Result<void> keep_users(RedisSession& session) {
  if (session.command({"ACL", "SAVE"}).ok() || session.command({"CONFIG", "REWRITE"}).ok()) return {};
  return unavailable(
      "the Redis server cannot keep users over a restart; start it with an aclfile or a configuration file");
}

struct User {
  std::string name;
  bool is_reader = false;
};

// Users made by earlier versions, of whichever tenant, get the rules that they would get now. Where we run the server,
// they have got them before it started.
Result<void> renew_former_users(RedisSession& session) {
  CH_TRY_LET(list, session.command({"ACL", "LIST"}));
  for (const auto& line : list.items) {
    if (!has_former_rules(line.text)) continue;
    const auto words = split(line.text, ' ');
    const bool is_reader = std::find(words.begin(), words.end(), kNoWriting) != words.end();
    CH_TRY(session.command(joined({"ACL", "SETUSER", std::string(words[1])}, command_rules(Tenant(), is_reader))));
  }
  return {};
}

// Users that may use the tenant's keys.
Result<std::vector<User>> users_of(RedisSession& session, const Tenant& tenant) {
  CH_TRY_LET(list, session.command({"ACL", "LIST"}));
  const std::string pattern = "~" + prefix_of(tenant) + "*";
  std::vector<User> users;
  for (const auto& line : list.items) {
    const auto words = split(line.text, ' ');  // user NAME on ...
    if (words.size() < 3) continue;
    const bool is_ours = words[1].size() == 25 && words[1][0] == 'u';
    for (const auto word : words) {
      if (is_ours && (word == pattern || (tenant.is_alone && word == "~*"))) {
        users.push_back({std::string(words[1]), std::find(words.begin(), words.end(), kNoWriting) != words.end()});
        break;
      }
    }
  }
  return users;
}

// The numbers of the databases that hold keys: lines such as "db0:keys=1,expires=0".
Result<Words> databases(RedisSession& session) {
  CH_TRY_LET(info, session.command({"INFO", "keyspace"}));
  Words numbers;
  for (const auto line : split(info.text, '\n')) {
    const size_t colon = line.find(':');
    if (line.starts_with("db") && colon != std::string_view::npos) numbers.emplace_back(line.substr(2, colon - 2));
  }
  return numbers;
}

Result<void> remove_keys(RedisSession& session, const std::string& prefix) {
  CH_TRY_LET(numbers, databases(session));
  for (const auto& number : numbers) {
    CH_TRY(session.command({"SELECT", number}));
    std::string cursor = "0";
    do {
      CH_TRY_LET(page, session.command({"SCAN", cursor, "MATCH", prefix + "*", "COUNT", kScanBatch}));
      if (page.items.size() != 2) return unavailable("the Redis server answers SCAN in a way that is not known");
      cursor = page.items[0].text;
      Words unlink = {"UNLINK"};
      for (const auto& key : page.items[1].items) unlink.push_back(key.text);
      if (unlink.size() > 1) CH_TRY(session.command(unlink));
    } while (cursor != "0");
  }
  return {};
}

class RedisEngine final : public Engine {
 public:
  const ServiceOffer& offer() const override { return redis_offer(); }
  const ServerProgram& program() const override { return program_; }
  bool is_installed() const override { return RedisProgram::is_installed(); }
  std::string_view package() const override { return "redis-server"; }

  // There is nothing to make for a prefix. That users can be kept is found out before anybody needs one.
  Result<void> create_tenant(const ServerAddress& server, const Tenant& tenant) const override {
    CH_TRY_LET(session, RedisSession::connect(server));
    CH_TRY(renew_former_users(session));
    CH_TRY_LET(users, users_of(session, tenant));
    for (const auto& user : users) {
      CH_TRY(session.command(joined({"ACL", "SETUSER", user.name}, command_rules(tenant, user.is_reader))));
    }
    return keep_users(session);
  }

  Result<void> drop_tenant(const ServerAddress& server, const Tenant& tenant) const override {
    CH_TRY_LET(session, RedisSession::connect(server));
    CH_TRY_LET(users, users_of(session, tenant));
    for (const auto& user : users) CH_TRY(session.command({"ACL", "DELUSER", user.name}));
    if (!users.empty()) CH_TRY(keep_users(session));
    return remove_keys(session, prefix_of(tenant));
  }

  Result<void> create_login(const ServerAddress& server, const Tenant& tenant, const Login& login) const override {
    CH_TRY_LET(session, RedisSession::connect(server));
    CH_TRY(renew_former_users(session));
    CH_TRY(session.command(rules_of(tenant, login)));
    return keep_users(session);
  }

  // Closes the user's connections too.
  Result<void> drop_login(const ServerAddress& server, const Tenant&, const std::string& username) const override {
    CH_TRY_LET(session, RedisSession::connect(server));
    CH_TRY(session.command({"ACL", "DELUSER", username}));
    return keep_users(session);
  }

  // Redis has no limit for each user.
  Result<void> share_connections(const ServerAddress&, const Tenant&) const override { return {}; }

  json::Object credentials(const ServerAddress& server, const Tenant& tenant, const Login& login) const override {
    const bool is_v6 = server.host.find(':') != std::string::npos;
    json::Object members{
        {"database", "0"},
        {"uri", fmt::format("redis://{}:{}@{}{}{}:{}/0", login.username, percent_encode(login.password),
                            is_v6 ? "[" : "", server.host, is_v6 ? "]" : "", server.port)}};
    if (!tenant.is_alone) members["prefix"] = prefix_of(tenant);
    return members;
  }

 private:
  const RedisProgram program_;
};

}  // namespace

std::unique_ptr<Engine> make_redis_engine() { return std::make_unique<RedisEngine>(); }

}  // namespace chandler::brokers
