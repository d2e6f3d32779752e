// Re-encrypts what is stored: every sealed value, in the present state and in the history, is opened and sealed again
// with the newest key, in place. Revisions do not change and no client notices. For a directory that no server uses.
//
// Safe to kill at any moment: keys are added before anything is sealed with them and removed after nothing is any more,
// rows change in transactions, and each sealed value names its key. A rotation that was interrupted is gone on with by
// the next one; table `meta` says under "rotating" which key it moves to.
#pragma once

#include <cstdint>
#include <functional>
#include <string>

#include "base/result.h"
#include "storage/embedded/embedded_options.h"

namespace chandler::storage {

struct RotationOptions {
  EmbeddedOptions store;
  std::string key_file;
  bool keep_old_keys = false;  // in the key file
  std::function<void(int64_t done, int64_t all)> progress;
};

struct RotationReport {
  std::string key;       // id of the key that everything is sealed with now
  bool resumed = false;  // an interrupted rotation was finished; no new key was made
  int64_t resealed = 0;
  int64_t removed_keys = 0;
};

Result<RotationReport> rotate_keys(const RotationOptions& options);

}  // namespace chandler::storage
