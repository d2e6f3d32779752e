// A connection to a PostgreSQL server; the library behind it is named in the .cc file only. Every call is bounded in
// time. Statements are built from derived names and fixed words, never from what a client sent. Used by one thread at a
// time.
#pragma once

#include <memory>
#include <string>
#include <vector>

#include "base/result.h"
#include "brokers/database/server_address.h"

namespace chandler::brokers {

class PostgresqlSession {
 public:
  static Result<PostgresqlSession> connect(const ServerAddress& server, const std::string& database);

  Result<void> run(const std::string& sql);
  // Rows of texts; NULL is "".
  Result<std::vector<std::vector<std::string>>> query(const std::string& sql);
  // Whether the query has a row.
  Result<bool> has(const std::string& sql);
  // What PASSWORD takes instead of the password, so that no password stands in a statement, which a server may log.
  Result<std::string> password_verifier(const std::string& username, const std::string& password);

 private:
  struct Close {
    void operator()(void* handle) const;
  };
  explicit PostgresqlSession(std::string label) : label_(std::move(label)) {}
  Error error() const;

  std::string label_;  // of the server
  std::unique_ptr<void, Close> handle_;
};

}  // namespace chandler::brokers
