#include "brokers/mysql/mysql_program.h"

#include <fmt/format.h>

#include "base/file.h"
#include "brokers/mysql/mysql_session.h"

namespace chandler::brokers {
namespace {

constexpr std::chrono::seconds kInitialiseLimit{120};
constexpr int64_t kSharedMemoryMib = 64;
constexpr int64_t kSharedConnections = 500;

std::string server_path() { return find_program({"/usr/sbin/mariadbd", "/usr/local/sbin/mariadbd"}); }

// What makes the system tables, in this order; the help texts and views for DBAs are left out.
constexpr std::string_view kTables[] = {
    "/usr/share/mysql/mysql_system_tables.sql", "/usr/share/mysql/mysql_performance_tables.sql",
    "/usr/share/mysql/mysql_system_tables_data.sql", "/usr/share/mysql/maria_add_gis_sp_bootstrap.sql"};

std::vector<std::string> shared_arguments(const ServerPlace& place) {
  return {server_path(),
          "--no-defaults",
          "--datadir=" + place.data,
          "--tmpdir=" + place.scratch,
          "--innodb-log-file-size=16M",
          "--skip-log-bin",
          "--table-open-cache=400"};
}

}  // namespace

bool MysqlProgram::is_installed() { return !server_path().empty() && file_exists(std::string(kTables[0])); }

Result<void> MysqlProgram::initialise(const ServerPlace& place, const ServerRecord&) const {
  // "root" may only come in by the socket, which is in a directory of the server's account.
  std::string sql = "CREATE DATABASE mysql;\nUSE mysql;\nSET @auth_root_socket='mysql';\n";
  for (const auto path : kTables) {
    CH_TRY_LET(text, read_file(std::string(path)));
    sql += text + "\n";
  }
  Command command = place.command(shared_arguments(place));
  command.argv.emplace_back("--bootstrap");
  command.argv.emplace_back("--innodb-buffer-pool-size=32M");
  // Nothing is lost if this is cut short: it is begun anew. What it wrote is synced as a whole afterwards.
  command.argv.emplace_back("--innodb-flush-log-at-trx-commit=0");
  return run_to_end(command, sql, place.log, kInitialiseLimit);
}

Result<Command> MysqlProgram::begin(const ServerPlace& place, const ServerRecord& record) const {
  // Run before connections are taken, each time: an admin that was damaged is good again after a restart.
  const std::string admin = fmt::format("'{}'@'{}'", kAdminName, kLoopback);
  const std::string hash = mysql_password_hash(record.admin_password);
  const std::string init_file = place.scratch + "/init.sql";
  CH_TRY(write_for_server(init_file,
                          fmt::format("CREATE OR REPLACE USER {} IDENTIFIED BY PASSWORD '{}';\n"
                                      "GRANT ALL PRIVILEGES ON *.* TO {} WITH GRANT OPTION;\n",
                                      admin, hash, admin),
                          place.account));
  const std::string files = place.scratch + "/files";
  CH_TRY(make_private_directory(files, place.account));
  const int64_t memory = json::int_at(record.settings, "memoryMiB").value_or(kSharedMemoryMib);
  const int64_t connections = json::int_at(record.settings, "maxConnections").value_or(kSharedConnections);
  Command command = place.command(shared_arguments(place));
  for (std::string argument : {
           fmt::format("--port={}", record.port),
           fmt::format("--bind-address={}", kLoopback),
           fmt::format("--innodb-buffer-pool-size={}M", memory),
           fmt::format("--max-connections={}", connections + 10),  // some for the admin
           "--init-file=" + init_file,
           "--secure-file-priv=" + files,
           // Relative to the data directory: a whole path may be longer than sockets allow.
           std::string("--socket=server.sock"),
           std::string("--pid-file=server.pid"),
           std::string("--skip-name-resolve"),
           std::string("--skip-symbolic-links"),
           std::string("--local-infile=0"),
           std::string("--character-set-server=utf8mb4"),
       }) {
    command.argv.push_back(std::move(argument));
  }
  return command;
}

Result<void> MysqlProgram::probe(const ServerRecord& record) const {
  CH_TRY(MysqlSession::connect(admin_address(record)));
  return {};
}

}  // namespace chandler::brokers
