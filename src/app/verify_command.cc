#include <cstdio>
#include <optional>

#include <fmt/format.h>

#include "app/data_commands.h"
#include "app/data_store.h"
#include "app/foreground.h"
#include "app/progress_line.h"
#include "base/clock.h"
#include "base/count_text.h"
#include "base/file.h"
#include "base/time_text.h"
#include "json/reader.h"
#include "storage/backup/backup_reader.h"
#include "storage/embedded/database_builder.h"
#include "storage/embedded/verifier.h"
#include "storage/keyring.h"
#include "storage/restore.h"

namespace chandler::app {
namespace {

std::optional<std::string> fault_of_document(std::string_view, std::string_view plain) {
  const auto parsed = json::parse(plain);
  // What the reader says may hold a piece of the text, which may be secret.
  if (!parsed.ok() || !parsed->is_object()) return "it is no JSON object";
  return std::nullopt;
}

int verify_backup_file(const std::string& path) {
  std::optional<storage::BackupHeader> header;
  int64_t sealed = 0;
  storage::BackupVisitor visitor;
  visitor.header = [&](const storage::BackupHeader& told) -> Result<void> {
    header = told;
    return {};
  };
  visitor.entry = [&](storage::Revision, std::string_view, std::string_view value) -> Result<void> {
    if (storage::Keyring::is_sealed(value)) ++sealed;
    return {};
  };
  const auto end = storage::read_backup(path, std::move(visitor));
  if (!end.ok()) return fail_with(end.error());
  fmt::print("{}: sound; {} ({} sealed) of {}, revision {}, written by chandler {}, {}\n", path,
             counted(end->objects, "object"), sealed, header->time, header->revision, header->program,
             header->with_keys ? "with keys" : "without keys");
  return 0;
}

// A new data directory for what can be read, with the keys that belong to it.
class Salvage {
 public:
  static Result<Salvage> begin(const std::string& from, const std::string& to) {
    if (file_exists(to)) return bad_request(fmt::format("{} exists; choose another place for what can be saved", to));
    CH_TRY(make_directories(to, 0700));
    CH_TRY_LET(files, read_key_files(from));
    for (const auto& file : files) {
      if (file.name.starts_with("pki/")) CH_TRY(make_directories(to + "/pki", 0700));
      CH_TRY(write_file(to + "/" + file.name, file.content, file.name.ends_with(".crt") ? 0644 : 0600));
    }
    storage::EmbeddedOptions options;
    options.directory = to;
    CH_TRY_LET(builder, storage::DatabaseBuilder::create(options));
    return Salvage(std::move(builder));
  }

  Result<void> take(storage::Revision revision, std::string_view key, std::string_view value) {
    ++saved_;
    return builder_.add(revision, key, value);
  }

  Result<void> finish(const storage::VerifyReport& report) {
    storage::BackupHeader now;
    now.revision = report.marks.newest;
    now.time = rfc3339(system_clock().now());
    return builder_.finish(storage::revision_after_restore(now, system_clock().now()), report.id);
  }

  int64_t saved() const { return saved_; }

 private:
  explicit Salvage(storage::DatabaseBuilder builder) : builder_(std::move(builder)) {}

  storage::DatabaseBuilder builder_;
  int64_t saved_ = 0;
};

void print_report(const std::string& data_dir, const storage::VerifyReport& report) {
  fmt::print("{}: {}, {} of history, {} of values; revision {}, history from {}\n", data_dir,
             counted(report.live, "object"), counted(report.history, "row"), counted(report.bytes, "byte"),
             report.marks.newest, report.marks.floor);
  for (const auto& [key, count] : report.sealed) fmt::print("sealed with key {}: {}\n", key, counted(count, "value"));
  for (const auto& fault : report.faults) fmt::print("fault: {}\n", fault);
  const auto described = static_cast<int64_t>(report.faults.size());
  if (report.fault_count > described) fmt::print("fault: and {} more\n", report.fault_count - described);
}

}  // namespace

int verify(const VerifyCommandOptions& options) {
  if (auto configured = configure_log("warn", "text"); !configured.ok()) return fail_with(configured.error());
  if (!options.backup.empty()) return verify_backup_file(options.backup);
  std::optional<storage::Keyring> keyring;
  const auto key_file = options.data_dir + "/encryption.keys";
  if (file_exists(key_file)) {
    auto opened = storage::Keyring::open(key_file);
    if (!opened.ok()) return fail_with(opened.error());
    keyring = std::move(opened).value();
  }
  ProgressLine progress("verify", "rows");
  storage::VerifyOptions verify;
  verify.directory = options.data_dir;
  verify.keyring = keyring ? &*keyring : nullptr;
  verify.check_value = fault_of_document;
  verify.max_faults = options.max_faults;
  verify.progress = [&](int64_t rows) { progress.show(rows, 0); };
  std::optional<Salvage> salvage;
  storage::TakeReadable take;
  if (!options.salvage.empty()) {
    // Opened only when the database can be looked at.
    take = [&](storage::Revision revision, std::string_view key, std::string_view value) -> Result<void> {
      if (!salvage) {
        auto begun = Salvage::begin(options.data_dir, options.salvage);
        if (!begun.ok()) return begun.error();
        salvage.emplace(std::move(begun).value());
      }
      return salvage->take(revision, key, value);
    };
  }
  const auto report = storage::verify_database(verify, take);
  if (!report.ok()) return fail_with(report.error());
  print_report(options.data_dir, *report);
  if (!options.salvage.empty()) {
    for (const auto& key : report->lost) fmt::print("lost: {}\n", key);
    if (salvage) {
      if (auto finished = salvage->finish(*report); !finished.ok()) return fail_with(finished.error());
    }
    fmt::print("{} saved to {}, {} lost\n", counted(salvage ? salvage->saved() : 0, "object"), options.salvage,
               report->lost.size());
  }
  if (report->fault_count == 0) {
    fmt::print("sound\n");
    return 0;
  }
  fmt::print("{}; restore a backup, or save what can be read with --salvage DIR\n",
             counted(report->fault_count, "fault"));
  return 1;
}

}  // namespace chandler::app
