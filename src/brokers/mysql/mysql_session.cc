#include "brokers/mysql/mysql_session.h"

#include <mysql.h>
#include <openssl/sha.h>

#include <algorithm>
#include <array>
#include <mutex>

#include <fmt/format.h>

#include "base/text.h"

namespace chandler::brokers {
namespace {

constexpr unsigned kConnectSeconds = 5;
constexpr unsigned kCallSeconds = 60;

// The library wants to be set up before the first thread uses it.
void set_up_library() {
  static std::once_flag once;
  std::call_once(once, [] { mysql_library_init(0, nullptr, nullptr); });
}

std::string sha1(std::string_view bytes) {
  std::array<unsigned char, SHA_DIGEST_LENGTH> digest{};
  SHA1(reinterpret_cast<const unsigned char*>(bytes.data()), bytes.size(), digest.data());
  return {reinterpret_cast<const char*>(digest.data()), digest.size()};
}

}  // namespace

void MysqlSession::Close::operator()(void* handle) const { mysql_close(static_cast<MYSQL*>(handle)); }

Result<MysqlSession> MysqlSession::connect(const ServerAddress& server, const std::string& database) {
  set_up_library();
  MysqlSession session(server.label());
  session.handle_.reset(mysql_init(nullptr));
  auto* handle = static_cast<MYSQL*>(session.handle_.get());
  if (handle == nullptr) return unavailable("out of memory");
  const unsigned tcp = MYSQL_PROTOCOL_TCP;
  const unsigned no_local_files = 0;
  mysql_optionsv(handle, MYSQL_OPT_PROTOCOL, &tcp);
  mysql_optionsv(handle, MYSQL_OPT_CONNECT_TIMEOUT, &kConnectSeconds);
  mysql_optionsv(handle, MYSQL_OPT_READ_TIMEOUT, &kCallSeconds);
  mysql_optionsv(handle, MYSQL_OPT_WRITE_TIMEOUT, &kCallSeconds);
  mysql_optionsv(handle, MYSQL_OPT_LOCAL_INFILE, &no_local_files);
  mysql_optionsv(handle, MYSQL_SET_CHARSET_NAME, "utf8mb4");
  if (server.tls != TlsMode::kOff) {
    const my_bool yes = 1;
    mysql_optionsv(handle, MYSQL_OPT_SSL_ENFORCE, &yes);
    if (!server.ca_file.empty()) mysql_optionsv(handle, MYSQL_OPT_SSL_CA, server.ca_file.c_str());
    const my_bool verify = server.tls == TlsMode::kVerify ? 1 : 0;
    mysql_optionsv(handle, MYSQL_OPT_SSL_VERIFY_SERVER_CERT, &verify);
  }
  if (mysql_real_connect(handle, server.host.c_str(), server.username.c_str(), server.password.c_str(),
                         database.empty() ? nullptr : database.c_str(), server.port, nullptr, 0) == nullptr) {
    return session.error();
  }
  return session;
}

Error MysqlSession::error() const {
  auto* handle = static_cast<MYSQL*>(handle_.get());
  return unavailable(
      fmt::format("the MariaDB server at {} says: {} ({})", label_, mysql_error(handle), mysql_errno(handle)));
}

Result<void> MysqlSession::run(const std::string& sql) {
  CH_TRY(query(sql));
  return {};
}

Result<void> MysqlSession::run_secret(const std::string& sql) {
  if (query(sql).ok()) return {};
  return unavailable(fmt::format("the MariaDB server at {} refused to set a password ({}); its log may say why", label_,
                                 mysql_errno(static_cast<MYSQL*>(handle_.get()))));
}

Result<std::vector<std::vector<std::string>>> MysqlSession::query(const std::string& sql) {
  auto* handle = static_cast<MYSQL*>(handle_.get());
  if (mysql_real_query(handle, sql.data(), sql.size()) != 0) return error();
  std::vector<std::vector<std::string>> rows;
  MYSQL_RES* result = mysql_store_result(handle);
  if (result == nullptr) {
    if (mysql_field_count(handle) != 0) return error();
    return rows;
  }
  const unsigned columns = mysql_num_fields(result);
  while (MYSQL_ROW row = mysql_fetch_row(result)) {
    const unsigned long* lengths = mysql_fetch_lengths(result);
    auto& texts = rows.emplace_back();
    for (unsigned i = 0; i < columns; ++i)
      texts.emplace_back(row[i] == nullptr ? "" : row[i], row[i] == nullptr ? 0 : lengths[i]);
  }
  mysql_free_result(result);
  return rows;
}

std::string mysql_password_hash(std::string_view password) {
  std::string hash = hex_encode(sha1(sha1(password)));
  std::transform(hash.begin(), hash.end(), hash.begin(),
                 [](char c) { return c >= 'a' && c <= 'f' ? static_cast<char>(c - 'a' + 'A') : c; });
  return "*" + hash;
}

}  // namespace chandler::brokers
