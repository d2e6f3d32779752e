// The narrow interface of a kind of database: what DatabaseService needs done at a server. Everything is done as the
// admin of the server, blocks, is bounded in time, and may be repeated: making what is there and removing what is gone
// succeeds. Errors name the server and hold no secret. Implementations hold no state and are thread-safe.
#pragma once

#include <string>
#include <string_view>

#include "base/result.h"
#include "brokers/database/offer.h"
#include "brokers/database/server_address.h"
#include "brokers/supervisor/server_program.h"
#include "json/value.h"

namespace chandler::brokers {

// One instance on a server. All names at the server come from `key`, which is derived from the instance's id: 24
// characters of a-z and 2-7.
struct Tenant {
  std::string key;
  bool is_whole_server = false;  // logins may make databases of their own; there is no other tenant with logins
  bool is_alone = false;         // the server serves nobody else
  int64_t max_connections = 0;   // of all its logins together; 0: the server serves no other instance
  json::Value settings;          // complete

  std::string name(char kind) const { return kind + key; }
};

struct Login {
  std::string username;
  std::string password;
  std::string access;  // "admin", "writer" or "reader"
};

class Engine {
 public:
  virtual ~Engine() = default;

  virtual const ServiceOffer& offer() const = 0;
  virtual const ServerProgram& program() const = 0;
  // Whether the programs are on this machine; if not, which package brings them.
  virtual bool is_installed() const = 0;
  virtual std::string_view package() const = 0;

  // Also called to make changed settings of the tenant true.
  virtual Result<void> create_tenant(const ServerAddress& server, const Tenant& tenant) const = 0;
  // Also when it is in use. Logins that are left go too.
  virtual Result<void> drop_tenant(const ServerAddress& server, const Tenant& tenant) const = 0;
  virtual Result<void> create_login(const ServerAddress& server, const Tenant& tenant, const Login& login) const = 0;
  // Ends its sessions. What it owns stays with the tenant.
  virtual Result<void> drop_login(const ServerAddress& server, const Tenant& tenant,
                                  const std::string& username) const = 0;
  // The logins that are left may have more connections when one is gone.
  virtual Result<void> share_connections(const ServerAddress& server, const Tenant& tenant) const = 0;
  // What is special in the credentials: uri, database, ...
  virtual json::Object credentials(const ServerAddress& server, const Tenant& tenant, const Login& login) const = 0;
};

}  // namespace chandler::brokers
