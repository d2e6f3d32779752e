// Broker or database server die at every single step of the work at a real server: trying again leads to exactly one
// database (or login) that works, giving up leads to none. What the broker itself remembers dies in
// src/osb/server/crash_test.cc.
#include <functional>

#include <fmt/format.h>
#include <gtest/gtest.h>

#include "brokers/database/cutting_proxy_fixture.h"
#include "brokers/database/database_fixture.h"
#include "brokers/derived_name.h"
#include "brokers/redis/redis_session.h"

namespace chandler::brokers {
namespace {

using osb::server::InstanceSpec;

constexpr int kMostSteps = 200;  // nothing takes that many messages

class InterruptedTest : public ::testing::TestWithParam<std::string> {
 protected:
  void SetUp() override {
    if (!make_engine(GetParam())->is_installed()) {
      GTEST_SKIP() << "NOT TESTED: " << GetParam() << " is not installed; run scripts/install-deps databases";
    }
    proxy_ = std::make_unique<CuttingProxy>(server().port);
    DatabaseServiceOptions options;
    options.directory = directory_.path();
    options.top = directory_.path();
    options.existing = server();
    options.existing->port = proxy_->port();
    service_ = DatabaseService::open(std::move(options), make_engine(GetParam())).value();
  }

  ServerAddress server() const { return shared_server(GetParam()).address(); }

  InstanceSpec instance(const std::string& id) const {
    const auto engine = make_engine(GetParam());
    InstanceSpec spec;
    spec.id = id;
    spec.service_id = engine->offer().id;
    for (const auto& plan : engine->offer().plans) {
      if (plan.shape == PlanShape::kShared) spec.plan_id = plan.id;
    }
    return spec;
  }
  Result<void> create(const InstanceSpec& spec) {
    CH_TRY(service_->create_instance(spec, ignore_progress));
    return {};
  }
  Result<void> remove(const InstanceSpec& spec) { return service_->delete_instance(spec, ignore_progress); }
  Result<void> bind(const InstanceSpec& spec) {
    CH_TRY_LET(answer, service_->create_binding(spec, DatabaseLab::binding(spec, "b"), ignore_progress));
    credentials_ = *json::find(answer, "credentials");
    return {};
  }
  Result<void> unbind(const InstanceSpec& spec) {
    return service_->delete_binding(spec, DatabaseLab::binding(spec, "b"));
  }

  // With the credentials of the last bind, past the proxy.
  bool can_log_in() const {
    auto address = DatabaseLab::address(credentials_);
    address.port = server().port;
    if (GetParam() != "redis") {
      return SqlClient::connect(GetParam(), address, json::string_or(credentials_, "database")).ok();
    }
    auto session = RedisSession::connect(address);
    return session.ok() && session->command({"SET", json::string_or(credentials_, "prefix") + "k", "v"}).ok();
  }
  // Everything at the server that has the instance's or the binding's name in it.
  size_t count(const InstanceSpec& spec) const {
    const std::string key = derived_name("", spec.id);
    const std::string login = derived_name("u", spec.id + std::string(1, '\0') + "b");
    if (GetParam() == "redis") {
      auto admin = RedisSession::connect(server()).value();
      size_t found = admin.command({"KEYS", "*" + key + "*"})->items.size();
      const auto users = admin.command({"ACL", "LIST"}).value();
      for (const auto& line : users.items) {
        found += line.text.find(login) != std::string::npos || line.text.find(key) != std::string::npos ? 1 : 0;
      }
      return found;
    }
    const std::string sql =
        GetParam() == "mysql"
            ? "SELECT SCHEMA_NAME FROM information_schema.SCHEMATA WHERE SCHEMA_NAME LIKE '%{0}' UNION ALL SELECT User "
              "FROM mysql.global_priv WHERE User = '{1}' UNION ALL SELECT Db FROM mysql.db WHERE Db LIKE '%{0}'"
            : "SELECT datname FROM pg_database WHERE datname LIKE '%{0}' UNION ALL SELECT rolname FROM pg_roles WHERE "
              "rolname LIKE '%{0}' OR rolname = '{1}'";
    const auto admin = SqlClient::connect(GetParam(), server(), GetParam() == "mysql" ? "mysql" : "postgres").value();
    return admin.query(fmt::format(fmt::runtime(sql), key, login)).value().size();
  }

  // Does `work` with the line cut after one message, after two, and so on until it is never cut; between the attempts
  // `recover` finds the line whole. `prepare` goes before each.
  void at_every_step(const std::function<void(const InstanceSpec&)>& prepare,
                     const std::function<Result<void>(const InstanceSpec&)>& work,
                     const std::function<void(const InstanceSpec&)>& recover) {
    int steps = 1;
    for (bool was_cut = true; was_cut; ++steps) {
      ASSERT_LT(steps, kMostSteps);
      const auto spec = instance(fmt::format("interrupted-{}", steps));
      SCOPED_TRACE(fmt::format("cut after {} messages", steps));
      prepare(spec);
      proxy_->cut_after(steps);
      const auto outcome = work(spec);
      was_cut = proxy_->has_cut();
      proxy_->heal();
      if (!was_cut) {
        ASSERT_TRUE(outcome.ok()) << outcome.error().message;
      }
      recover(spec);
      if (HasFatalFailure()) return;
      const auto gone = remove(spec);
      ASSERT_TRUE(gone.ok()) << gone.error().message;
      ASSERT_EQ(count(spec), 0u) << "something is left";
    }
    EXPECT_GT(steps, 3) << "the proxy saw no work";
  }

  static void expect_ok(const Result<void>& result) { ASSERT_TRUE(result.ok()) << result.error().message; }

  const TempDirectory directory_;
  std::unique_ptr<CuttingProxy> proxy_;
  std::unique_ptr<DatabaseService> service_;
  json::Value credentials_;
};

TEST_P(InterruptedTest, ACreationIsCompletedByTheNextAttempt) {
  at_every_step([](const InstanceSpec&) {}, [this](const InstanceSpec& spec) { return create(spec); },
                [this](const InstanceSpec& spec) {
                  expect_ok(create(spec));
                  expect_ok(bind(spec));
                  EXPECT_TRUE(can_log_in());
                  expect_ok(unbind(spec));
                });
}

TEST_P(InterruptedTest, ACreationCanBeGivenUpAtAnyTime) {
  at_every_step([](const InstanceSpec&) {}, [this](const InstanceSpec& spec) { return create(spec); },
                [](const InstanceSpec&) {});
}

TEST_P(InterruptedTest, ALoginIsCompletedByTheNextAttempt) {
  at_every_step([this](const InstanceSpec& spec) { expect_ok(create(spec)); },
                [this](const InstanceSpec& spec) { return bind(spec); },
                [this](const InstanceSpec& spec) {
                  expect_ok(bind(spec));
                  EXPECT_TRUE(can_log_in());
                  expect_ok(unbind(spec));
                  EXPECT_FALSE(can_log_in());
                });
}

TEST_P(InterruptedTest, ALoginCanBeGivenUpAtAnyTime) {
  at_every_step([this](const InstanceSpec& spec) { expect_ok(create(spec)); },
                [this](const InstanceSpec& spec) { return bind(spec); },
                [this](const InstanceSpec& spec) { expect_ok(unbind(spec)); });
}

TEST_P(InterruptedTest, AnUnbindingIsCompletedByTheNextAttempt) {
  at_every_step(
      [this](const InstanceSpec& spec) {
        expect_ok(create(spec));
        expect_ok(bind(spec));
        EXPECT_TRUE(can_log_in());
      },
      [this](const InstanceSpec& spec) { return unbind(spec); },
      [this](const InstanceSpec& spec) {
        expect_ok(unbind(spec));
        EXPECT_FALSE(can_log_in());
      });
}

TEST_P(InterruptedTest, ADeletionIsCompletedByTheNextAttempt) {
  at_every_step(
      [this](const InstanceSpec& spec) {
        expect_ok(create(spec));
        expect_ok(bind(spec));
        EXPECT_TRUE(can_log_in());
      },
      [this](const InstanceSpec& spec) { return remove(spec); }, [](const InstanceSpec&) {});
}

INSTANTIATE_TEST_SUITE_P(Databases, InterruptedTest, ::testing::Values("mysql", "postgresql", "redis"),
                         [](const auto& row) { return row.param; });

}  // namespace
}  // namespace chandler::brokers
