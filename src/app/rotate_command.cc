#include <cstdio>

#include <fmt/format.h>

#include "app/data_commands.h"
#include "app/foreground.h"
#include "app/progress_line.h"
#include "base/count_text.h"
#include "base/file.h"
#include "storage/embedded/key_rotation.h"
#include "storage/keyring.h"

namespace chandler::app {
namespace {

int add_key(const std::string& data_dir, const std::string& path) {
  if (!file_exists(path)) {
    return fail_with(bad_request(fmt::format("{} is missing; is {} the data directory of a server?", path, data_dir)));
  }
  auto keyring = storage::Keyring::open(path);
  if (!keyring.ok()) return fail_with(keyring.error());
  if (auto rotated = keyring->rotate(path); !rotated.ok()) return fail_with(rotated.error());
  fmt::print("A new key is in {}. Secrets written after the next start use it; older ones stay readable.\n", path);
  return 0;
}

}  // namespace

int rotate_key(const RotateOptions& options) {
  if (auto configured = configure_log("warn", "text"); !configured.ok()) return fail_with(configured.error());
  const std::string path = options.data_dir + "/encryption.keys";
  if (options.only_add) return add_key(options.data_dir, path);
  ProgressLine progress("rotate-key", "values");
  storage::RotationOptions rotation;
  rotation.store.directory = options.data_dir;
  rotation.key_file = path;
  rotation.keep_old_keys = options.keep_old_keys;
  rotation.progress = [&](int64_t done, int64_t all) { progress.show(done, all); };
  const auto report = storage::rotate_keys(rotation);
  if (!report.ok()) {
    return fail_with(report.error());
  }
  if (report->resumed) fmt::print("An earlier rotation had been interrupted; it is finished now.\n");
  fmt::print("{} sealed anew with key {}; {} removed from {}.\n", counted(report->resealed, "value"), report->key,
             counted(report->removed_keys, "older key"), path);
  if (report->removed_keys > 0) fmt::print("Backups from before need the key file from before.\n");
  return 0;
}

}  // namespace chandler::app
