#include "brokers/sqlite/sqlite_service.h"

#include <fcntl.h>
#include <sys/stat.h>
#include <unistd.h>

#include <cerrno>
#include <filesystem>
#include <system_error>
#include <utility>

#include <fmt/format.h>

#include "base/file.h"
#include "base/ids.h"
#include "base/private_file.h"
#include "base/text.h"
#include "brokers/derived_name.h"
#include "brokers/sqlite/sqlite_catalog.h"
#include "osb/server/sqlite.h"

namespace chandler::brokers {
namespace {

using osb::server::BindingSpec;
using osb::server::InstanceSpec;
using osb::server::Progress;
using osb::server::Sqlite;
using osb::server::Work;

constexpr std::string_view kFileName = "database.sqlite3";
constexpr int64_t kMiB = 1 << 20;
constexpr int64_t kPageSize = 4096;

Error system_fault(std::string_view action, const std::string& path) {
  return unavailable(fmt::format("cannot {} {}: {}; check the disk of the broker", action, path,
                                 std::generic_category().message(errno)));
}

// Makes a change in a directory durable.
Result<void> sync_directory(const std::string& path) {
  const int fd = ::open(path.c_str(), O_RDONLY | O_DIRECTORY | O_CLOEXEC);
  if (fd < 0) return system_fault("open", path);
  const bool synced = ::fsync(fd) == 0;
  ::close(fd);
  if (!synced) return system_fault("sync", path);
  return {};
}

Result<void> remove_all(const std::string& path) {
  std::error_code fault;
  std::filesystem::remove_all(path, fault);
  if (fault) return unavailable(fmt::format("cannot remove {}: {}", path, fault.message()));
  return {};
}

// Bytes that hold data, as opposed to space that is merely reserved.
Result<int64_t> used_bytes(Sqlite& database) {
  CH_TRY_LET(pages, database.integer("PRAGMA page_count"));
  CH_TRY_LET(unused, database.integer("PRAGMA freelist_count"));
  CH_TRY_LET(size, database.integer("PRAGMA page_size"));
  return (pages - unused) * size;
}

// Grows the file by filling a table, a MiB at a time, and dropping it: the pages stay in the file for later use.
Result<void> reserve(Sqlite& database, int64_t mib, const Progress& progress) {
  CH_TRY(database.execute("DROP TABLE IF EXISTS chandler_reserve"));  // of an attempt that was cut short
  CH_TRY_LET(pages, database.integer("PRAGMA page_count"));
  CH_TRY_LET(size, database.integer("PRAGMA page_size"));
  const int64_t there = pages * size / kMiB;
  if (there >= mib) return {};
  // What is free already would be filled first; it counts as there.
  CH_TRY_LET(unused, database.integer("PRAGMA freelist_count"));
  CH_TRY(database.execute("CREATE TABLE chandler_reserve (filler BLOB)"));
  const int64_t first = there - unused * size / kMiB;
  for (int64_t done = first; done < mib; ++done) {
    progress(fmt::format("reserved {} of {} MiB", std::max(done, there), mib));
    CH_TRY(database.execute(fmt::format("INSERT INTO chandler_reserve VALUES (zeroblob({}))", kMiB)));
  }
  CH_TRY(database.execute("DROP TABLE chandler_reserve"));
  return {};
}

std::string directory_of(const std::string& directory, std::string_view instance_id) {
  return fmt::format("{}/instances/{}", directory, derived_name("i", instance_id));
}

class SqliteService final : public osb::server::Service {
 public:
  explicit SqliteService(std::string directory) : directory_(std::move(directory)) {}

  json::Value catalog() const override { return sqlite_catalog(); }

  bool is_async(Work work, const std::string& plan_id) const override {
    return plan_id == kSqliteLargePlanId && work != Work::kBind && work != Work::kUnbind;
  }

  json::Value describe(const InstanceSpec& instance) const override {
    json::Object labels{{"database", derived_name("i", instance.id)}};
    return json::Object{{"metadata", json::Object{{"labels", std::move(labels)}}}};
  }

  Result<void> check_create(const InstanceSpec& instance) override {
    CH_TRY(sqlite_limits(instance));
    return {};
  }

  Result<void> check_update(const InstanceSpec&, const InstanceSpec& after) override {
    auto limits = sqlite_limits(after);
    if (!limits.ok()) {
      // Stored parameters that the new plan does not allow are no fault of the request's form.
      Error error = std::move(limits).error();
      error.reason = Reason::kInvalid;
      return error;
    }
    const std::string path = database_path(after.id);
    if (!file_exists(path)) return {};
    CH_TRY_LET(database, Sqlite::open(path));
    CH_TRY_LET(used, used_bytes(database));
    if (used > limits->max_mib * kMiB) {
      Error error;
      error.reason = Reason::kInvalid;
      error.message = fmt::format(
          "the database holds {} MiB and would be limited to {} MiB; delete data first, or choose "
          "a larger plan or maxSizeMiB",
          (used + kMiB - 1) / kMiB, limits->max_mib);
      return error;
    }
    return {};
  }

  Result<void> check_binding(const InstanceSpec&, const BindingSpec& binding) override {
    for (const auto& member : binding.parameters.as_object()) {
      if (member.key() != "readOnly" || !member.value().is_bool()) {
        return bad_request("the only parameter of a binding is readOnly, true or false");
      }
    }
    return {};
  }

  Result<std::string> create_instance(const InstanceSpec& instance, const Progress& progress) override {
    return apply(instance, progress);
  }

  Result<std::string> update_instance(const InstanceSpec&, const InstanceSpec& after,
                                      const Progress& progress) override {
    return apply(after, progress);
  }

  Result<void> delete_instance(const InstanceSpec& instance, const Progress& progress) override {
    const std::string directory = instance_directory(instance.id);
    const std::string aside = fmt::format("{}/trash/{}-{}", directory_, derived_name("i", instance.id), name_suffix(8));
    progress("removing the database");
    // Aside first: from then on nobody finds it under its name, however long removing takes.
    if (::rename(directory.c_str(), aside.c_str()) != 0) {
      if (errno == ENOENT) return {};
      return system_fault("move away", directory);
    }
    CH_TRY(sync_directory(directory_ + "/instances"));
    return remove_all(aside);
  }

  Result<json::Value> create_binding(const InstanceSpec& instance, const BindingSpec& binding,
                                     const Progress&) override {
    CH_TRY_LET(limits, sqlite_limits(instance));
    const std::string path = database_path(instance.id);
    if (!file_exists(path))
      return unavailable(fmt::format("the database file {} is gone; restore it from a backup", path));
    const bool read_only = json::bool_at(binding.parameters, "readOnly").value_or(false);
    std::string uri = "sqlite://";
    for (const auto part : split(std::string_view(path).substr(1), '/')) uri += "/" + percent_encode(part);
    if (read_only) uri += "?mode=ro";
    return json::Value(
        json::Object{{"credentials", json::Object{{"type", "sqlite"},
                                                  {"provider", "chandler"},
                                                  {"path", path},
                                                  {"uri", uri},
                                                  {"database", kFileName},
                                                  {"readOnly", read_only},
                                                  {"maxPageCount", limits.max_mib * kMiB / kPageSize}}}});
  }

  // There are no users to remove: a binding is knowledge of the path.
  Result<void> delete_binding(const InstanceSpec&, const BindingSpec&) override { return {}; }

 private:
  std::string database_path(const std::string& instance_id) const {
    return sqlite_database_path(directory_, instance_id);
  }
  std::string instance_directory(const std::string& instance_id) const { return directory_of(directory_, instance_id); }
  // Brings the database to what the instance asks for, from nothing or from what is there.
  Result<std::string> apply(const InstanceSpec& instance, const Progress& progress) {
    CH_TRY_LET(limits, sqlite_limits(instance));
    const std::string directory = instance_directory(instance.id);
    const std::string path = database_path(instance.id);
    if (::mkdir(directory.c_str(), 0700) != 0 && errno != EEXIST) return system_fault("create", directory);
    const int fd = ::open(path.c_str(), O_RDWR | O_CREAT | O_CLOEXEC, 0600);
    if (fd < 0) return system_fault("create", path);
    ::close(fd);
    int64_t used = 0;
    {
      CH_TRY_LET(database, Sqlite::open(path));
      // The page size counts until the first table is made.
      CH_TRY(database.execute(fmt::format("PRAGMA page_size={}; PRAGMA auto_vacuum=INCREMENTAL;", kPageSize)));
      CH_TRY(database.execute(fmt::format("PRAGMA journal_mode={};", limits.journal_mode)));
      CH_TRY_LET(pages, database.integer("PRAGMA page_count"));
      if (pages * kPageSize > limits.max_mib * kMiB) CH_TRY(database.execute("VACUUM"));
      CH_TRY(reserve(database, limits.reserve_mib, progress));
      CH_TRY_LET(bytes, used_bytes(database));
      used = bytes;
    }
    CH_TRY(sync_directory(directory));
    CH_TRY(sync_directory(directory_ + "/instances"));
    return fmt::format("{} MiB of {} MiB used", (used + kMiB - 1) / kMiB, limits.max_mib);
  }

  const std::string directory_;
};

}  // namespace

std::string sqlite_database_path(const std::string& directory, std::string_view instance_id) {
  return fmt::format("{}/{}", directory_of(directory, instance_id), kFileName);
}

Result<std::unique_ptr<osb::server::Service>> open_sqlite_service(const std::string& directory) {
  std::error_code fault;
  const auto absolute = std::filesystem::absolute(directory, fault);
  if (fault) return unavailable(fmt::format("cannot find the directory {}: {}", directory, fault.message()));
  const std::string path = absolute.lexically_normal().string();
  for (const auto& part : {path, path + "/instances", path + "/trash"}) CH_TRY(secure_directory(part));
  std::filesystem::directory_iterator leftovers(path + "/trash", fault);
  if (fault) return unavailable(fmt::format("cannot read {}/trash: {}", path, fault.message()));
  for (const auto& entry : leftovers) CH_TRY(remove_all(entry.path().string()));
  return std::unique_ptr<osb::server::Service>(std::make_unique<SqliteService>(path));
}

}  // namespace chandler::brokers
