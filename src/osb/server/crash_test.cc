// The broker dies at every single step: before and after each SQL statement of its state and each piece of real work.
// Whoever repeats the request afterwards finds one instance or none, never a half one and never two. The broker that
// dies is this program again, told by the environment to play that part.
#include <fcntl.h>
#include <spawn.h>
#include <sqlite3.h>
#include <sys/wait.h>
#include <unistd.h>

#include <atomic>
#include <cstdlib>

#include <fmt/format.h>
#include <gtest/gtest.h>

#include "base/file.h"
#include "osb/server/broker_fixture.h"
#include "support/eventually.h"

namespace chandler::osb::server {
namespace {

using http::Method;

constexpr const char* kDirectoryVariable = "CHANDLER_BROKER_CRASH_DIRECTORY";
constexpr const char* kStepVariable = "CHANDLER_BROKER_CRASH_STEP";
constexpr int kDied = 77;
constexpr int kSurvived = 78;

constexpr const char* kInstance = "/v2/service_instances/i";
constexpr const char* kBinding = "/v2/service_instances/i/service_bindings/b";
constexpr const char* kIds = "?service_id=s&plan_id=sync";
constexpr const char* kBody = R"({"service_id":"s","plan_id":"sync","organization_guid":"o","space_guid":"p"})";
constexpr const char* kBindBody = R"({"service_id":"s","plan_id":"sync"})";
constexpr const char* kUpdateBody = R"({"service_id":"s","parameters":{"size":2}})";

std::atomic<long> steps_left{0};

// Ends the process as kill -9 would, when its step has come.
void take_step() {
  if (steps_left.fetch_sub(1) == 1) ::_exit(kDied);
}

int on_sql(unsigned, void*, void*, void*) {
  take_step();
  return 0;
}

int on_open(sqlite3* database, const char**, const sqlite3_api_routines*) {
  return sqlite3_trace_v2(database, SQLITE_TRACE_STMT | SQLITE_TRACE_PROFILE, on_sql, nullptr);
}

// Real things are files, so that they outlive the process.
class FileService final : public Service {
 public:
  explicit FileService(std::string directory) : directory_(std::move(directory)) {
    std::filesystem::create_directories(directory_);
  }
  json::Value catalog() const override { return fake_catalog(); }
  bool is_async(Work, const std::string&) const override { return false; }
  Result<std::string> create_instance(const InstanceSpec& instance, const Progress&) override {
    CH_TRY(make("instance-" + instance.id));
    return std::string();
  }
  Result<std::string> update_instance(const InstanceSpec&, const InstanceSpec& after, const Progress&) override {
    CH_TRY(make("instance-" + after.id));
    return std::string();
  }
  Result<void> delete_instance(const InstanceSpec& instance, const Progress&) override {
    return drop("instance-" + instance.id);
  }
  Result<json::Value> create_binding(const InstanceSpec&, const BindingSpec& binding, const Progress&) override {
    CH_TRY(make("binding-" + binding.id));
    return json::Value(json::Object{{"credentials", json::Object{{"name", binding.id}}}});
  }
  Result<void> delete_binding(const InstanceSpec&, const BindingSpec& binding) override {
    return drop("binding-" + binding.id);
  }

  bool has(const std::string& name) const { return file_exists(directory_ + "/" + name); }

 private:
  Result<void> make(const std::string& name) {
    take_step();
    CH_TRY(write_file(directory_ + "/" + name, "x"));
    take_step();
    return {};
  }
  Result<void> drop(const std::string& name) {
    take_step();
    std::filesystem::remove(directory_ + "/" + name);
    take_step();
    return {};
  }

  const std::string directory_;
};

std::unique_ptr<BrokerServer> open_in(FileService& service, const std::string& directory) {
  BrokerServerOptions options;
  options.data_dir = directory;
  return BrokerServer::open(service, options, system_clock()).value();
}

// Create, bind, change, unbind, bind again, delete with a binding left.
TEST(BrokerCrashChild, DISABLED_DiesAtItsStep) {
  const char* directory = std::getenv(kDirectoryVariable);
  ASSERT_NE(directory, nullptr) << "run by BrokerCrash only";
  sqlite3_auto_extension(reinterpret_cast<void (*)()>(on_open));
  steps_left = std::atol(std::getenv(kStepVariable));
  FileService service(std::string(directory) + "/things");
  const auto server = open_in(service, directory);
  ask(*server, Method::kPut, kInstance, kBody);
  ask(*server, Method::kPut, kBinding, kBindBody);
  ask(*server, Method::kPatch, kInstance, kUpdateBody);
  ask(*server, Method::kDelete, std::string(kBinding) + kIds);
  ask(*server, Method::kPut, kBinding, kBindBody);
  ask(*server, Method::kDelete, std::string(kInstance) + kIds);
  ::_exit(kSurvived);
}

int run_child(const std::string& directory, long step) {
  ::setenv(kDirectoryVariable, directory.c_str(), 1);
  ::setenv(kStepVariable, std::to_string(step).c_str(), 1);
  std::string program = "/proc/self/exe";
  std::string filter = "--gtest_filter=BrokerCrashChild.*";
  std::string disabled = "--gtest_also_run_disabled_tests";
  char* arguments[] = {program.data(), filter.data(), disabled.data(), nullptr};
  posix_spawn_file_actions_t actions;
  posix_spawn_file_actions_init(&actions);
  posix_spawn_file_actions_addopen(&actions, STDOUT_FILENO, "/dev/null", O_WRONLY, 0);
  pid_t child = 0;
  EXPECT_EQ(::posix_spawn(&child, program.c_str(), &actions, nullptr, arguments, environ), 0);
  posix_spawn_file_actions_destroy(&actions);
  int status = 0;
  EXPECT_EQ(::waitpid(child, &status, 0), child);
  return WIFEXITED(status) ? WEXITSTATUS(status) : -1;
}

// What is really there and what the broker says must agree once nothing is under way.
void check_agreement(BrokerServer& server, const FileService& service) {
  for (const std::string path : {kInstance, kBinding}) {
    const std::string poll = path + "/last_operation";
    EXPECT_TRUE(
        chandler::testing::eventually([&] { return ask(server, Method::kGet, poll).text("state") != "in progress"; }));
  }
  EXPECT_EQ(ask(server, Method::kGet, kInstance).status == 200, service.has("instance-i"));
  EXPECT_EQ(ask(server, Method::kGet, kBinding).status == 200, service.has("binding-b"));
}

TEST(BrokerCrash, ConvergesFromEveryStep) {
  int result = kDied;
  long step = 1;
  for (; result == kDied && step < 1000; ++step) {
    SCOPED_TRACE(fmt::format("died at step {}", step));
    const TempDirectory directory;
    result = run_child(directory.path(), step);
    ASSERT_TRUE(result == kDied || result == kSurvived) << result;
    FileService service(directory.path() + "/things");
    {
      const auto server = open_in(service, directory.path());
      check_agreement(*server, service);
      // The platform repeats: first it wants the instance, then it wants everything gone.
      const auto again = ask(*server, Method::kPut, kInstance, kBody).status;
      EXPECT_TRUE(again == 200 || again == 201 || again == 409) << again;  // 409: the change came through before
      EXPECT_TRUE(service.has("instance-i"));
      EXPECT_EQ(ask(*server, Method::kDelete, std::string(kInstance) + kIds).status, 200);
    }
    EXPECT_FALSE(service.has("instance-i"));
    EXPECT_FALSE(service.has("binding-b"));
    const auto server = open_in(service, directory.path());
    EXPECT_EQ(ask(*server, Method::kDelete, std::string(kInstance) + kIds).status, 410);
    if (HasFailure()) return;
  }
  EXPECT_EQ(result, kSurvived);
  EXPECT_GT(step, 50) << "the script must take many steps";
}

}  // namespace
}  // namespace chandler::osb::server
