#include "osb/server/broker_server.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "json/writer.h"
#include "osb/server/broker_fixture.h"
#include "support/eventually.h"
#include "support/fake_clock.h"

namespace chandler::osb::server {
namespace {

using http::Method;
using ::testing::ElementsAre;
using ::testing::HasSubstr;
using ::testing::IsEmpty;

constexpr const char* kInstance = "/v2/service_instances/i";
constexpr const char* kBinding = "/v2/service_instances/i/service_bindings/b";
constexpr const char* kSyncIds = "?service_id=s&plan_id=sync";
constexpr const char* kAsyncIds = "?accepts_incomplete=true&service_id=s&plan_id=async";
constexpr const char* kSyncBody = R"({"service_id":"s","plan_id":"sync","organization_guid":"o","space_guid":"p"})";
constexpr const char* kAsyncBody = R"({"service_id":"s","plan_id":"async","organization_guid":"o","space_guid":"p"})";
constexpr const char* kBindBody = R"({"service_id":"s","plan_id":"sync"})";

class BrokerServerTest : public ::testing::Test {
 protected:
  BrokerServerTest() { start(); }
  void start() {
    server_.reset();
    BrokerServerOptions options;
    options.data_dir = directory_.path();
    server_ = BrokerServer::open(service_, options, clock_).value();
  }
  Told put(const std::string& path, const std::string& body) { return ask(*server_, Method::kPut, path, body); }
  Told get(const std::string& path) { return ask(*server_, Method::kGet, path); }
  Told remove(const std::string& path) { return ask(*server_, Method::kDelete, path); }
  Told poll_to_end(const std::string& path) {
    Told told;
    EXPECT_TRUE(chandler::testing::eventually([&] {
      told = get(path);
      return told.text("state") != "in progress";
    }));
    return told;
  }

  const TempDirectory directory_;
  chandler::testing::FakeClock clock_;
  FaultyService service_;
  std::unique_ptr<BrokerServer> server_;
};

TEST_F(BrokerServerTest, AFailedCreationLeavesNothing) {
  service_.fail("create", 1, internal_error("the disk is full"));
  const auto told = put(kInstance, kSyncBody);
  EXPECT_EQ(told.status, 500);
  EXPECT_THAT(told.text("description"), HasSubstr("the disk is full"));
  EXPECT_EQ(get(kInstance).status, 404);
  EXPECT_EQ(remove(std::string(kInstance) + kSyncIds).status, 410);
  EXPECT_EQ(put(kInstance, kSyncBody).status, 201) << "and can be repeated";
}

TEST_F(BrokerServerTest, WhatCannotBeCleanedUpWaitsForItsDeletion) {
  service_.fail("create", 1, internal_error("broken"));
  service_.fail("delete", 1, internal_error("broken too"));
  EXPECT_EQ(put(kInstance, kSyncBody).status, 500);
  EXPECT_EQ(get(kInstance).status, 422);
  EXPECT_EQ(put(kBinding, kBindBody).status, 422);
  EXPECT_EQ(remove(std::string(kInstance) + kSyncIds).status, 200);
  EXPECT_EQ(remove(std::string(kInstance) + kSyncIds).status, 410);
}

TEST_F(BrokerServerTest, ABrokenInstanceCanBeCreatedAgainAsItWas) {
  service_.fail("create", 1, internal_error("broken"));
  service_.fail("delete", 1, internal_error("broken too"));
  EXPECT_EQ(put(kInstance, kSyncBody).status, 500);
  EXPECT_EQ(put(kInstance, kSyncBody).status, 201);
  EXPECT_EQ(get(kInstance).status, 200);
}

TEST_F(BrokerServerTest, ARefusalOfTheServiceBecomesItsStatus) {
  Error refused;
  refused.reason = Reason::kInvalid;
  refused.message = "too much is used";
  ASSERT_EQ(put(kInstance, kSyncBody).status, 201);
  service_.fail("update", 1, refused);
  const auto told = ask(*server_, Method::kPatch, kInstance, R"({"service_id":"s","parameters":{"a":1}})");
  EXPECT_EQ(told.status, 422);
  EXPECT_EQ(told.text("error"), "");
  EXPECT_EQ(json::write(*json::find(get(kInstance).body, "parameters")), "{}") << "nothing was applied";
}

TEST_F(BrokerServerTest, AFailedAsynchronousCreationIsToldByPolls) {
  service_.fail("create", 1, internal_error("no space"));
  const auto accepted = put(std::string(kInstance) + "?accepts_incomplete=true", kAsyncBody);
  ASSERT_EQ(accepted.status, 202);
  const auto end = poll_to_end(std::string(kInstance) + "/last_operation?operation=" + accepted.text("operation"));
  EXPECT_EQ(end.text("state"), "failed");
  EXPECT_THAT(end.text("description"), HasSubstr("no space"));
  EXPECT_EQ(remove(std::string(kInstance) + kAsyncIds).status, 410) << "it was cleaned up";
}

TEST_F(BrokerServerTest, OtherOperationsWaitForTheOneUnderWay) {
  service_.close_door();
  const auto accepted = put(std::string(kInstance) + "?accepts_incomplete=true", kAsyncBody);
  ASSERT_EQ(accepted.status, 202);
  service_.await_visitor();
  const std::string poll = std::string(kInstance) + "/last_operation?operation=" + accepted.text("operation");
  EXPECT_EQ(get(poll).text("state"), "in progress");
  EXPECT_EQ(get(poll).text("description"), "half done");
  EXPECT_EQ(put(std::string(kInstance) + "?accepts_incomplete=true", kAsyncBody).text("operation"),
            accepted.text("operation"));
  EXPECT_EQ(remove(std::string(kInstance) + kAsyncIds).text("error"), "ConcurrencyError");
  EXPECT_EQ(put(kBinding, R"({"service_id":"s","plan_id":"async"})").text("error"), "AsyncRequired");
  EXPECT_EQ(
      put(std::string(kBinding) + "?accepts_incomplete=true", R"({"service_id":"s","plan_id":"async"})").text("error"),
      "ConcurrencyError");
  EXPECT_EQ(get(kInstance).status, 404) << "not there yet";
  service_.open_door();
  EXPECT_EQ(poll_to_end(poll).text("state"), "succeeded");
  EXPECT_EQ(get(poll).text("description"), "created");
}

TEST_F(BrokerServerTest, ARepeatedSynchronousRequestWaitsWithTheFirst) {
  service_.close_door();
  auto first = ask_later(*server_, Method::kPut, kInstance, kSyncBody);
  service_.await_visitor();
  auto second = ask_later(*server_, Method::kPut, kInstance, kSyncBody);
  EXPECT_EQ(put(kInstance, R"({"service_id":"s","plan_id":"sync","organization_guid":"x","space_guid":"p"})").status,
            409);
  service_.open_door();
  EXPECT_EQ(first.get().status, 201);
  EXPECT_EQ(second.get().status, 200);
}

TEST_F(BrokerServerTest, FinishedOperationsAreForgottenInTheEnd) {
  const std::string path = kInstance;
  const auto made = put(path + "?accepts_incomplete=true", kAsyncBody);
  poll_to_end(path + "/last_operation?operation=" + made.text("operation"));
  const auto gone = remove(path + kAsyncIds);
  const std::string poll = path + "/last_operation?operation=" + gone.text("operation");
  EXPECT_EQ(poll_to_end(poll).text("state"), "succeeded");
  clock_.advance(std::chrono::hours(2));
  ASSERT_EQ(put("/v2/service_instances/other", kSyncBody).status, 201);
  EXPECT_EQ(get(poll).status, 410);
}

TEST_F(BrokerServerTest, ADeletionTakesBindingsAlongAndMayBeRepeated) {
  ASSERT_EQ(put(kInstance, kSyncBody).status, 201);
  ASSERT_EQ(put(kBinding, kBindBody).status, 201);
  service_.fail("delete", 1, internal_error("not now"));
  EXPECT_EQ(remove(std::string(kInstance) + kSyncIds).status, 500);
  EXPECT_THAT(service_.instances(), ElementsAre("i"));
  EXPECT_EQ(get(kInstance).status, 422);
  EXPECT_EQ(remove(std::string(kInstance) + kSyncIds).status, 200);
  EXPECT_THAT(service_.instances(), IsEmpty());
  EXPECT_THAT(service_.bindings(), IsEmpty());
}

TEST_F(BrokerServerTest, SecretsAreNotInTheFiles) {
  ASSERT_EQ(put(kInstance, kSyncBody).status, 201);
  ASSERT_EQ(put(kBinding, kBindBody).status, 201);
  for (const auto& entry : std::filesystem::directory_iterator(directory_.path())) {
    EXPECT_THAT(read_file(entry.path().string()).value(), ::testing::Not(HasSubstr("pw-b"))) << entry.path();
  }
  start();
  EXPECT_EQ(json::string_or(*json::find(get(kBinding).body, "credentials"), "password"), "pw-b");
}

TEST_F(BrokerServerTest, AMissingKeyIsSaidAtTheStart) {
  ASSERT_EQ(put(kInstance, kSyncBody).status, 201);
  server_.reset();
  std::filesystem::remove(directory_.path() + "/broker.key");
  BrokerServerOptions options;
  options.data_dir = directory_.path();
  const auto opened = BrokerServer::open(service_, options, clock_);
  ASSERT_FALSE(opened.ok());
  EXPECT_THAT(opened.error().message, HasSubstr("broker.key"));
}

TEST_F(BrokerServerTest, AfterStoppingRequestsAreRefused) {
  server_->stop();
  EXPECT_EQ(put(kInstance, kSyncBody).status, 503);
}

}  // namespace
}  // namespace chandler::osb::server
