#include "brokers/postgresql/postgresql_engine.h"

#include <fmt/format.h>

#include "base/text.h"
#include "brokers/database/connection_share.h"
#include "brokers/postgresql/postgresql_program.h"
#include "brokers/postgresql/postgresql_session.h"

namespace chandler::brokers {
namespace {

constexpr const char* kAdminDatabase = "postgres";
constexpr int kTerminateRounds = 5;

std::string owner_of(const Tenant& tenant) { return tenant.name('o'); }
std::string writer_of(const Tenant& tenant) { return tenant.name('w'); }
std::string reader_of(const Tenant& tenant) { return tenant.name('r'); }
std::string database_of(const Tenant& tenant) { return tenant.name('d'); }

constexpr int64_t kNoLimit = -1;  // besides the server's

Result<bool> has_role(PostgresqlSession& session, const std::string& name) {
  return session.has(fmt::format("SELECT 1 FROM pg_roles WHERE rolname = '{}'", name));
}

enum class DatabaseState {
  kAbsent,
  kPresent,
  kInvalid,  // its removal was cut short: it can be dropped and nothing else
};

Result<DatabaseState> state_of(PostgresqlSession& session, const std::string& name) {
  CH_TRY_LET(rows, session.query(fmt::format("SELECT datconnlimit FROM pg_database WHERE datname = '{}'", name)));
  if (rows.empty()) return DatabaseState::kAbsent;
  return rows[0][0] == "-2" ? DatabaseState::kInvalid : DatabaseState::kPresent;
}

// Logins of the tenant, by way of its roles.
Result<std::vector<std::string>> logins_of(PostgresqlSession& session, const Tenant& tenant) {
  CH_TRY_LET(rows, session.query(fmt::format(
                       "SELECT DISTINCT member.rolname FROM pg_auth_members m "
                       "JOIN pg_roles granted ON granted.oid = m.roleid JOIN pg_roles member ON member.oid = m.member "
                       "WHERE granted.rolname IN ('{}', '{}', '{}') AND member.rolname ~ '^u[a-z2-7]{{24}}$'",
                       owner_of(tenant), writer_of(tenant), reader_of(tenant))));
  std::vector<std::string> names;
  names.reserve(rows.size());
  for (auto& row : rows) names.push_back(std::move(row[0]));
  return names;
}

// The same for all logins, also for those that may not log in yet. Gives the limit.
Result<int64_t> limit_connections(PostgresqlSession& session, const Tenant& tenant) {
  CH_TRY_LET(logins, logins_of(session, tenant));
  CH_TRY_LET(share, connection_share(tenant, logins.size()));
  const int64_t limit = share.value_or(kNoLimit);
  for (const auto& login : logins) {
    CH_TRY(session.run(fmt::format("ALTER ROLE {} CONNECTION LIMIT {}", login, limit)));
  }
  return limit;
}

// No way in any more, and nobody inside. By number: the name of a session's role is gone once the role is dropped.
Result<void> shut_out(PostgresqlSession& session, const std::string& role) {
  CH_TRY(session.run(fmt::format("ALTER ROLE {} NOLOGIN", role)));
  const std::string its_sessions =
      fmt::format("FROM pg_stat_activity WHERE usesysid = (SELECT oid FROM pg_roles WHERE rolname = '{}')", role);
  for (int round = 0; round < kTerminateRounds; ++round) {
    CH_TRY_LET(left, session.has("SELECT 1 " + its_sessions));
    if (!left) return {};
    CH_TRY(session.run("SELECT pg_terminate_backend(pid, 2000) " + its_sessions));
  }
  return unavailable(fmt::format("sessions of the login {} do not end; try again", role));
}

// What the login owns itself, because it switched roles, goes to the owner.
Result<void> hand_over(PostgresqlSession& session, const ServerAddress& server, const Tenant& tenant,
                       const std::string& login) {
  CH_TRY(session.run(fmt::format("GRANT {}, {} TO CURRENT_USER", login, owner_of(tenant))));
  CH_TRY_LET(databases, session.query(fmt::format(
                            "SELECT datname FROM pg_database WHERE datallowconn AND datconnlimit <> -2 AND datdba = "
                            "(SELECT oid FROM pg_roles WHERE rolname = '{}')",
                            owner_of(tenant))));
  for (const auto& row : databases) {
    CH_TRY_LET(inside, PostgresqlSession::connect(server, row[0]));
    CH_TRY(inside.run(fmt::format("REASSIGN OWNED BY {} TO {}", login, owner_of(tenant))));
    CH_TRY(inside.run(fmt::format("DROP OWNED BY {}", login)));
  }
  return {};
}

Result<void> make_roles(PostgresqlSession& session, const Tenant& tenant) {
  for (const auto& role : {owner_of(tenant), writer_of(tenant), reader_of(tenant)}) {
    CH_TRY_LET(is_there, has_role(session, role));
    if (!is_there) CH_TRY(session.run(fmt::format("CREATE ROLE {} NOLOGIN", role)));
  }
  if (tenant.is_whole_server) CH_TRY(session.run(fmt::format("ALTER ROLE {} CREATEDB", owner_of(tenant))));
  return session.run(fmt::format("GRANT {} TO CURRENT_USER", owner_of(tenant)));
}

// What the owner makes, writers may change and readers may see.
Result<void> share_with_roles(const ServerAddress& server, const Tenant& tenant) {
  CH_TRY_LET(inside, PostgresqlSession::connect(server, database_of(tenant)));
  const std::string defaults = fmt::format("ALTER DEFAULT PRIVILEGES FOR ROLE {} ", owner_of(tenant));
  for (const auto& grant : {fmt::format("GRANT SELECT, INSERT, UPDATE, DELETE ON TABLES TO {}", writer_of(tenant)),
                            fmt::format("GRANT SELECT ON TABLES TO {}", reader_of(tenant)),
                            fmt::format("GRANT USAGE, SELECT, UPDATE ON SEQUENCES TO {}", writer_of(tenant)),
                            fmt::format("GRANT SELECT ON SEQUENCES TO {}", reader_of(tenant)),
                            fmt::format("GRANT USAGE ON SCHEMAS TO {}, {}", writer_of(tenant), reader_of(tenant))}) {
    CH_TRY(inside.run(defaults + grant));
  }
  return {};
}

class PostgresqlEngine final : public Engine {
 public:
  const ServiceOffer& offer() const override { return postgresql_offer(); }
  const ServerProgram& program() const override { return program_; }
  bool is_installed() const override { return PostgresqlProgram::is_installed(); }
  std::string_view package() const override { return "postgresql-15"; }

  Result<void> create_tenant(const ServerAddress& server, const Tenant& tenant) const override {
    CH_TRY_LET(session, PostgresqlSession::connect(server, kAdminDatabase));
    CH_TRY(make_roles(session, tenant));
    const std::string database = database_of(tenant);
    CH_TRY_LET(state, state_of(session, database));
    if (state == DatabaseState::kInvalid) CH_TRY(session.run(fmt::format("DROP DATABASE {}", database)));
    if (state != DatabaseState::kPresent) {
      CH_TRY(session.run(
          fmt::format("CREATE DATABASE {} OWNER {} TEMPLATE template0 ENCODING 'UTF8' ALLOW_CONNECTIONS false",
                      database, owner_of(tenant))));
    }
    CH_TRY(session.run(fmt::format("REVOKE ALL ON DATABASE {} FROM PUBLIC", database)));
    CH_TRY(session.run(fmt::format("GRANT CONNECT, TEMPORARY ON DATABASE {} TO {}, {}", database, writer_of(tenant),
                                   reader_of(tenant))));
    CH_TRY(session.run(fmt::format("ALTER DATABASE {} ALLOW_CONNECTIONS true", database)));
    CH_TRY(share_with_roles(server, tenant));
    CH_TRY(limit_connections(session, tenant));
    return {};
  }

  Result<void> share_connections(const ServerAddress& server, const Tenant& tenant) const override {
    CH_TRY_LET(session, PostgresqlSession::connect(server, kAdminDatabase));
    CH_TRY(limit_connections(session, tenant));
    return {};
  }

  Result<void> drop_tenant(const ServerAddress& server, const Tenant& tenant) const override {
    CH_TRY_LET(session, PostgresqlSession::connect(server, kAdminDatabase));
    const std::string database = database_of(tenant);
    CH_TRY_LET(has_owner, has_role(session, owner_of(tenant)));
    if (has_owner) CH_TRY(session.run(fmt::format("GRANT {} TO CURRENT_USER", owner_of(tenant))));
    CH_TRY_LET(logins, logins_of(session, tenant));
    for (const auto& login : logins) CH_TRY(shut_out(session, login));
    CH_TRY_LET(state, state_of(session, database));
    if (state == DatabaseState::kPresent) {
      CH_TRY(session.run(fmt::format("ALTER DATABASE {} ALLOW_CONNECTIONS false", database)));
    }
    CH_TRY(session.run(fmt::format("DROP DATABASE IF EXISTS {} WITH (FORCE)", database)));
    for (const auto& login : logins) CH_TRY(session.run(fmt::format("DROP ROLE IF EXISTS {}", login)));
    return session.run(
        fmt::format("DROP ROLE IF EXISTS {}, {}, {}", reader_of(tenant), writer_of(tenant), owner_of(tenant)));
  }

  Result<void> create_login(const ServerAddress& server, const Tenant& tenant, const Login& login) const override {
    CH_TRY_LET(session, PostgresqlSession::connect(server, kAdminDatabase));
    CH_TRY_LET(is_there, has_role(session, login.username));
    const std::string role = login.access == "reader"   ? reader_of(tenant)
                             : login.access == "writer" ? writer_of(tenant)
                                                        : owner_of(tenant);
    // Never without its role: that is how it is found when the whole tenant goes.
    if (!is_there) CH_TRY(session.run(fmt::format("CREATE ROLE {} NOLOGIN IN ROLE {}", login.username, role)));
    CH_TRY(session.run(fmt::format("GRANT {} TO {}", role, login.username)));
    if (login.access == "admin") {
      // What it creates belongs to the owner from the start.
      const std::string where = tenant.is_whole_server ? "" : "IN DATABASE " + database_of(tenant);
      CH_TRY(session.run(fmt::format("ALTER ROLE {} {} SET role TO {}", login.username, where, role)));
    }
    CH_TRY_LET(limit, limit_connections(session, tenant));
    CH_TRY_LET(verifier, session.password_verifier(login.username, login.password));
    return session.run(
        fmt::format("ALTER ROLE {} LOGIN CONNECTION LIMIT {} PASSWORD '{}'", login.username, limit, verifier));
  }

  Result<void> drop_login(const ServerAddress& server, const Tenant& tenant,
                          const std::string& username) const override {
    CH_TRY_LET(session, PostgresqlSession::connect(server, kAdminDatabase));
    CH_TRY_LET(is_there, has_role(session, username));
    if (!is_there) return {};
    CH_TRY(shut_out(session, username));
    CH_TRY_LET(has_owner, has_role(session, owner_of(tenant)));
    if (has_owner) CH_TRY(hand_over(session, server, tenant, username));
    return session.run(fmt::format("DROP ROLE IF EXISTS {}", username));
  }

  json::Object credentials(const ServerAddress& server, const Tenant& tenant, const Login& login) const override {
    const bool is_v6 = server.host.find(':') != std::string::npos;
    return {{"database", database_of(tenant)},
            {"sslmode", server.tls == TlsMode::kOff ? "disable" : "require"},
            {"uri", fmt::format("postgresql://{}:{}@{}{}{}:{}/{}", login.username, percent_encode(login.password),
                                is_v6 ? "[" : "", server.host, is_v6 ? "]" : "", server.port, database_of(tenant))}};
  }

 private:
  const PostgresqlProgram program_;
};

}  // namespace

std::unique_ptr<Engine> make_postgresql_engine() { return std::make_unique<PostgresqlEngine>(); }

}  // namespace chandler::brokers
