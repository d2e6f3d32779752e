// kill -9 at a random moment: what was acknowledged is there after the restart. The writers run in a process of their
// own, which is this program again, told by the environment to play that part.
#include <fcntl.h>
#include <signal.h>
#include <spawn.h>
#include <sys/wait.h>
#include <unistd.h>

#include <cstdio>
#include <map>
#include <random>
#include <set>
#include <thread>

#include <fmt/format.h>
#include <gtest/gtest.h>

#include "base/text.h"
#include "storage/embedded/embedded_store.h"
#include "storage/temp_directory.h"

namespace chandler::storage {
namespace {

constexpr int kRuns = 10;
constexpr int kThreads = 8;
constexpr int kReportFd = 3;
constexpr const char* kDirectoryVariable = "CHANDLER_CRASH_TEST_DIRECTORY";

std::string body_of(std::string_view key, int64_t counter) {
  return fmt::format("{}={}:{}", key, counter, std::string(700, 'x'));
}

EmbeddedOptions options_in(const std::string& directory) {
  EmbeddedOptions options;
  options.directory = directory;
  options.checkpoint_pages = 100;
  return options;
}

// The part of the child: each thread creates keys and counts up one key of its own, and reports "<revision> <key>
// <counter>" after each acknowledgement, until the process is killed. Ends by itself should the parent go away.
TEST(CrashChild, DISABLED_WritesUntilItIsKilled) {
  const char* directory = std::getenv(kDirectoryVariable);
  ASSERT_NE(directory, nullptr) << "run by EmbeddedStoreCrash only";
  const auto store = EmbeddedStore::open(options_in(directory)).value();
  const auto round = store->revision();
  std::vector<std::thread> threads;
  for (int t = 0; t < kThreads; ++t) {
    threads.emplace_back([&, t] {
      for (int64_t i = 1;; ++i) {
        const auto key = i % 2 == 0 ? fmt::format("counter/{}", t) : fmt::format("new/{}/{}/{}", round, t, i);
        const auto counter = round + i;
        const auto outcome = store->commit_and_wait({key, body_of(key, counter)});
        if (!outcome.ok()) return;
        const auto line = fmt::format("{} {} {}\n", outcome->revision, key, counter);
        if (::write(kReportFd, line.data(), line.size()) < 0) return;
        if (t == 0 && i % 50 == 0) (void)store->compact(store->revision() - 200);
      }
    });
  }
  for (auto& thread : threads) thread.join();
}

struct Acknowledged {
  Revision revision = 0;
  std::map<std::string, int64_t> counters;  // by key, the highest
};

// Starts the child, kills it after `reports` acknowledgements, and returns all it has acknowledged.
void run_and_kill(const std::string& directory, int reports, Acknowledged& seen) {
  int fds[2];
  ASSERT_EQ(::pipe2(fds, O_CLOEXEC), 0);
  posix_spawn_file_actions_t actions;
  posix_spawn_file_actions_init(&actions);
  posix_spawn_file_actions_adddup2(&actions, fds[1], kReportFd);
  posix_spawn_file_actions_addopen(&actions, STDOUT_FILENO, "/dev/null", O_WRONLY, 0);
  std::string program = "/proc/self/exe";
  std::string filter = "--gtest_filter=CrashChild.*";
  std::string disabled = "--gtest_also_run_disabled_tests";
  char* argv[] = {program.data(), filter.data(), disabled.data(), nullptr};
  ASSERT_EQ(::setenv(kDirectoryVariable, directory.c_str(), 1), 0);
  pid_t child = 0;
  ASSERT_EQ(::posix_spawn(&child, program.c_str(), &actions, nullptr, argv, environ), 0);
  posix_spawn_file_actions_destroy(&actions);
  ::close(fds[1]);

  FILE* stream = ::fdopen(fds[0], "r");
  char line[256];
  int lines = 0;
  while (std::fgets(line, sizeof line, stream) != nullptr) {
    const auto parts = split(trim(line), ' ');
    ASSERT_EQ(parts.size(), 3u) << line;
    seen.revision = std::max(seen.revision, *parse_int64(parts[0]));
    auto& counter = seen.counters[std::string(parts[1])];
    counter = std::max(counter, *parse_int64(parts[2]));
    if (++lines == reports) ::kill(child, SIGKILL);
  }
  std::fclose(stream);
  int status = 0;
  ASSERT_EQ(::waitpid(child, &status, 0), child);
  ASSERT_TRUE(WIFSIGNALED(status) && WTERMSIG(status) == SIGKILL) << "the child ended by itself after " << lines;
}

// The state that a cache would have after attaching.
class Follower final : public ChangeSink {
 public:
  void on_changes(std::span<const Change> changes) override {
    for (const auto& change : changes) {
      ASSERT_TRUE(change.value);
      state[std::string(change.key)] = std::string(*change.value);
    }
  }
  std::map<std::string, std::string> state;
};

TEST(EmbeddedStoreCrash, WhatWasAcknowledgedSurvivesKill9) {
  const TempDirectory directory;
  std::mt19937 random(std::random_device{}());
  Acknowledged seen;
  for (int run = 0; run < kRuns; ++run) {
    const int reports = 1 + static_cast<int>(random() % 1500);
    SCOPED_TRACE(fmt::format("run {}, killed after {} acknowledgements", run, reports));
    ASSERT_NO_FATAL_FAILURE(run_and_kill(directory.path(), reports, seen));

    const auto opened = EmbeddedStore::open(options_in(directory.path()));
    ASSERT_TRUE(opened.ok()) << opened.error().message;
    Store& store = **opened;
    ASSERT_GE(store.revision(), seen.revision);
    Follower follower;
    const auto attached = store.attach(follower, [&](const Entry& entry) { follower.state[entry.key] = entry.value; });
    ASSERT_TRUE(attached.ok()) << attached.error().message;
    for (const auto& [key, counter] : seen.counters) {
      const auto found = follower.state.find(key);
      ASSERT_NE(found, follower.state.end()) << key;
      // A later write may have been committed without its acknowledgement having come through.
      const auto at = found->second.find('=') + 1;
      const auto stored = parse_int64(std::string_view(found->second).substr(at, found->second.find(':') - at));
      ASSERT_TRUE(stored);
      ASSERT_GE(*stored, counter) << key;
      ASSERT_EQ(found->second, body_of(key, *stored)) << "half a write";
    }
    store.detach(follower);
  }
}

}  // namespace
}  // namespace chandler::storage
