#include "brokers/postgresql/postgresql_program.h"

#include <filesystem>

#include <fmt/format.h>

#include "base/file.h"
#include "base/text.h"
#include "brokers/postgresql/postgresql_session.h"

namespace chandler::brokers {
namespace {

constexpr std::chrono::seconds kInitialiseLimit{120};
constexpr std::string_view kVersions = "/usr/lib/postgresql";
constexpr uint64_t kSyncAtOnceSince = 14;
constexpr int64_t kSharedMemoryMib = 64;
constexpr int64_t kSharedConnections = 200;
constexpr std::string_view kSharedTemporaryFiles = "1GB";  // of one session: they fill the disk of all

// Where the programs of a version are; of the newest one when `version` is empty. "" for none.
std::string program_folder(std::string_view version) {
  uint64_t newest = 0;
  std::error_code fault;
  for (const auto& entry : std::filesystem::directory_iterator(kVersions, fault)) {
    const std::string name = entry.path().filename().string();
    const auto number = parse_uint64(name);
    if (!number || (!version.empty() && name != version)) continue;
    const std::string folder = entry.path().string() + "/bin";
    if (find_program({folder + "/postgres"}).empty() || find_program({folder + "/initdb"}).empty()) continue;
    newest = std::max(newest, *number);
  }
  return newest == 0 ? "" : fmt::format("{}/{}/bin", kVersions, newest);
}

}  // namespace

bool PostgresqlProgram::is_installed() { return !program_folder("").empty(); }

Result<void> PostgresqlProgram::initialise(const ServerPlace& place, const ServerRecord& record) const {
  const std::string folder = program_folder("");
  const Command make = place.command({folder + "/initdb", "-D", place.data, "-U", "postgres", "--auth=reject",
                                      "--encoding=UTF8", "--locale=C.UTF-8", "--no-instructions", "--no-sync"});
  CH_TRY(run_to_end(make, "", place.log, kInitialiseLimit));
  CH_TRY(write_for_server(place.data + "/pg_hba.conf", fmt::format("host all all {}/32 scram-sha-256\n", kLoopback),
                          place.account));
  // Without a network. Our admin is no superuser; the superuser has no password, so nobody can log in as such.
  const std::string setup = fmt::format(
      "CREATE ROLE {0} LOGIN CREATEDB CREATEROLE PASSWORD '{1}';\n"
      "GRANT pg_signal_backend TO {0};\n"
      "REVOKE ALL ON DATABASE postgres, template1 FROM PUBLIC;\n"
      "GRANT CONNECT ON DATABASE postgres TO {0};\n",
      kAdminName, record.admin_password);
  const Command single = place.command({folder + "/postgres", "--single", "-D", place.data, "-c", "exit_on_error=on",
                                        "-c", "log_min_error_statement=panic", "postgres"});
  return run_to_end(single, setup, place.log, kInitialiseLimit);
}

Result<Command> PostgresqlProgram::begin(const ServerPlace& place, const ServerRecord& record) const {
  // Data of one version is of no use to another.
  CH_TRY_LET(version_text, read_file(place.data + "/PG_VERSION"));
  const std::string version(trim(version_text));
  const std::string folder = program_folder(version);
  if (folder.empty()) {
    return unavailable(
        fmt::format("the data is of PostgreSQL {}; install the package postgresql-{}", version, version));
  }
  const int64_t memory = json::int_at(record.settings, "memoryMiB").value_or(kSharedMemoryMib);
  const int64_t connections = json::int_at(record.settings, "maxConnections").value_or(kSharedConnections);
  Command command = place.command({folder + "/postgres", "-D", place.data});
  if (json::find(record.settings, "memoryMiB") == nullptr) {
    command.argv.emplace_back("-c");
    command.argv.push_back(fmt::format("temp_file_limit={}", kSharedTemporaryFiles));
  }
  if (parse_uint64(version).value_or(0) >= kSyncAtOnceSince) {
    command.argv.emplace_back("-c");
    command.argv.emplace_back("recovery_init_sync_method=syncfs");  // after a crash: not file by file
  }
  for (std::string setting : {
           fmt::format("listen_addresses={}", kLoopback), fmt::format("port={}", record.port),
           std::string("unix_socket_directories="),
           fmt::format("max_connections={}", connections + 20),  // some for the admin and for what runs inside
           fmt::format("shared_buffers={}MB", memory), std::string("password_encryption=scram-sha-256"),
           std::string("logging_collector=off"),
           std::string("log_min_error_statement=panic"),  // statements of users are not ours to write down
       }) {
    command.argv.emplace_back("-c");
    command.argv.push_back(std::move(setting));
  }
  return command;
}

Result<void> PostgresqlProgram::probe(const ServerRecord& record) const {
  CH_TRY(PostgresqlSession::connect(admin_address(record), "postgres"));
  return {};
}

}  // namespace chandler::brokers
