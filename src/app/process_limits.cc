#include "app/process_limits.h"

#include <sys/resource.h>

#include <string_view>

#include <fmt/format.h>

#include "base/log.h"

namespace chandler::app {
namespace {

// What is open besides connections: the database, logs, event loops, brokers and the servers that they run.
constexpr size_t kOwnFiles = 128;

void report(__rlimit_resource_t which, std::string_view name, std::string_view effect, std::string_view remedy) {
  rlimit limit{};
  if (::getrlimit(which, &limit) != 0 || limit.rlim_cur == RLIM_INFINITY) return;
  log::warn("a resource limit is set",
            {{"limit", name}, {"value", limit.rlim_cur}, {"effect", effect}, {"remedy", remedy}});
}

}  // namespace

size_t connections_within(size_t limit) { return limit > kOwnFiles ? limit - kOwnFiles : 0; }

Result<void> raise_file_limit() {
  rlimit limit{};
  if (::getrlimit(RLIMIT_NOFILE, &limit) != 0) return {};
  limit.rlim_cur = limit.rlim_max;
  ::setrlimit(RLIMIT_NOFILE, &limit);
  if (::getrlimit(RLIMIT_NOFILE, &limit) != 0 || connections_within(limit.rlim_cur) > 0) return {};
  return unavailable(
      fmt::format("RLIMIT_NOFILE allows {} file descriptors, and {} are needed before there is one for a connection; "
                  "raise LimitNOFILE= of the unit, or the hard limit (ulimit -Hn)",
                  limit.rlim_cur, kOwnFiles));
}

void report_limits(size_t wanted) {
  rlimit limit{};
  if (::getrlimit(RLIMIT_NOFILE, &limit) == 0 && connections_within(limit.rlim_cur) < wanted) {
    log::warn("few file descriptors are allowed",
              {{"limit", "RLIMIT_NOFILE"},
               {"value", limit.rlim_cur},
               {"connections", connections_within(limit.rlim_cur)},
               {"connections_served", wanted},
               {"effect", "further connections wait; a watch over HTTP/1.1 takes one"},
               {"remedy", "raise LimitNOFILE= of the unit, or the hard limit (ulimit -Hn)"}});
  }
  report(RLIMIT_FSIZE, "RLIMIT_FSIZE", "writes are refused when the database or its log reaches this many bytes",
         "raise LimitFSIZE= of the unit (ulimit -f)");
  report(RLIMIT_AS, "RLIMIT_AS", "the process ends when its address space reaches this many bytes, used or not",
         "limit memory by MemoryMax= of the unit (a cgroup) instead of LimitAS= (ulimit -v)");
  report(RLIMIT_DATA, "RLIMIT_DATA", "the process ends when its data reach this many bytes",
         "limit memory by MemoryMax= of the unit (a cgroup) instead of LimitDATA= (ulimit -d)");
}

}  // namespace chandler::app
