#include <sys/stat.h>

#include <cstdio>
#include <optional>
#include <utility>

#include <fmt/format.h>

#include "apiserver/backups.h"
#include "app/data_commands.h"
#include "app/foreground.h"
#include "app/progress_line.h"
#include "base/count_text.h"
#include "base/file.h"
#include "base/piecewise_file.h"
#include "client/kubeconfig.h"
#include "client/status_error.h"
#include "http/client.h"
#include "storage/backup/backup_reader.h"

namespace chandler::app {
namespace {

struct Received {
  storage::BackupHeader header;
  storage::BackupEnd end;
};

// What comes in is checked while it is written, so a file that gets its name is a backup that can be restored.
Result<Received> receive(http::Client& http, const client::Connection& connection, const BackupOptions& options) {
  CH_TRY_LET(request,
             connection.request("GET", options.include_keys ? apiserver::kBackupWithKeysPath : apiserver::kBackupPath));
  CH_TRY_LET(file, FileWriter::create(options.to, 0600));
  ProgressLine progress("backup", "objects");
  int64_t objects = 0;
  std::optional<storage::BackupHeader> header;
  storage::BackupVisitor visitor;
  visitor.header = [&](const storage::BackupHeader& told) -> Result<void> {
    header = told;
    return {};
  };
  visitor.entry = [&](storage::Revision, std::string_view, std::string_view) -> Result<void> {
    progress.show(++objects, header->objects);
    return {};
  };
  storage::BackupReader reader("from " + connection.server, std::move(visitor));
  Result<void> taken;
  request.timeout = std::chrono::milliseconds(0);  // as long as it takes
  request.on_piece = [&](std::string_view piece) {
    taken = reader.feed(piece);
    if (taken.ok()) taken = file.write(piece);
    return taken.ok();
  };
  fmt::print(stderr, "backup: asking {}\n", connection.server);
  const auto outcome = http.send_and_wait(std::move(request));
  CH_TRY(std::move(taken));
  if (!outcome.ok()) return client::error_of_failure(outcome.error(), connection.server);
  if (outcome->status != 200) return client::error_of_response(*outcome);
  CH_TRY_LET(end, reader.finish());
  CH_TRY(file.finish());
  return Received{*header, end};
}

}  // namespace

int backup(const BackupOptions& options) {
  if (file_exists(options.to) && !options.force) {
    return fail_with(bad_request(fmt::format("{} exists; choose another --to, or use --force", options.to)));
  }
  client::KubeconfigOptions kubeconfig;
  kubeconfig.path = options.kubeconfig;
  kubeconfig.context = options.context;
  const auto connection = client::connect(kubeconfig);
  if (!connection.ok()) return fail_with(connection.error());
  const auto http = http::Client::create({});
  const auto received = receive(*http, *connection, options);
  if (!received.ok()) return fail_with(received.error());
  fmt::print("{}: {} at revision {}, {} of values, SHA-256 {}\n", options.to, counted(received->end.objects, "object"),
             received->header.revision, counted(received->end.bytes, "byte"), received->end.sha256);
  if (options.include_keys) {
    fmt::print(stderr,
               "backup: WARNING: the file holds the keys of the server: whoever has it can read every Secret and sign "
               "as its authority; keep it as you keep passwords\n");
  } else {
    fmt::print(stderr,
               "backup: Secrets in it stay encrypted: a restore elsewhere needs a copy of encryption.keys of the data "
               "directory, kept apart from the backup\n");
  }
  return 0;
}

}  // namespace chandler::app
