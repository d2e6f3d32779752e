// The keys and certificates of a server that looks after itself: made at the first start, kept in one directory,
// renewed before they expire. Files: ca.crt, ca.key, server.crt, server.key, admin.crt, admin.key, sa.key; keys are
// mode 0600. What others rely on (the authority, the key behind service account tokens) is never replaced silently: if
// it is missing or damaged the start fails and says what to do. Certificates that the authority has issued are replaced
// freely. Each step writes one file, so that a crash at any point is mended by the next start.
#pragma once

#include <string>
#include <vector>

#include "base/clock.h"
#include "base/result.h"

namespace chandler::auth {

struct Pki {
  std::string ca_pem;
  std::string server_chain_pem;
  std::string server_key_pem;
  std::string admin_cert_pem;  // user admin in system:masters
  std::string admin_key_pem;
  std::string sa_key_pem;
  bool operator==(const Pki&) const = default;
};

// `hosts`: names and addresses by which clients reach the server, besides localhost and the usual in-cluster names. Not
// for concurrent calls on one directory.
Result<Pki> load_or_create_pki(const std::string& directory, const std::vector<std::string>& hosts, const Clock& clock);

}  // namespace chandler::auth
