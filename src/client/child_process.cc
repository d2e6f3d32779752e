#include "client/child_process.h"

#include <algorithm>
#include <cerrno>
#include <csignal>
#include <cstring>
#include <map>
#include <thread>

#include <fcntl.h>
#include <poll.h>
#include <spawn.h>
#include <sys/wait.h>
#include <unistd.h>

#include <fmt/format.h>

namespace chandler::client {
namespace {

using std::chrono::steady_clock;

constexpr auto kReapPause = std::chrono::milliseconds(5);

class Descriptor {
 public:
  explicit Descriptor(int fd) : fd_(fd) {}
  ~Descriptor() {
    if (fd_ >= 0) ::close(fd_);
  }
  Descriptor(const Descriptor&) = delete;
  Descriptor& operator=(const Descriptor&) = delete;
  int get() const { return fd_; }
  void close() {
    if (fd_ >= 0) ::close(fd_);
    fd_ = -1;
  }

 private:
  int fd_;
};

std::vector<std::string> environment(const std::vector<std::pair<std::string, std::string>>& more) {
  std::map<std::string, std::string> all;
  for (char** at = environ; at != nullptr && *at != nullptr; ++at) {
    const std::string_view entry(*at);
    const size_t equals = entry.find('=');
    if (equals != std::string_view::npos) all[std::string(entry.substr(0, equals))] = entry.substr(equals + 1);
  }
  for (const auto& [name, value] : more) all[name] = value;
  std::vector<std::string> out;
  out.reserve(all.size());
  for (const auto& [name, value] : all) out.push_back(fmt::format("{}={}", name, value));
  return out;
}

std::vector<char*> pointers(std::vector<std::string>& texts) {
  std::vector<char*> out;
  out.reserve(texts.size() + 1);
  for (auto& text : texts) out.push_back(text.data());
  out.push_back(nullptr);
  return out;
}

// The program and, if it has a group of its own, all that it started.
void end(pid_t pid, bool own_group) {
  ::kill(own_group ? -pid : pid, SIGKILL);
  while (::waitpid(pid, nullptr, 0) < 0 && errno == EINTR) {
  }
}

Result<pid_t> spawn(const ChildProcess& process, int out, bool own_group) {
  std::vector<std::string> arguments{process.command};
  arguments.insert(arguments.end(), process.args.begin(), process.args.end());
  auto variables = environment(process.env);
  auto argv = pointers(arguments);
  auto envp = pointers(variables);

  posix_spawn_file_actions_t actions;
  posix_spawnattr_t attributes;
  posix_spawn_file_actions_init(&actions);
  posix_spawnattr_init(&attributes);
  if (!process.terminal) posix_spawn_file_actions_addopen(&actions, STDIN_FILENO, "/dev/null", O_RDONLY, 0);
  posix_spawn_file_actions_adddup2(&actions, out, STDOUT_FILENO);
  sigset_t none;
  sigemptyset(&none);
  posix_spawnattr_setsigmask(&attributes, &none);
  // A program at the terminal stays in our group, or it could not read from it.
  posix_spawnattr_setpgroup(&attributes, 0);
  posix_spawnattr_setflags(&attributes,
                           static_cast<short>(POSIX_SPAWN_SETSIGMASK | (own_group ? POSIX_SPAWN_SETPGROUP : 0)));
  pid_t pid = 0;
  const int failed = ::posix_spawnp(&pid, process.command.c_str(), &actions, &attributes, argv.data(), envp.data());
  posix_spawnattr_destroy(&attributes);
  posix_spawn_file_actions_destroy(&actions);
  if (failed == ENOENT) return not_found({"", "program", process.command, ""});
  if (failed != 0) {
    return internal_error(fmt::format("cannot start the program {}: {}", process.command, std::strerror(failed)));
  }
  return pid;
}

// Until the end of its output.
Result<std::string> read_all(const ChildProcess& process, int fd, steady_clock::time_point deadline) {
  std::string text;
  char buffer[4096];
  for (;;) {
    const auto left = std::chrono::duration_cast<std::chrono::milliseconds>(deadline - steady_clock::now()).count();
    pollfd wait{fd, POLLIN, 0};
    const int ready = left <= 0 ? 0 : ::poll(&wait, 1, static_cast<int>(std::min<int64_t>(left + 1, 60'000)));
    if (ready < 0 && errno != EINTR) return internal_error("cannot wait for a program's output");
    if (ready == 0 && steady_clock::now() >= deadline) {
      return timeout(fmt::format("the program {} did not end within {} s", process.command,
                                 std::chrono::duration_cast<std::chrono::seconds>(process.timeout).count()));
    }
    if (ready <= 0) continue;
    const ssize_t count = ::read(fd, buffer, sizeof(buffer));
    if (count == 0) return text;
    if (count < 0 && errno == EINTR) continue;
    if (count < 0) return internal_error(fmt::format("cannot read what the program {} prints", process.command));
    text.append(buffer, static_cast<size_t>(count));
    if (text.size() > process.max_output_bytes) {
      return too_large(
          fmt::format("the program {} printed more than {} bytes", process.command, process.max_output_bytes));
    }
  }
}

}  // namespace

Result<ChildOutput> run(const ChildProcess& process) {
  const auto deadline = steady_clock::now() + process.timeout;
  int ends[2];
  if (::pipe2(ends, O_CLOEXEC) != 0) return internal_error("cannot make a pipe for a program's output");
  Descriptor reading(ends[0]);
  Descriptor writing(ends[1]);
  const bool own_group = !process.terminal;
  CH_TRY_LET(pid, spawn(process, writing.get(), own_group));
  writing.close();

  auto text = read_all(process, reading.get(), deadline);
  if (!text.ok()) {
    end(pid, own_group);
    return std::move(text).error();
  }
  // It has closed its output and usually has ended; one that lives on has the rest of its time.
  int status = 0;
  for (;;) {
    const pid_t ended = ::waitpid(pid, &status, WNOHANG);
    if (ended == pid) break;
    if (ended < 0 && errno != EINTR) return internal_error("a program ended and left no status");
    if (steady_clock::now() >= deadline) {
      end(pid, own_group);
      return timeout(fmt::format("the program {} did not end in time", process.command));
    }
    std::this_thread::sleep_for(kReapPause);
  }
  ChildOutput output;
  output.text = std::move(*text);
  output.exit_code = WIFEXITED(status) ? WEXITSTATUS(status) : 128 + WTERMSIG(status);
  return output;
}

}  // namespace chandler::client
