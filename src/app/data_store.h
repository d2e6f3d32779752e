// Which store a server runs on, by --durability, and the checks before it is opened. Also the files of the data
// directory that a backup may carry.
#pragma once

#include <functional>
#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "base/file.h"
#include "base/metrics.h"
#include "storage/backup/backup_writer.h"
#include "storage/store.h"

namespace chandler::app {

struct DataStore {
  std::optional<FileLock> lock;  // of the directory, where the store itself takes none
  std::unique_ptr<storage::Store> store;
};

// `durability`: full, normal or memory. Takes the data directory for this process; `metrics` outlives the store.
// `on_failure`: as EmbeddedOptions has it.
Result<DataStore> open_data_store(const std::string& data_dir, const std::string& durability,
                                  metrics::Registry& metrics, std::function<void()> on_failure = {});

// The keys of the server: storage::kBackupFiles, as far as they are there.
Result<std::vector<storage::CarriedFile>> read_key_files(const std::string& data_dir);

}  // namespace chandler::app
