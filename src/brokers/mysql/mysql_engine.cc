#include "brokers/mysql/mysql_engine.h"

#include <utility>
#include <vector>

#include <fmt/format.h>

#include "base/text.h"
#include "brokers/database/connection_share.h"
#include "brokers/mysql/mysql_program.h"
#include "brokers/mysql/mysql_session.h"

namespace chandler::brokers {
namespace {

constexpr int64_t kNoLimit = 0;  // besides the server's

std::string account_of(const std::string& username) { return fmt::format("'{}'@'%'", username); }

// No FILE, SUPER or SHUTDOWN even on a server of one's own: it shares its operating system account with others.
constexpr std::string_view kServerAdmin =
    "SELECT, INSERT, UPDATE, DELETE, CREATE, DROP, REFERENCES, INDEX, ALTER, CREATE TEMPORARY TABLES, LOCK TABLES, "
    "EXECUTE, CREATE VIEW, SHOW VIEW, CREATE ROUTINE, ALTER ROUTINE, EVENT, TRIGGER, DELETE HISTORY";
constexpr std::string_view kServerAdminEverywhere = "RELOAD, PROCESS, SHOW DATABASES";
constexpr std::string_view kWriter =
    "SELECT, INSERT, UPDATE, DELETE, EXECUTE, CREATE TEMPORARY TABLES, LOCK TABLES, SHOW VIEW";
constexpr std::string_view kReader = "SELECT, SHOW VIEW";

std::string_view privileges(const Tenant& tenant, const std::string& access) {
  if (access == "reader") return kReader;
  if (access == "writer") return kWriter;
  return tenant.is_whole_server ? kServerAdmin : "ALL PRIVILEGES";
}

// Every database of the server but the one in which the server keeps its accounts: whoever writes there makes himself
// anything. Rights on all databases at once (*.*) would include it. Of the patterns that fit a database the narrowest
// decides alone, and it must grant something to be kept.
Result<void> grant_whole_server(MysqlSession& session, const Tenant& tenant, const Login& login) {
  const std::string account = account_of(login.username);
  CH_TRY(session.run(fmt::format("GRANT {} ON `%`.* TO {}", privileges(tenant, login.access), account)));
  CH_TRY(session.run(fmt::format("GRANT SHOW VIEW ON `mysql`.* TO {}", account)));
  if (login.access == "reader" || login.access == "writer") return {};
  return session.run(fmt::format("GRANT {} ON *.* TO {}", kServerAdminEverywhere, account));
}

// Locked out first, so that nobody comes back; sessions outlive their user otherwise.
Result<void> drop_user(MysqlSession& session, const std::string& username) {
  CH_TRY(session.run(fmt::format("ALTER USER IF EXISTS {} ACCOUNT LOCK", account_of(username))));
  CH_TRY_LET(live,
             session.query(fmt::format("SELECT ID FROM information_schema.PROCESSLIST WHERE USER = '{}'", username)));
  if (!live.empty()) CH_TRY(session.run(fmt::format("KILL HARD USER {}", account_of(username))));
  return session.run(fmt::format("DROP USER IF EXISTS {}", account_of(username)));
}

Result<std::vector<std::string>> users_of(MysqlSession& session, const std::string& database) {
  CH_TRY_LET(rows, session.query(fmt::format("SELECT DISTINCT User FROM mysql.db WHERE Db = '{}'", database)));
  std::vector<std::string> users;
  for (auto& row : rows) {
    // Only such as we have made; whoever else an operator let in is theirs.
    if (row[0].size() == 25 && row[0][0] == 'u') users.push_back(std::move(row[0]));
  }
  return users;
}

Result<int64_t> connections(const Tenant& tenant, size_t logins) {
  CH_TRY_LET(share, connection_share(tenant, logins));
  return share.value_or(kNoLimit);
}

Result<void> limit_connections(MysqlSession& session, const std::vector<std::string>& users, int64_t limit) {
  for (const auto& user : users) {
    CH_TRY(session.run(fmt::format("ALTER USER IF EXISTS {} WITH MAX_USER_CONNECTIONS {}", account_of(user), limit)));
  }
  return {};
}

class MysqlEngine final : public Engine {
 public:
  const ServiceOffer& offer() const override { return mysql_offer(); }
  const ServerProgram& program() const override { return program_; }
  bool is_installed() const override { return MysqlProgram::is_installed(); }
  std::string_view package() const override { return "mariadb-server"; }

  Result<void> create_tenant(const ServerAddress& server, const Tenant& tenant) const override {
    if (tenant.is_whole_server) return {};
    CH_TRY_LET(session, MysqlSession::connect(server));
    const std::string database = tenant.name('d');
    const std::string character_set = choice(tenant.settings, "characterSet");
    CH_TRY(session.run(fmt::format("CREATE DATABASE IF NOT EXISTS `{}` CHARACTER SET {}", database, character_set)));
    CH_TRY(session.run(fmt::format("ALTER DATABASE `{}` CHARACTER SET {}", database, character_set)));
    return share_connections(server, tenant);
  }

  Result<void> share_connections(const ServerAddress& server, const Tenant& tenant) const override {
    if (tenant.is_whole_server) return {};
    CH_TRY_LET(session, MysqlSession::connect(server));
    CH_TRY_LET(users, users_of(session, tenant.name('d')));
    CH_TRY_LET(limit, connections(tenant, users.size()));
    return limit_connections(session, users, limit);
  }

  Result<void> drop_tenant(const ServerAddress& server, const Tenant& tenant) const override {
    CH_TRY_LET(session, MysqlSession::connect(server));
    const std::string database = tenant.name('d');
    CH_TRY_LET(users, users_of(session, database));
    for (const auto& user : users) CH_TRY(drop_user(session, user));
    CH_TRY(session.run("SET SESSION lock_wait_timeout = 20"));
    return session.run(fmt::format("DROP DATABASE IF EXISTS `{}`", database));
  }

  Result<void> create_login(const ServerAddress& server, const Tenant& tenant, const Login& login) const override {
    CH_TRY_LET(session, MysqlSession::connect(server));
    const std::string account = account_of(login.username);
    std::vector<std::string> others;
    if (!tenant.is_whole_server) {
      CH_TRY_LET(users, users_of(session, tenant.name('d')));
      std::erase(users, login.username);
      others = std::move(users);
    }
    CH_TRY_LET(limit, connections(tenant, others.size() + 1));
    CH_TRY(limit_connections(session, others, limit));
    // Locked until it has its rights and its limits: half-made, it is of no use to anybody.
    CH_TRY(
        session.run_secret(fmt::format("CREATE OR REPLACE USER {} IDENTIFIED BY PASSWORD '{}' WITH "
                                       "MAX_USER_CONNECTIONS {} ACCOUNT LOCK",
                                       account, mysql_password_hash(login.password), limit)));
    if (tenant.is_whole_server) {
      CH_TRY(grant_whole_server(session, tenant, login));
    } else {
      CH_TRY(session.run(
          fmt::format("GRANT {} ON `{}`.* TO {}", privileges(tenant, login.access), tenant.name('d'), account)));
    }
    return session.run(fmt::format("ALTER USER {} ACCOUNT UNLOCK", account));
  }

  Result<void> drop_login(const ServerAddress& server, const Tenant&, const std::string& username) const override {
    CH_TRY_LET(session, MysqlSession::connect(server));
    return drop_user(session, username);
  }

  json::Object credentials(const ServerAddress& server, const Tenant& tenant, const Login& login) const override {
    const std::string database = tenant.is_whole_server ? "" : tenant.name('d');
    const bool is_v6 = server.host.find(':') != std::string::npos;
    json::Object members{
        {"uri", fmt::format("mysql://{}:{}@{}{}{}:{}/{}", login.username, percent_encode(login.password),
                            is_v6 ? "[" : "", server.host, is_v6 ? "]" : "", server.port, database)}};
    if (!database.empty()) members["database"] = database;
    return members;
  }

 private:
  const MysqlProgram program_;
};

}  // namespace

std::unique_ptr<Engine> make_mysql_engine() { return std::make_unique<MysqlEngine>(); }

}  // namespace chandler::brokers
