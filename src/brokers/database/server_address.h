// Where a database server is and who administers it: a server of ours, or an existing one that an operator named by
// URL. Pure.
#pragma once

#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

#include "base/result.h"
#include "brokers/supervisor/server_record.h"

namespace chandler::brokers {

enum class TlsMode { kOff, kRequire, kVerify };

struct ServerAddress {
  std::string host;
  uint16_t port = 0;
  std::string username;  // of the admin
  std::string password;
  TlsMode tls = TlsMode::kOff;
  std::string ca_file;                // of kVerify; "": what the system trusts
  std::vector<std::string> former{};  // other labels that it was known by

  std::string label() const { return host + ":" + std::to_string(port); }  // for messages
  bool is_called(std::string_view a_label) const;                          // now or formerly
};

// Of a server that we run.
ServerAddress admin_address(const ServerRecord& record);

// scheme://user:password@host[:port][/][?sslmode=disable|require|verify-full[&sslrootcert=FILE][&moved-from=HOST:PORT]],
// user and password percent-encoded. `flag` names the setting in errors, which never hold the URL, as it has a password
// in it.
Result<ServerAddress> parse_admin_url(std::string_view url, std::string_view scheme, uint16_t default_port,
                                      std::string_view flag);

}  // namespace chandler::brokers
