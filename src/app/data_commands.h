// The subcommands that look after the data: backup (of a running server, over its API), restore, verify and rotate-key
// (of a data directory that no server uses). Each returns the exit code; progress and faults go to standard error.
#pragma once

#include <cstddef>
#include <string>

namespace chandler::app {

struct BackupOptions {
  std::string kubeconfig;
  std::string context;
  std::string to;
  bool force = false;         // replace the file
  bool include_keys = false;  // encryption keys, authority, key of the service account tokens
};
int backup(const BackupOptions& options);

struct RestoreCommandOptions {
  std::string data_dir = "data";
  std::string from;
  std::string keys;
  bool force = false;
};
int restore(const RestoreCommandOptions& options);

struct VerifyCommandOptions {
  std::string data_dir = "data";
  std::string backup;   // a backup instead of a data directory
  std::string salvage;  // a new data directory for what can be read
  size_t max_faults = 20;
};
int verify(const VerifyCommandOptions& options);

struct RotateOptions {
  std::string data_dir = "data";
  bool only_add = false;       // the server uses the new key from its next start on; nothing is re-encrypted
  bool keep_old_keys = false;  // for backups from before
};
int rotate_key(const RotateOptions& options);

}  // namespace chandler::app
