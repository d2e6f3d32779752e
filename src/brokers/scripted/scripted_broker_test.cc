#include "brokers/scripted/scripted_broker.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <future>

#include "brokers/broker_host.h"
#include "brokers/scripted/scripted_catalog.h"
#include "http/test_client.h"
#include "json/reader.h"
#include "json/writer.h"

namespace chandler::brokers {
namespace {

using ::testing::ElementsAre;
using ::testing::HasSubstr;

struct Told {
  int status = 0;  // 0: the connection ended without an answer
  std::string head;
  std::string raw;
  json::Value body;
  std::string text(std::string_view key) const { return json::string_or(body, key); }
};

class ScriptedBrokerTest : public ::testing::Test {
 protected:
  Told send(const std::string& method, const std::string& target, const std::string& body = "") const {
    http::testing::Client client(host_->port());
    client.send(method + " " + target +
                " HTTP/1.1\r\nHost: x\r\nX-Broker-API-Version: 2.17\r\nX-Trace: t1\r\nContent-Length: " +
                std::to_string(body.size()) + "\r\n\r\n" + body);
    const auto answer = client.receive();
    Told told{answer.status, answer.head, answer.body, {}};
    if (auto parsed = json::parse(answer.body); parsed.ok()) told.body = std::move(*parsed);
    return told;
  }
  void rules(const std::string& list) const {
    const auto told = send("PUT", "/control/rules", "{\"rules\":" + list + "}");
    ASSERT_EQ(told.status, 200) << told.raw;
  }
  Told provision(const std::string& id, std::string_view plan = kScriptedSyncPlanId) const {
    return send(
        "PUT", "/v2/service_instances/" + id + "?accepts_incomplete=true",
        json::write(json::Object{
            {"service_id", kScriptedServiceId}, {"plan_id", plan}, {"organization_guid", "o"}, {"space_guid", "s"}}));
  }
  Told remove(const std::string& id, std::string_view plan = kScriptedSyncPlanId) const {
    return send("DELETE", "/v2/service_instances/" + id + "?accepts_incomplete=true&service_id=" +
                              std::string(kScriptedServiceId) + "&plan_id=" + std::string(plan));
  }
  Told poll(const std::string& id) const { return send("GET", "/v2/service_instances/" + id + "/last_operation"); }
  std::vector<std::string> ledger() const {
    std::vector<std::string> ids;
    const auto told = send("GET", "/control/ledger");
    for (const auto& entry : *json::array_at(told.body, "instances")) ids.push_back(json::string_or(entry, "id"));
    return ids;
  }

  const std::unique_ptr<BrokerHost> host_ = BrokerHost::start(ScriptedOptions{}, {}).value();
};

TEST_F(ScriptedBrokerTest, FailsAsOftenAsToldThenWorks) {
  rules(R"([{"on": "provision", "status": 500, "body": {"description": "no"}, "times": 2}])");
  EXPECT_EQ(provision("a").status, 500);
  EXPECT_EQ(provision("a").text("description"), "no");
  EXPECT_EQ(provision("a").status, 201);
  EXPECT_EQ(json::int_at((*json::array_at(send("GET", "/control/rules").body, "rules"))[0], "left"), 0);
}

TEST_F(ScriptedBrokerTest, ARuleCanBeForOnePlanOrInstanceAndBeginLater) {
  rules(R"([{"on": "provision", "instanceID": "a", "status": 400}, {"planID": ")" + std::string(kScriptedPaidPlanId) +
        R"(", "status": 418, "skip": 1}])");
  EXPECT_EQ(provision("a").status, 400);
  EXPECT_EQ(provision("b").status, 201);
  EXPECT_EQ(provision("c", kScriptedPaidPlanId).status, 201) << "skipped once";
  EXPECT_EQ(send("GET", "/v2/service_instances/c").status, 418) << "the plan of the instance counts";
  EXPECT_EQ(send("GET", "/v2/service_instances/b").status, 200);
}

TEST_F(ScriptedBrokerTest, AnswersCanBeBroken) {
  rules(
      R"([{"on": "provision", "status": 201, "rawBody": "not json", "headers": {"X-Odd": "1", "Retry-After": "7"}}])");
  const auto told = provision("a");
  EXPECT_EQ(told.status, 201);
  EXPECT_EQ(told.raw, "not json");
  EXPECT_THAT(told.head, HasSubstr("X-Odd: 1\r\n"));
  EXPECT_THAT(told.head, HasSubstr("Retry-After: 7\r\n"));
  EXPECT_THAT(ledger(), ElementsAre()) << "nothing was done";
}

TEST_F(ScriptedBrokerTest, ConnectionsCanBeCutBeforeAndAfterTheWork) {
  rules(R"([{"on": "provision", "instanceID": "before", "disconnect": "before", "times": 1},
            {"on": "provision", "instanceID": "after", "disconnect": "after", "times": 1},
            {"on": "provision", "instanceID": "lost", "status": 500, "apply": true, "times": 1}])");
  EXPECT_EQ(provision("before").status, 0);
  EXPECT_EQ(provision("after").status, 0);
  EXPECT_EQ(provision("lost").status, 500);
  EXPECT_THAT(ledger(), ElementsAre("after", "lost"));
  EXPECT_EQ(provision("before").status, 201);
  EXPECT_EQ(provision("after").status, 200);
}

TEST_F(ScriptedBrokerTest, RequestsHangUntilReleased) {
  rules(R"([{"on": "provision", "hang": true, "times": 1}])");
  auto hanging = std::async(std::launch::async, [&] { return provision("a").status; });
  // The second one overtakes the first, which is surely waiting when the rule is used up.
  while (json::int_at((*json::array_at(send("GET", "/control/rules").body, "rules"))[0], "left") != 0) {
    std::this_thread::yield();
  }
  EXPECT_EQ(provision("b").status, 201);
  EXPECT_THAT(ledger(), ElementsAre("b"));
  while (hanging.wait_for(std::chrono::milliseconds(1)) != std::future_status::ready) send("POST", "/control/release");
  EXPECT_EQ(hanging.get(), 201);
}

TEST_F(ScriptedBrokerTest, AnswersCanBeLate) {
  rules(R"([{"on": "provision", "delayMs": 30, "times": 1}])");
  const auto start = std::chrono::steady_clock::now();
  EXPECT_EQ(provision("a").status, 201);
  EXPECT_GE(std::chrono::steady_clock::now() - start, std::chrono::milliseconds(30));
}

TEST_F(ScriptedBrokerTest, AsynchronousOperationsGoAsTold) {
  rules(R"([{"on": "provision", "async": {"polls": 2, "descriptions": ["one", "two"], "outcome": "failed",
             "description": "no more", "retryAfter": 9}, "times": 1}])");
  EXPECT_EQ(provision("a").status, 202) << "although the plan is synchronous";
  const auto first = poll("a");
  EXPECT_EQ(first.text("state"), "in progress");
  EXPECT_EQ(first.text("description"), "one");
  EXPECT_THAT(first.head, HasSubstr("Retry-After: 9\r\n"));
  EXPECT_EQ(poll("a").text("description"), "two");
  EXPECT_EQ(poll("a").text("state"), "failed");
  EXPECT_EQ(poll("a").text("description"), "no more");
  EXPECT_THAT(ledger(), ElementsAre("a")) << "an orphan is left until it is deleted";
  EXPECT_EQ(remove("a").status, 200);
  EXPECT_THAT(ledger(), ElementsAre());
}

TEST_F(ScriptedBrokerTest, BindingsCanBeAsynchronous) {
  ASSERT_EQ(provision("a", kScriptedAsyncBindingsPlanId).status, 202);
  while (poll("a").text("state") == "in progress") {
  }
  const std::string path = "/v2/service_instances/a/service_bindings/b";
  const std::string body =
      json::write(json::Object{{"service_id", kScriptedServiceId}, {"plan_id", kScriptedAsyncBindingsPlanId}});
  EXPECT_EQ(send("PUT", path, body).text("error"), "AsyncRequired");
  const auto bound = send("PUT", path + "?accepts_incomplete=true", body);
  EXPECT_EQ(bound.status, 202);
  EXPECT_EQ(json::find(bound.body, "credentials"), nullptr);
  EXPECT_EQ(send("GET", path).status, 404);
  EXPECT_EQ(remove("a", kScriptedAsyncBindingsPlanId).text("error"), "ConcurrencyError");
  EXPECT_EQ(send("GET", path + "/last_operation").text("state"), "in progress");
  EXPECT_EQ(send("GET", path + "/last_operation").text("state"), "succeeded");
  EXPECT_NE(json::find(send("GET", path).body, "credentials"), nullptr);
}

TEST_F(ScriptedBrokerTest, WhatIsNotOfferedIsRefused) {
  const auto body = [](std::string_view service, std::string_view plan) {
    return json::write(
        json::Object{{"service_id", service}, {"plan_id", plan}, {"organization_guid", "o"}, {"space_guid", "s"}});
  };
  ASSERT_EQ(
      send("PUT", "/v2/service_instances/u", body(kScriptedUnbindableServiceId, kScriptedUnbindablePlanId)).status,
      201);
  EXPECT_EQ(send("PUT", "/v2/service_instances/u/service_bindings/b",
                 body(kScriptedUnbindableServiceId, kScriptedUnbindablePlanId))
                .status,
            400);
  ASSERT_EQ(send("PUT", "/v2/service_instances/p", body(kScriptedPlainServiceId, kScriptedPlainPlanId)).status, 201);
  EXPECT_EQ(send("GET", "/v2/service_instances/p").status, 400) << "not retrievable";
}

TEST_F(ScriptedBrokerTest, RequestsAreRecordedInOrder) {
  provision("a");
  remove("a");
  const auto told = send("GET", "/control/requests");
  const auto& list = *json::array_at(told.body, "requests");
  ASSERT_EQ(list.size(), 2u);
  EXPECT_EQ(json::string_or(list[0], "method"), "PUT");
  EXPECT_EQ(json::string_or(list[0], "path"), "/v2/service_instances/a");
  EXPECT_EQ(json::string_or(*json::find(list[0], "query"), "accepts_incomplete"), "true");
  EXPECT_EQ(json::string_or(*json::find(list[0], "headers"), "x-trace"), "t1");
  EXPECT_EQ(json::string_or(*json::find(list[0], "body"), "service_id"), kScriptedServiceId);
  EXPECT_EQ(json::string_or(list[1], "method"), "DELETE");
  EXPECT_EQ(send("DELETE", "/control/requests").status, 200);
  EXPECT_TRUE(json::array_at(send("GET", "/control/requests").body, "requests")->empty());
}

TEST_F(ScriptedBrokerTest, TheCatalogCanBeReplacedAndEverythingReset) {
  provision("a");
  rules(R"([{"status": 500}])");
  EXPECT_EQ(send("PUT", "/control/catalog", R"({"services": [{"id": "x"}]})").status, 400);
  EXPECT_EQ(send("PUT", "/control/catalog", json::write(generated_catalog(2, 3))).status, 200);
  EXPECT_EQ(send("DELETE", "/control/rules").status, 200);
  EXPECT_EQ(json::array_at(send("GET", "/v2/catalog").body, "services")->size(), 2u);
  EXPECT_EQ(remove("a").status, 200) << "what is there can be deleted after the catalog dropped it";
  provision("b");
  EXPECT_EQ(send("POST", "/control/reset").status, 200);
  EXPECT_THAT(ledger(), ElementsAre());
  EXPECT_EQ(json::array_at(send("GET", "/v2/catalog").body, "services")->size(), 3u);
}

TEST_F(ScriptedBrokerTest, BadRulesAreNamed) {
  struct Row {
    const char* rules;
    const char* said;
  };
  for (const auto& row :
       {Row{R"({"rules": [{}, {"on": "nonsense"}]})", "rules[1]: on"},
        Row{R"({"rules": [{"stauts": 500}]})", "stauts is not known"}, Row{R"({"rules": [{"status": 99}]})", "status"},
        Row{R"({"rules": [{"delayMs": -1}]})", "delayMs"}, Row{R"({"rules": [{"disconnect": "maybe"}]})", "disconnect"},
        Row{R"({"rules": [{"async": {"outcome": "x"}}]})", "async.outcome"},
        Row{R"({"rules": [{"headers": {"A": "b\r\nc"}}]})", "line break"}, Row{R"({})", "rules"}, Row{"{", ""}}) {
    const auto told = send("PUT", "/control/rules", row.rules);
    EXPECT_EQ(told.status, 400) << row.rules;
    EXPECT_THAT(told.text("description"), HasSubstr(row.said));
  }
}

TEST(GeneratedCatalog, HasTheSizeAskedFor) {
  const auto catalog = osb::server::Catalog::read(generated_catalog(50, 20));
  ASSERT_TRUE(catalog.ok()) << catalog.error().message;
  EXPECT_NE(catalog->plan("00000031-0000-4000-8000-000000000000", "00000031-0001-4000-8000-000000000013"), nullptr);
}

}  // namespace
}  // namespace chandler::brokers
