// A connection to a MariaDB server; the library behind it is named in the .cc file only. Every call is bounded in time.
// Statements are built from derived names and fixed words, never from what a client sent. Used by one thread at a time.
#pragma once

#include <memory>
#include <string>
#include <string_view>
#include <vector>

#include "base/result.h"
#include "brokers/database/server_address.h"

namespace chandler::brokers {

class MysqlSession {
 public:
  static Result<MysqlSession> connect(const ServerAddress& server, const std::string& database = "");

  Result<void> run(const std::string& sql);
  // For statements with a secret in them: an error says the server's code only.
  Result<void> run_secret(const std::string& sql);
  // Rows of texts; NULL is "".
  Result<std::vector<std::vector<std::string>>> query(const std::string& sql);

 private:
  struct Close {
    void operator()(void* handle) const;
  };
  explicit MysqlSession(std::string label) : label_(std::move(label)) {}
  Error error() const;

  std::string label_;  // of the server
  std::unique_ptr<void, Close> handle_;
};

// What IDENTIFIED BY PASSWORD takes, so that no password stands in a statement, which a server may log.
std::string mysql_password_hash(std::string_view password);

}  // namespace chandler::brokers
