#include "brokers/supervisor/server_process.h"

#include <fcntl.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <unistd.h>

#include <array>
#include <atomic>
#include <thread>

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "base/file.h"
#include "base/text.h"
#include "brokers/mysql/mysql_program.h"
#include "brokers/temp_directory_fixture.h"
#include "support/eventually.h"

namespace chandler::brokers {
namespace {

using chandler::testing::eventually;
using ::testing::HasSubstr;

Result<void> always() { return {}; }

// Gone, or a zombie that nobody has collected yet.
bool is_dead(pid_t pid) {
  const auto status = read_file("/proc/" + std::to_string(pid) + "/stat");
  return !status.ok() || status->find(") Z ") != std::string::npos;
}

class ServerProcessTest : public ::testing::Test {
 protected:
  ServerProcessOptions options(std::vector<std::string> argv) {
    ServerProcessOptions options;
    options.name = "test/one";
    options.log = directory_.path() + "/log";
    options.begin = [argv, this]() -> Result<Command> {
      ++starts_;
      return Command{argv, directory_.path(), std::nullopt};
    };
    return options;
  }

  const TempDirectory directory_;
  std::atomic<int> starts_ = 0;
};

TEST_F(ServerProcessTest, AKilledServerIsStartedAgain) {
  ServerProcess server(options({"/bin/sleep", "1000"}));
  ASSERT_TRUE(server.wait_ready(always, std::chrono::seconds(10)).ok());
  const pid_t first = server.pid();
  ::kill(first, SIGKILL);
  EXPECT_TRUE(eventually([&] { return server.pid() != 0 && server.pid() != first; }));
  const pid_t second = server.pid();
  server.stop();
  server.stop();
  EXPECT_EQ(server.pid(), 0);
  EXPECT_TRUE(is_dead(second));
  EXPECT_EQ(starts_, 2);
}

TEST_F(ServerProcessTest, OneThatDoesNotStayUpIsReported) {
  ServerProcess server(options({"/bin/false"}));
  const auto ready = server.wait_ready([] { return Result<void>(unavailable("no")); }, std::chrono::seconds(20));
  ASSERT_FALSE(ready.ok());
  EXPECT_THAT(ready.error().message, HasSubstr("does not stay up"));
}

TEST_F(ServerProcessTest, OneThatIsNotThereIsReported) {
  ServerProcess server(options({"/nonexistent/program"}));
  const auto ready = server.wait_ready(always, std::chrono::seconds(20));
  ASSERT_FALSE(ready.ok());
  EXPECT_THAT(ready.error().message, HasSubstr("does not stay up"));
  EXPECT_THAT(ready.error().message, HasSubstr(directory_.path()));
}

TEST_F(ServerProcessTest, OneThatDoesNotListenIsKilled) {
  // A shell only here, to have a program that ignores the signal.
  auto stubborn = options({"/bin/sh", "-c", "trap '' TERM; echo up > up; while :; do sleep 1000; done"});
  stubborn.grace = std::chrono::milliseconds(50);
  ServerProcess server(std::move(stubborn));
  ASSERT_TRUE(eventually([&] { return file_exists(directory_.path() + "/up"); }));
  const pid_t pid = server.pid();
  server.stop();
  EXPECT_TRUE(is_dead(pid));
}

// However we end, our servers do not stay behind: they would hold ports and directories of the next start.
TEST_F(ServerProcessTest, ServersEndWithUs) {
  std::array<int, 2> pipe{};
  ASSERT_EQ(::pipe2(pipe.data(), O_CLOEXEC), 0);
  const pid_t us = ::fork();
  ASSERT_GE(us, 0);
  if (us == 0) {
    const int null = ::open("/dev/null", O_RDWR);
    const auto child = spawn(Command{{"/bin/sleep", "1000"}, "/", std::nullopt}, null, null);
    const pid_t pid = child.ok() ? *child : 0;
    if (::write(pipe[1], &pid, sizeof pid) != sizeof pid) ::_exit(1);
    ::pause();
    ::_exit(0);
  }
  pid_t server = 0;
  ASSERT_EQ(::read(pipe[0], &server, sizeof server), static_cast<ssize_t>(sizeof server));
  ASSERT_GT(server, 0);
  EXPECT_FALSE(is_dead(server));
  ::kill(us, SIGKILL);
  ::waitpid(us, nullptr, 0);
  EXPECT_TRUE(eventually([&] { return is_dead(server); }));
  ::close(pipe[0]);
  ::close(pipe[1]);
}

// As MariaDB is while it starts.
TEST_F(ServerProcessTest, OneThatIsDeafEndsWithUsAllTheSame) {
  Command deaf{{"/bin/sh", "-c", "trap '' TERM; touch up; exec sleep 1000"}, directory_.path(), std::nullopt};
  deaf.death_signal = MysqlProgram().death_signal();
  pid_t server = 0;
  std::thread([&] {
    const int null = ::open("/dev/null", O_RDWR | O_CLOEXEC);
    server = spawn(deaf, null, null).value();
    ::close(null);
    EXPECT_TRUE(eventually([&] { return file_exists(directory_.path() + "/up"); }));
  }).join();
  int status = 0;
  ASSERT_EQ(::waitpid(server, &status, 0), server);
  EXPECT_TRUE(WIFSIGNALED(status) && WTERMSIG(status) == SIGKILL);
}

TEST_F(ServerProcessTest, AChildInheritsNothing) {
  const int secret = ::open("/dev/null", O_RDONLY);  // without close-on-exec, as a library may open it
  const std::string log = directory_.path() + "/log";
  const Command list{{"/bin/ls", "/proc/self/fd"}, "/", std::nullopt};
  ASSERT_TRUE(run_to_end(list, "", log, std::chrono::seconds(10)).ok());
  ::close(secret);
  const auto text = read_file(log).value();
  EXPECT_EQ(split(trim(text), '\n').size(), 4u) << "input, output, errors and the directory that is listed: " << text;
  struct stat info {};
  ASSERT_EQ(::stat(log.c_str(), &info), 0);
  EXPECT_EQ(info.st_mode & 0777, 0600u);
}

TEST_F(ServerProcessTest, AProgramThatFailsOrHangsIsReported) {
  const std::string log = directory_.path() + "/log";
  const auto failed = run_to_end({{"/bin/false"}, "/", std::nullopt}, "", log, std::chrono::seconds(10));
  ASSERT_FALSE(failed.ok());
  EXPECT_THAT(failed.error().message, HasSubstr(log));
  EXPECT_FALSE(run_to_end({{"/bin/sleep", "1000"}, "/", std::nullopt}, "", log, std::chrono::seconds(0)).ok());
  EXPECT_FALSE(run_to_end({{"/nonexistent"}, "/", std::nullopt}, "", log, std::chrono::seconds(10)).ok());
}

TEST_F(ServerProcessTest, AServerIsNotRunAsRoot) {
  const auto account = server_account({"no-such-account"}).value();
  if (::geteuid() != 0) {
    EXPECT_FALSE(account.has_value());
    return;
  }
  ASSERT_TRUE(account.has_value());
  EXPECT_EQ(account->name, "nobody");
  const std::string log = directory_.path() + "/log";
  ASSERT_TRUE(run_to_end({{"/usr/bin/id"}, "/", account}, "", log, std::chrono::seconds(10)).ok());
  const auto text = read_file(log).value();
  EXPECT_THAT(text, HasSubstr("(nobody)"));
  EXPECT_EQ(text.find("root"), std::string::npos) << text;
}

// Root's home is closed to others, and a fine place for a first try.
TEST_F(ServerProcessTest, TheWayToAServerIsOpenedAsFarAsItIsOurs) {
  if (::geteuid() != 0) GTEST_SKIP() << "only root runs programs for other accounts";
  const auto account = server_account({}).value();
  const std::string inner = directory_.path() + "/a/b";
  ASSERT_TRUE(make_directories(inner, 0700).ok());
  ASSERT_TRUE(write_file(directory_.path() + "/a/not-for-others", "x", 0644).ok());
  const auto closed = open_way(directory_.path() + "/a", inner, account);
  ASSERT_TRUE(closed.ok());
  EXPECT_EQ(*closed, directory_.path()) << "not ours, so it stays closed";
  ASSERT_TRUE(make_private_directory(inner, account).ok());
  const std::string log = directory_.path() + "/log";
  const Command blocked{{"/bin/ls", inner}, "/", account};
  EXPECT_FALSE(run_to_end(blocked, "", log, std::chrono::seconds(10)).ok());
  Command list{{"/usr/bin/find", directory_.path()}, inner, account, *closed, inner};
  if (const auto listed = run_to_end(list, "", log, std::chrono::seconds(10)); !listed.ok()) {
    // Without the right to mount, as in many containers, there is a remedy at least.
    EXPECT_THAT(listed.error().message, HasSubstr("chmod o+x " + directory_.path()));
  } else {
    const auto text = read_file(log).value();
    EXPECT_THAT(text, HasSubstr(inner + "\n"));
    EXPECT_EQ(text.find("not-for-others"), std::string::npos) << "only what is needed can be seen";
  }
  EXPECT_EQ(open_way(directory_.path(), inner, account).value(), "");
  struct stat info {};
  ASSERT_EQ(::stat(directory_.path().c_str(), &info), 0);
  EXPECT_EQ(info.st_mode & 0777, 0711u) << "to pass through, not to read";
}

}  // namespace
}  // namespace chandler::brokers
