#include "brokers/postgresql/postgresql_session.h"

#include <libpq-fe.h>

#include <array>

#include <fmt/format.h>

#include "base/text.h"

namespace chandler::brokers {
namespace {

constexpr const char* kConnectSeconds = "5";
constexpr const char* kLimits = "-c statement_timeout=60000 -c lock_timeout=20000";
constexpr const char* kDeadPeerMs = "60000";

PGconn* raw(void* handle) { return static_cast<PGconn*>(handle); }

struct ClearResult {
  void operator()(PGresult* result) const { PQclear(result); }
};

}  // namespace

void PostgresqlSession::Close::operator()(void* handle) const { PQfinish(raw(handle)); }

Result<PostgresqlSession> PostgresqlSession::connect(const ServerAddress& server, const std::string& database) {
  PostgresqlSession session(server.label());
  const std::string port = std::to_string(server.port);
  const char* tls = server.tls == TlsMode::kOff       ? "disable"
                    : server.tls == TlsMode::kRequire ? "require"
                                                      : "verify-full";
  const std::array<const char*, 14> names = {"host",
                                             "port",
                                             "user",
                                             "password",
                                             "dbname",
                                             "sslmode",
                                             "options",
                                             "connect_timeout",
                                             "tcp_user_timeout",
                                             "application_name",
                                             "client_encoding",
                                             "passfile",
                                             server.ca_file.empty() ? nullptr : "sslrootcert",
                                             nullptr};
  const std::array<const char*, 14> values = {server.host.c_str(),
                                              port.c_str(),
                                              server.username.c_str(),
                                              server.password.c_str(),
                                              database.c_str(),
                                              tls,
                                              kLimits,
                                              kConnectSeconds,
                                              kDeadPeerMs,
                                              "chandler",
                                              "UTF8",
                                              "/dev/null",
                                              server.ca_file.c_str(),
                                              nullptr};
  session.handle_.reset(PQconnectdbParams(names.data(), values.data(), 0));
  if (session.handle_ == nullptr) return unavailable("out of memory");
  if (PQstatus(raw(session.handle_.get())) != CONNECTION_OK) return session.error();
  PQsetNoticeProcessor(
      raw(session.handle_.get()), [](void*, const char*) {}, nullptr);
  return session;
}

Error PostgresqlSession::error() const {
  return unavailable(
      fmt::format("the PostgreSQL server at {} says: {}", label_, trim(PQerrorMessage(raw(handle_.get())))));
}

Result<std::vector<std::vector<std::string>>> PostgresqlSession::query(const std::string& sql) {
  const std::unique_ptr<PGresult, ClearResult> result(PQexec(raw(handle_.get()), sql.c_str()));
  const auto status = PQresultStatus(result.get());
  if (status != PGRES_TUPLES_OK && status != PGRES_COMMAND_OK) return error();
  std::vector<std::vector<std::string>> rows(static_cast<size_t>(PQntuples(result.get())));
  for (int row = 0; row < PQntuples(result.get()); ++row) {
    for (int column = 0; column < PQnfields(result.get()); ++column) {
      rows[static_cast<size_t>(row)].emplace_back(PQgetvalue(result.get(), row, column),
                                                  static_cast<size_t>(PQgetlength(result.get(), row, column)));
    }
  }
  return rows;
}

Result<void> PostgresqlSession::run(const std::string& sql) {
  CH_TRY(query(sql));
  return {};
}

Result<bool> PostgresqlSession::has(const std::string& sql) {
  CH_TRY_LET(rows, query(sql));
  return !rows.empty();
}

Result<std::string> PostgresqlSession::password_verifier(const std::string& username, const std::string& password) {
  char* text = PQencryptPasswordConn(raw(handle_.get()), password.c_str(), username.c_str(), "scram-sha-256");
  if (text == nullptr) return error();
  std::string verifier(text);
  PQfreemem(text);
  return verifier;
}

}  // namespace chandler::brokers
