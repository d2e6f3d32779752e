#include <cstdio>

#include <fmt/format.h>

#include "app/data_commands.h"
#include "app/foreground.h"
#include "app/progress_line.h"
#include "base/clock.h"
#include "base/count_text.h"
#include "base/private_file.h"
#include "storage/restore.h"

namespace chandler::app {

int restore(const RestoreCommandOptions& options) {
  if (auto configured = configure_log("warn", "text"); !configured.ok()) return fail_with(configured.error());
  if (auto checked = check_given_file(options.from); !checked.ok()) return fail_with(checked.error());
  ProgressLine progress("restore", "objects");
  storage::RestoreOptions restore;
  restore.directory = options.data_dir;
  restore.from = options.from;
  restore.key_file = options.keys;
  restore.force = options.force;
  restore.progress = [&](int64_t done, int64_t all) { progress.show(done, all); };
  const auto report = storage::restore_backup(restore, system_clock());
  if (!report.ok()) return fail_with(report.error());
  fmt::print("{}: {} of {} (revision {}, written by chandler {}); the server goes on at revision {}\n",
             options.data_dir, counted(report->header.objects, "object"), report->header.time, report->header.revision,
             report->header.program, report->revision);
  if (!report->aside.empty()) fmt::print("What was there before is in {}.\n", report->aside);
  if (!report->has_pki) {
    fmt::print(
        "The first start makes a new authority and new keys: hand out admin.kubeconfig anew, tokens of service "
        "accounts are issued anew.\n");
  }
  return 0;
}

}  // namespace chandler::app
