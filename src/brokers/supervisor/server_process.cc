#include "brokers/supervisor/server_process.h"

#include <fcntl.h>
#include <sys/wait.h>
#include <unistd.h>

#include <algorithm>
#include <cerrno>
#include <utility>

#include <fmt/format.h>

#include "base/log.h"
#include "base/pool.h"

namespace chandler::brokers {
namespace {

using std::chrono::milliseconds;
using std::chrono::steady_clock;

constexpr milliseconds kFirstPause{50};
constexpr milliseconds kLongestPause{10'000};
constexpr milliseconds kHealthy{30'000};  // who ran that long starts with a short pause again
constexpr milliseconds kFirstProbePause{20};
constexpr milliseconds kLongestProbePause{250};
constexpr int kMaxEnds = 6;  // while somebody waits

}  // namespace

ServerProcess::ServerProcess(ServerProcessOptions options)
    : options_(std::move(options)), thread_([this] { watch(); }) {}

ServerProcess::~ServerProcess() { stop(); }

pid_t ServerProcess::pid() const {
  MutexLock lock(mutex_);
  return pid_;
}

void ServerProcess::watch() {
  name_this_thread("server-watch");
  milliseconds pause = kFirstPause;
  while (true) {
    {
      MutexLock lock(mutex_);
      if (stopping_) break;
    }
    const auto started = steady_clock::now();
    const auto ran = run_once();
    if (steady_clock::now() - started > kHealthy) pause = kFirstPause;
    const std::string why = ran.ok() ? "it ended by itself" : ran.error().message;
    bool is_stopping = false;
    {
      MutexLock lock(mutex_);
      ++ends_;
      last_end_ = why;
      is_stopping = stopping_;
    }
    if (is_stopping) break;
    log::warn("a database server ended and is started again",
              {{"server", options_.name}, {"why", why}, {"pauseMs", pause.count()}, {"log", options_.log}});
    const auto until = steady_clock::now() + pause;
    MutexLock lock(mutex_);
    while (!stopping_ && steady_clock::now() < until) wake_.wait_until(mutex_, until);
    pause = std::min(pause * 2, kLongestPause);
  }
  MutexLock lock(mutex_);
  done_ = true;
  wake_.notify_all();
}

Result<void> ServerProcess::run_once() {
  CH_TRY_LET(command, options_.begin());
  command.death_signal = options_.death_signal;
  CH_TRY_LET(output, open_log(options_.log));
  const int input = ::open("/dev/null", O_RDONLY | O_CLOEXEC);
  auto spawned = spawn(command, input, output);
  ::close(input);
  ::close(output);
  CH_TRY_LET(pid, std::move(spawned));
  {
    MutexLock lock(mutex_);
    pid_ = pid;
    if (stopping_) ::kill(pid, options_.stop_signal);
  }
  // Seen as ended first and reaped under the lock, so that stop() never signals a process of somebody else.
  siginfo_t info{};
  while (::waitid(P_PID, static_cast<id_t>(pid), &info, WEXITED | WNOWAIT) != 0 && errno == EINTR) {
  }
  int status = 0;
  {
    MutexLock lock(mutex_);
    pid_ = 0;
    ::waitpid(pid, &status, 0);
  }
  if (WIFSIGNALED(status)) return unavailable(fmt::format("it was ended by signal {}", WTERMSIG(status)));
  if (WEXITSTATUS(status) != 0) return unavailable(fmt::format("it ended with code {}", WEXITSTATUS(status)));
  return {};
}

Result<void> ServerProcess::wait_ready(const std::function<Result<void>()>& probe, milliseconds limit) {
  const auto deadline = steady_clock::now() + limit;
  int ends_before = 0;
  {
    MutexLock lock(mutex_);
    ends_before = ends_;
  }
  std::string last = "it has not been started";
  milliseconds pause = kFirstProbePause;
  while (true) {
    bool is_running = false;
    int ends = 0;
    std::string last_end;
    {
      MutexLock lock(mutex_);
      if (stopping_) return unavailable(fmt::format("the server {} is being stopped; try again", options_.name));
      is_running = pid_ != 0;
      ends = ends_ - ends_before;
      last_end = last_end_;
    }
    if (is_running) {
      const auto ready = probe();
      if (ready.ok()) return {};
      last = ready.error().message;
    }
    if (ends >= kMaxEnds) {
      return unavailable(
          fmt::format("the server {} does not stay up: {}; see {}", options_.name, last_end, options_.log));
    }
    if (steady_clock::now() >= deadline) {
      return unavailable(fmt::format("the server {} is not ready after {} s: {}; see {}", options_.name,
                                     limit.count() / 1000, last, options_.log));
    }
    MutexLock lock(mutex_);
    if (!stopping_) wake_.wait_until(mutex_, steady_clock::now() + pause);
    pause = std::min(pause * 3 / 2, kLongestProbePause);
  }
}

void ServerProcess::stop() {
  {
    MutexLock lock(mutex_);
    stopping_ = true;
    wake_.notify_all();
    if (pid_ != 0) ::kill(pid_, options_.stop_signal);
    const auto deadline = steady_clock::now() + options_.grace;
    while (!done_ && steady_clock::now() < deadline) wake_.wait_until(mutex_, deadline);
    if (!done_ && pid_ != 0) ::kill(pid_, SIGKILL);
  }
  if (thread_.joinable()) thread_.join();
}

}  // namespace chandler::brokers
