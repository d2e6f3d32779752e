#include "brokers/supervisor/child_process.h"

#include <fcntl.h>
#include <grp.h>
#include <sched.h>
#include <sys/mman.h>
#include <sys/mount.h>
#include <sys/prctl.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <unistd.h>

#include <array>
#include <cerrno>
#include <cstdio>
#include <cstdlib>
#include <system_error>
#include <thread>

#include <fmt/format.h>

namespace chandler::brokers {
namespace {

constexpr off_t kMaxLog = 8 << 20;
constexpr std::array<const char*, 4> kEnvironment = {
    "PATH=/usr/local/sbin:/usr/local/bin:/usr/sbin:/usr/bin:/sbin:/bin", "LC_ALL=C.UTF-8", "HOME=/nonexistent",
    nullptr};

std::string system_text() { return std::generic_category().message(errno); }

// A file descriptor that is closed at the end of a scope.
struct OwnedFd {
  int fd = -1;
  ~OwnedFd() {
    if (fd >= 0) ::close(fd);
  }
};

// What is done between fork and exec: only calls that are allowed there.
enum class Stage : int { kStart, kWay };

struct Report {
  Stage stage;
  int fault;  // errno
};

struct Launch {
  const char* path;
  char* const* argv;
  const char* directory;
  const Account* account;
  const char* closed;                           // "": none
  const std::vector<std::string>* closed_path;  // the directories from there to the needed one
  int death_signal;
  int input;
  int output;
  int report;  // gets a Report when something fails; closed by a successful exec
  pid_t parent;
};

void close_on_exec_from(int first) {
  if (::close_range(static_cast<unsigned>(first), ~0U, CLOSE_RANGE_CLOEXEC) == 0) return;
  for (int fd = first; fd < 4096; ++fd) ::fcntl(fd, F_SETFD, FD_CLOEXEC);  // a kernel without the call
}

[[noreturn]] void give_up(const Launch& launch, Stage stage) {
  const Report report{stage, errno};
  [[maybe_unused]] const auto written = ::write(launch.report, &report, sizeof report);
  ::_exit(127);
}

// Mounts of this process alone: an empty directory over the closed one, and in it the needed one where it was.
bool open_private_way(const Launch& launch) {
  const char* needed = launch.closed_path->back().c_str();
  if (::unshare(CLONE_NEWNS) != 0 || ::mount(nullptr, "/", nullptr, MS_REC | MS_PRIVATE, nullptr) != 0) return false;
  const int source = ::open(needed, O_PATH | O_DIRECTORY | O_CLOEXEC);  // of the new mounts, and before it is hidden
  if (source < 0 || ::mount("tmpfs", launch.closed, "tmpfs", MS_NOSUID | MS_NODEV, "mode=0755,size=64k") != 0) {
    return false;
  }
  for (const auto& directory : *launch.closed_path) {
    if (::mkdir(directory.c_str(), 0755) != 0) return false;
    ::chmod(directory.c_str(), 0755);  // whatever the umask
  }
  char from[32] = "/proc/self/fd/";
  char* end = from + 14;
  char digits[12];
  int count = 0;
  for (int rest = source; rest > 0 || count == 0; rest /= 10) digits[count++] = static_cast<char>('0' + rest % 10);
  while (count > 0) *end++ = digits[--count];
  return ::mount(from, needed, nullptr, MS_BIND | MS_REC, nullptr) == 0;
}

[[noreturn]] void become(const Launch& launch) {
  ::setsid();  // signals of a terminal are for us; we stop our children ourselves
  for (int number = 1; number < NSIG; ++number) ::signal(number, SIG_DFL);
  sigset_t none;
  ::sigemptyset(&none);
  ::sigprocmask(SIG_SETMASK, &none, nullptr);
  ::umask(0077);
  if (::dup2(launch.input, 0) < 0 || ::dup2(launch.output, 1) < 0 || ::dup2(launch.output, 2) < 0)
    give_up(launch, Stage::kStart);
  close_on_exec_from(3);
  if (*launch.closed != '\0' && !open_private_way(launch)) give_up(launch, Stage::kWay);
  if (::chdir(launch.directory) != 0) give_up(launch, Stage::kStart);
  if (launch.account != nullptr) {
    const gid_t group = launch.account->gid;
    if (::setgroups(1, &group) != 0 || ::setgid(group) != 0 || ::setuid(launch.account->uid) != 0)
      give_up(launch, Stage::kStart);
  }
  // After the change of account, which takes the setting away.
  if (::prctl(PR_SET_PDEATHSIG, launch.death_signal) != 0) give_up(launch, Stage::kStart);
  if (::getppid() != launch.parent) ::_exit(127);  // we ended in between
  ::execve(launch.path, launch.argv, const_cast<char* const*>(kEnvironment.data()));
  give_up(launch, Stage::kStart);
}

Result<int> memory_file(std::string_view content) {
  OwnedFd file{::memfd_create("chandler-input", MFD_CLOEXEC)};
  if (file.fd < 0) return unavailable(fmt::format("cannot make a file in memory: {}", system_text()));
  while (!content.empty()) {
    const auto written = ::write(file.fd, content.data(), content.size());
    if (written < 0 && errno == EINTR) continue;
    if (written <= 0) return unavailable(fmt::format("cannot write a file in memory: {}", system_text()));
    content.remove_prefix(static_cast<size_t>(written));
  }
  ::lseek(file.fd, 0, SEEK_SET);
  return std::exchange(file.fd, -1);
}

}  // namespace

std::string find_program(const std::vector<std::string>& paths) {
  for (const auto& path : paths) {
    if (::access(path.c_str(), X_OK) == 0) return path;
  }
  return "";
}

Result<pid_t> spawn(const Command& command, int input, int output) {
  std::vector<char*> argv;
  argv.reserve(command.argv.size() + 1);
  for (const auto& word : command.argv) argv.push_back(const_cast<char*>(word.c_str()));
  argv.push_back(nullptr);
  std::array<int, 2> report{};
  if (::pipe2(report.data(), O_CLOEXEC) != 0) return unavailable(fmt::format("cannot make a pipe: {}", system_text()));
  OwnedFd reader{report[0]};
  OwnedFd writer{report[1]};
  std::vector<std::string> closed_path;
  if (!command.closed.empty()) {
    for (size_t at = command.closed.size(); at < command.needed.size();) {
      at = command.needed.find('/', at + 1);
      closed_path.push_back(command.needed.substr(0, at));
      if (at == std::string::npos) break;
    }
  }
  const Launch launch{argv[0],
                      argv.data(),
                      command.directory.c_str(),
                      command.account ? &*command.account : nullptr,
                      closed_path.empty() ? "" : command.closed.c_str(),
                      &closed_path,
                      command.death_signal,
                      input,
                      output,
                      writer.fd,
                      ::getpid()};
  const pid_t pid = ::fork();
  if (pid < 0) return unavailable(fmt::format("cannot start {}: {}", command.argv[0], system_text()));
  if (pid == 0) become(launch);
  ::close(std::exchange(writer.fd, -1));
  Report failed{};
  ssize_t got = 0;
  do {
    got = ::read(reader.fd, &failed, sizeof failed);
  } while (got < 0 && errno == EINTR);
  if (got != sizeof failed) return pid;
  ::waitpid(pid, nullptr, 0);
  if (failed.stage == Stage::kWay) {
    return unavailable(fmt::format(
        "the account {}, which runs the database server, cannot reach {} because {} is closed to it; run \"chmod o+x "
        "{}\" or choose a data directory elsewhere, such as /var/lib/chandler",
        command.account ? command.account->name : "", command.needed, command.closed, command.closed));
  }
  return unavailable(
      fmt::format("cannot start {}: {}", command.argv[0], std::generic_category().message(failed.fault)));
}

Result<int> open_log(const std::string& path) {
  struct stat info {};
  if (::stat(path.c_str(), &info) == 0 && info.st_size > kMaxLog) std::rename(path.c_str(), (path + ".1").c_str());
  const int fd = ::open(path.c_str(), O_WRONLY | O_APPEND | O_CREAT | O_CLOEXEC, 0600);
  if (fd < 0) return unavailable(fmt::format("cannot open {}: {}", path, system_text()));
  return fd;
}

Result<void> run_to_end(const Command& command, std::string_view input, const std::string& log,
                        std::chrono::seconds limit) {
  CH_TRY_LET(input_fd, memory_file(input));
  const OwnedFd in{input_fd};
  CH_TRY_LET(log_fd, open_log(log));
  const OwnedFd out{log_fd};
  // When we end, what it makes is thrown away; it must not go on, or tidy up, where its successor works.
  Command bound = command;
  bound.death_signal = SIGKILL;
  CH_TRY_LET(pid, spawn(bound, in.fd, out.fd));
  const auto deadline = std::chrono::steady_clock::now() + limit;
  int status = 0;
  bool was_killed = false;
  while (::waitpid(pid, &status, WNOHANG) == 0) {
    if (!was_killed && std::chrono::steady_clock::now() > deadline) {
      ::kill(pid, SIGKILL);
      was_killed = true;
    }
    std::this_thread::sleep_for(std::chrono::milliseconds(5));
  }
  if (was_killed) return timeout(fmt::format("{} took longer than {} s; see {}", command.argv[0], limit.count(), log));
  if (!WIFEXITED(status) || WEXITSTATUS(status) != 0) {
    return unavailable(fmt::format("{} failed; see {}", command.argv[0], log));
  }
  return {};
}

}  // namespace chandler::brokers
