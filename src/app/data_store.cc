#include "app/data_store.h"

#include <filesystem>
#include <system_error>
#include <utility>

#include <fmt/format.h>

#include "storage/embedded/embedded_store.h"
#include "storage/embedded/restore_journal.h"
#include "storage/embedded/schema.h"
#include "storage/memory/memory_store.h"

namespace chandler::app {
namespace {

// Certificates are made after the first write to the database, so an empty file beside them has lost its content.
bool has_lost_its_database(const std::string& data_dir) {
  std::error_code unreadable;
  return std::filesystem::file_size(data_dir + "/chandler.db", unreadable) == 0 && !unreadable &&
         file_exists(data_dir + "/pki/ca.crt") && !storage::restore_is_decided(data_dir);
}

Result<DataStore> open_in_memory(const std::string& data_dir, metrics::Registry& metrics) {
  CH_TRY_LET(lock, storage::lock_directory(data_dir));
  if (file_exists(data_dir + "/chandler.db")) {
    return bad_request(fmt::format(
        "{}/chandler.db holds data, which --durability memory would not show; choose another --data-dir", data_dir));
  }
  DataStore opened;
  opened.lock = std::move(lock);
  opened.store = std::make_unique<storage::MemoryStore>(storage::CommitLimits(), &metrics);
  return opened;
}

}  // namespace

Result<DataStore> open_data_store(const std::string& data_dir, const std::string& durability,
                                  metrics::Registry& metrics, std::function<void()> on_failure) {
  if (durability != "full" && durability != "normal" && durability != "memory") {
    return bad_request(fmt::format("--durability: \"{}\" is none of full, normal, memory", durability));
  }
  metrics.gauge("chandler_store_durability", "What an acknowledged write survives; 1 for the mode in force.", {"mode"})
      .with({durability})
      .set(1);
  CH_TRY(make_directories(data_dir, 0700));
  if (durability == "memory") return open_in_memory(data_dir, metrics);
  if (has_lost_its_database(data_dir)) {
    return internal_error(
        fmt::format("{}/chandler.db is empty, but this directory was in use: put the file back from a backup "
                    "(chandler restore --force), or choose another --data-dir",
                    data_dir));
  }
  storage::EmbeddedOptions options;
  options.directory = data_dir;
  options.metrics = &metrics;
  options.on_failure = std::move(on_failure);
  options.durability = durability == "normal" ? storage::Durability::kNormal : storage::Durability::kFull;
  DataStore opened;
  CH_TRY_LET(store, storage::EmbeddedStore::open(options));
  opened.store = std::move(store);
  return opened;
}

Result<std::vector<storage::CarriedFile>> read_key_files(const std::string& data_dir) {
  std::vector<storage::CarriedFile> files;
  for (const auto name : storage::kBackupFiles) {
    const auto path = fmt::format("{}/{}", data_dir, name);
    if (!file_exists(path)) continue;
    CH_TRY_LET(content, read_file(path));
    files.push_back({std::string(name), std::move(content)});
  }
  return files;
}

}  // namespace chandler::app
