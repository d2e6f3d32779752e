#include "brokers/supervisor/server_fleet.h"

#include <fcntl.h>
#include <unistd.h>

#include <filesystem>
#include <thread>
#include <vector>

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "base/file.h"
#include "brokers/supervisor/free_port.h"
#include "brokers/temp_directory_fixture.h"

namespace chandler::brokers {
namespace {

using ::testing::HasSubstr;

// A server that only sleeps, and can be told to fail when it is made.
class FakeProgram final : public ServerProgram {
 public:
  std::string_view kind() const override { return "fake"; }
  std::vector<std::string> accounts() const override { return {}; }
  Result<void> initialise(const ServerPlace& place, const ServerRecord&) const override {
    CH_TRY(write_for_server(place.data + "/made", "x", place.account));
    ++made;
    if (is_broken) return unavailable("broken on purpose");
    return {};
  }
  Result<Command> begin(const ServerPlace& place, const ServerRecord&) const override {
    return place.command({"/bin/sleep", "1000"});
  }
  Result<void> probe(const ServerRecord&) const override { return {}; }

  mutable std::atomic<int> made = 0;
  bool is_broken = false;
};

void ignore(const std::string&) {}

class ServerFleetTest : public ::testing::Test {
 protected:
  void open() {
    fleet_.reset();
    FleetOptions options;
    options.directory = directory_.path();
    fleet_ = ServerFleet::open(options, program_).value();
  }
  void SetUp() override { open(); }
  static ServerRecord wish(const std::string& name) {
    ServerRecord record;
    record.name = name;
    return record;
  }

  const TempDirectory directory_;
  FakeProgram program_;
  std::unique_ptr<ServerFleet> fleet_;
};

TEST_F(ServerFleetTest, ManyAtOnceMakeOneServer) {
  std::vector<std::thread> threads;
  std::atomic<int> good = 0;
  for (int i = 0; i < 8; ++i) {
    threads.emplace_back([&] { good += fleet_->ensure(wish("shared"), ignore).ok() ? 1 : 0; });
  }
  for (auto& thread : threads) thread.join();
  EXPECT_EQ(good, 8);
  EXPECT_EQ(program_.made, 1);
}

TEST_F(ServerFleetTest, AServerKeepsItsPortPasswordAndMembers) {
  const auto made = fleet_->ensure(wish("one"), ignore).value();
  ASSERT_TRUE(fleet_->add_member("one", "d1").ok());
  open();
  const auto again = fleet_->ready("one").value();
  EXPECT_EQ(again.port, made.port);
  EXPECT_EQ(again.admin_password, made.admin_password);
  EXPECT_EQ(again.members, std::set<std::string>{"d1"});
  EXPECT_GT(fleet_->pid("one"), 0) << "it runs again";
  EXPECT_EQ(program_.made, 1) << "and was not made anew";
}

TEST_F(ServerFleetTest, WhatIsHalfMadeIsThrownAway) {
  program_.is_broken = true;
  EXPECT_FALSE(fleet_->ensure(wish("one"), ignore).ok());
  EXPECT_FALSE(fleet_->record("one").has_value());
  // As a crash leaves it: data, but no record that says it is complete.
  ASSERT_TRUE(make_directories(directory_.path() + "/servers/one/data").ok());
  ASSERT_TRUE(write_file(directory_.path() + "/servers/one/data/half", "x").ok());
  ASSERT_TRUE(make_directories(directory_.path() + "/trash/two").ok());
  open();
  EXPECT_FALSE(file_exists(directory_.path() + "/servers/one/data/half"));
  EXPECT_FALSE(file_exists(directory_.path() + "/trash/two"));
  program_.is_broken = false;
  EXPECT_TRUE(fleet_->ensure(wish("one"), ignore).ok());
}

// After kill -9 the children of a program that was making a server may live a little longer than it.
TEST_F(ServerFleetTest, WhatIsHalfMadeMayStillBeWrittenInto) {
  const std::string half = directory_.path() + "/servers/one/data";
  ASSERT_TRUE(make_directories(half).ok());
  const int folder = ::open(half.c_str(), O_RDONLY | O_DIRECTORY | O_CLOEXEC);
  ASSERT_GE(folder, 0);
  std::atomic<bool> is_over = false;
  std::atomic<int> written = 0;
  std::thread writer([&] {
    // Not for ever: on an idle machine files come as fast as they are removed, and neither side would end.
    while (!is_over && written < 10'000) {
      const int file = ::openat(folder, std::to_string(++written).c_str(), O_WRONLY | O_CREAT | O_CLOEXEC, 0600);
      if (file >= 0) ::close(file);
    }
  });
  while (written < 100) std::this_thread::yield();
  open();  // fails the test unless it succeeds
  EXPECT_TRUE(fleet_->ensure(wish("one"), ignore).ok());
  EXPECT_FALSE(file_exists(half + "/1"));
  is_over = true;
  writer.join();
  ::close(folder);
  open();
  EXPECT_TRUE(std::filesystem::is_empty(directory_.path() + "/trash")) << "removed once nobody writes any more";
}

TEST_F(ServerFleetTest, AServerWithMembersIsNotRemoved) {
  ASSERT_TRUE(fleet_->ensure(wish("one"), ignore).ok());
  ASSERT_TRUE(fleet_->add_member("one", "d1").ok());
  const auto refused = fleet_->remove("one");
  ASSERT_FALSE(refused.ok());
  EXPECT_EQ(refused.error().reason, Reason::kInvalid);
  ASSERT_TRUE(fleet_->remove_member("one", "d1").ok());
  EXPECT_TRUE(fleet_->remove("one").ok());
  EXPECT_TRUE(fleet_->remove("one").ok()) << "repeatable";
  EXPECT_TRUE(std::filesystem::is_empty(directory_.path() + "/servers"));
  EXPECT_TRUE(std::filesystem::is_empty(directory_.path() + "/trash"));
  EXPECT_FALSE(fleet_->add_member("one", "d2").ok());
}

TEST_F(ServerFleetTest, OtherSettingsRestartTheServer) {
  ASSERT_TRUE(fleet_->ensure(wish("one"), ignore).ok());
  const pid_t before = fleet_->pid("one");
  ASSERT_TRUE(fleet_->configure("one", json::Object()).ok());
  EXPECT_EQ(fleet_->pid("one"), before) << "the same settings";
  ASSERT_TRUE(fleet_->configure("one", json::Object{{"memoryMiB", 32}}).ok());
  EXPECT_NE(fleet_->pid("one"), before);
}

TEST_F(ServerFleetTest, ADamagedRecordIsNotPassedOver) {
  ASSERT_TRUE(fleet_->ensure(wish("one"), ignore).ok());
  fleet_.reset();
  ASSERT_TRUE(write_file(directory_.path() + "/servers/one/server.json", "{}").ok());
  FleetOptions options;
  options.directory = directory_.path();
  const auto opened = ServerFleet::open(options, program_);
  ASSERT_FALSE(opened.ok());
  EXPECT_THAT(opened.error().message, HasSubstr("server.json"));
}

TEST(FreePort, IsNotOneThatIsTaken) {
  std::set<uint16_t> taken;
  for (int i = 0; i < 50; ++i) {
    const auto port = free_port(taken);
    ASSERT_TRUE(port.ok());
    EXPECT_TRUE(taken.insert(*port).second);
  }
}

}  // namespace
}  // namespace chandler::brokers
