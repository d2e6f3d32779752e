// What `chandler serve` can be told about who gets in, how fast, and what is written down about it. Plain data.
#pragma once

#include <cstdint>
#include <string>
#include <vector>

namespace chandler::app {

struct AuditOptions {
  std::string policy_file;  // empty: everything at level Metadata
  std::string log_path;     // empty: no audit log; "-": standard output
  uint64_t max_size_mib = 100;
  size_t max_backups = 0;   // 0: all
  size_t max_age_days = 0;  // 0: for ever
};

struct LaneOptions {
  uint32_t max_writes = 600;
  uint32_t max_heavy = 0;  // 0: twice the workers
  size_t max_queued_per_user = 256;
  int64_t max_wait_seconds = 15;
};

struct OidcOptions {
  std::string issuer_url;  // empty: no such tokens
  std::vector<std::string> client_ids;
  std::string username_claim = "sub";
  std::string username_prefix;  // empty: the issuer and #, but nothing for email; "-": none
  std::string groups_claim;
  std::string groups_prefix;
  std::vector<std::string> required_claims;  // name=value
  std::vector<std::string> signing_algs = {"RS256"};
  std::string ca_file;
};

}  // namespace chandler::app
