// What every bundled broker must do, told over HTTP as a platform tells it. A broker instantiates BrokerSuite (and
// DurableBrokerSuite, if it keeps its state over a restart) with a BrokerLab that runs it; see
// src/brokers/broker_conformance_test.cc. Include in one test file only.
#pragma once

#include <atomic>
#include <functional>
#include <memory>
#include <set>
#include <string>
#include <thread>
#include <vector>

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "base/text.h"
#include "http/test_client.h"
#include "json/reader.h"
#include "json/value.h"
#include "json/writer.h"
#include "osb/server/request.h"
#include "support/eventually.h"

namespace chandler::brokers {

inline constexpr const char* kUser = "platform";
inline constexpr const char* kPassword = "s3cret";

// Where one test's broker lives. start() runs it on the same data each time; stop() ends it.
class BrokerLab {
 public:
  virtual ~BrokerLab() = default;
  virtual uint16_t start(osb::server::ParameterCheck check) = 0;  // the port; user kUser, password kPassword
  virtual void stop() = 0;
};

// The offering as the suite uses it. Both plans are of one service that can do everything: retrievable instances and
// bindings, rotation, maintenance_info, and plan changes unless it says otherwise. Texts of parameters are JSON.
struct BrokerParam {
  std::string name;
  std::function<std::unique_ptr<BrokerLab>()> make;
  std::string service_id;
  std::string sync_plan;
  std::string async_plan;  // asynchronous for instances
  std::string parameters;
  std::string other_parameters;
  std::string bad_parameters;  // break the schema of both plans
  std::string binding_parameters;
  std::string other_binding_parameters;
  std::string maintenance_version;
  bool is_plan_changeable = true;  // an instance can go from one of the plans to the other
  // Whether one can get at the service with these credentials; none: they are not real.
  std::function<bool(const json::Value& credentials)> can_use = {};
};

inline std::string broker_param_name(const ::testing::TestParamInfo<BrokerParam>& info) { return info.param.name; }

// As much of JSON Schema as the suite needs: bounds of integers and enumerations.
inline std::vector<std::string> check_simply(const json::Value& schema, const json::Value& parameters) {
  std::vector<std::string> faults;
  for (const auto& member : parameters.as_object()) {
    const std::string name(member.key());
    const auto* rule = json::find_path(schema, {"properties", name});
    if (rule == nullptr) continue;
    const auto number = json::int_at(parameters, name);
    if (number && *number > json::int_at(*rule, "maximum").value_or(*number)) faults.push_back(name + ": too large");
    const auto* values = json::array_at(*rule, "enum");
    if (values != nullptr && std::find(values->begin(), values->end(), member.value()) == values->end()) {
      faults.push_back(name + ": not one of the values");
    }
  }
  return faults;
}

struct BrokerReply {
  int status = 0;
  std::string head;
  json::Value body;  // null when empty

  std::string text(std::string_view key) const { return json::string_or(body, key); }
};

// What a platform sends, correct unless a test takes something away.
struct BrokerCall {
  std::string method;
  std::string target;
  std::string body;
  std::string authorization = "Basic " + base64_encode(std::string(kUser) + ":" + kPassword);
  std::string version = "2.17";
  std::string more_headers = {};
};

inline BrokerReply send_to_broker(uint16_t port, const BrokerCall& call) {
  http::testing::Client client(port);
  std::string wire = call.method + " " + call.target + " HTTP/1.1\r\nHost: broker\r\n";
  if (!call.authorization.empty()) wire += "Authorization: " + call.authorization + "\r\n";
  if (!call.version.empty()) wire += "X-Broker-API-Version: " + call.version + "\r\n";
  wire += call.more_headers;
  if (!call.body.empty()) wire += "Content-Length: " + std::to_string(call.body.size()) + "\r\n";
  client.send(wire + "\r\n" + call.body);
  const auto answer = client.receive();
  BrokerReply reply{answer.status, answer.head, {}};
  if (answer.body.empty()) return reply;
  auto parsed = json::parse(answer.body);
  EXPECT_TRUE(parsed.ok()) << answer.body;
  if (parsed.ok()) reply.body = std::move(*parsed);
  EXPECT_TRUE(reply.body.is_object()) << answer.body;
  return reply;
}

class BrokerSuite : public ::testing::TestWithParam<BrokerParam> {
 protected:
  void SetUp() override {
    lab_ = GetParam().make();
    port_ = lab_->start(check_simply);
  }
  void TearDown() override { lab_->stop(); }
  void restart() {
    lab_->stop();
    port_ = lab_->start(check_simply);
  }

  const BrokerParam& param() const { return GetParam(); }
  BrokerReply call(const std::string& method, const std::string& target, const std::string& body = "") {
    return send_to_broker(port_, BrokerCall{method, target, body});
  }

  static std::string instance_path(const std::string& id) { return "/v2/service_instances/" + percent_encode(id); }
  static std::string binding_path(const std::string& id, const std::string& binding) {
    return instance_path(id) + "/service_bindings/" + percent_encode(binding);
  }
  std::string ids(const std::string& plan) const { return "service_id=" + param().service_id + "&plan_id=" + plan; }
  std::string instance_body(const std::string& plan, const std::string& parameters,
                            const std::string& space = "space") const {
    return "{\"service_id\":\"" + param().service_id + "\",\"plan_id\":\"" + plan +
           "\",\"organization_guid\":\"org\",\"space_guid\":\"" + space +
           "\",\"context\":{\"platform\":\"kubernetes\"},\"parameters\":" + parameters + "}";
  }
  std::string binding_body(const std::string& plan, const std::string& parameters, const std::string& more = "") const {
    return "{\"service_id\":\"" + param().service_id + "\",\"plan_id\":\"" + plan + "\",\"parameters\":" + parameters +
           more + "}";
  }
  BrokerReply provision(const std::string& id) {
    return call("PUT", instance_path(id), instance_body(param().sync_plan, param().parameters));
  }
  BrokerReply bind(const std::string& id, const std::string& binding) {
    return call("PUT", binding_path(id, binding), binding_body(param().sync_plan, param().binding_parameters));
  }
  // Like a platform: who gets no answer in time asks again. True: it was there, and is gone.
  bool remove(const std::string& path) {
    const std::string target = path + "?" + ids(param().sync_plan);
    auto reply = call("DELETE", target);
    const bool was_in_time = reply.status != 0;
    for (int tries = 0; reply.status == 0 && tries < 10; ++tries) reply = call("DELETE", target);
    return reply.status == 200 || (!was_in_time && reply.status == 410);
  }
  // The state that polls come to.
  std::string poll_to_end(const std::string& path, const std::string& operation) {
    std::string state;
    EXPECT_TRUE(chandler::testing::eventually([&] {
      const auto reply = call("GET", path + "/last_operation?operation=" + percent_encode(operation));
      EXPECT_EQ(reply.status, 200);
      state = reply.text("state");
      EXPECT_THAT(state, ::testing::AnyOf("in progress", "succeeded", "failed"));
      return state != "in progress";
    }));
    return state;
  }

  std::unique_ptr<BrokerLab> lab_;
  uint16_t port_ = 0;
};

TEST_P(BrokerSuite, ChecksComeInTheOrderOfTheSpecification) {
  const std::string& sync = param().sync_plan;
  const std::string good = instance_body(sync, param().parameters);
  const std::string id = instance_path("order");
  const std::string service = "\"service_id\":\"" + param().service_id + "\"";
  const std::string async_bad_version =
      "{" + service + ",\"plan_id\":\"" + param().async_plan +
      "\",\"organization_guid\":\"o\",\"space_guid\":\"s\",\"maintenance_info\":{\"version\":\"0.0.9\"}}";
  struct Row {
    const char* name;
    const char* reason;
    BrokerCall call;
    int status;
    const char* error;
  };
  BrokerCall no_auth{"PUT", id, "{"};
  no_auth.authorization = "";
  no_auth.version = "";
  BrokerCall bad_auth = no_auth;
  bad_auth.authorization = "Basic " + base64_encode("platform:wrong");
  BrokerCall no_version{"PUT", id, "{"};
  no_version.version = "";
  BrokerCall empty_version{"GET", "/v2/catalog", ""};
  empty_version.version = " ";
  BrokerCall old_version{"GET", "/v2/catalog", ""};
  old_version.version = "3.0";
  const std::vector<Row> rows = {
      {"no credentials", "nothing is told to strangers, not even what else is wrong", no_auth, 401, ""},
      {"wrong password", "the same", bad_auth, 401, ""},
      {"no version", "before the body is looked at", no_version, 412, ""},
      {"empty version", "empty is missing", empty_version, 412, ""},
      {"another major version", "only 2.x is spoken", old_version, 412, ""},
      {"unknown path", "not part of the API", {"GET", "/v2/nothing", ""}, 404, ""},
      {"wrong method", "instances are not posted", {"POST", id, "{}"}, 405, ""},
      {"broken JSON", "a body must be JSON", {"PUT", id, "{"}, 400, ""},
      {"no object", "a body must be an object", {"PUT", id, "[]"}, 400, ""},
      {"no service_id",
       "required",
       {"PUT", id, R"({"plan_id":"p","organization_guid":"o","space_guid":"s"})"},
       400,
       ""},
      {"empty plan_id",
       "empty is missing",
       {"PUT", id, "{" + service + R"(,"plan_id":"","organization_guid":"o","space_guid":"s"})"},
       400,
       ""},
      {"no organization_guid",
       "required",
       {"PUT", id, "{" + service + ",\"plan_id\":\"" + sync + R"(","space_guid":"s"})"},
       400,
       ""},
      {"no space_guid",
       "required",
       {"PUT", id, "{" + service + ",\"plan_id\":\"" + sync + R"(","organization_guid":"o"})"},
       400,
       ""},
      {"parameters of a wrong type", "they are an object", {"PUT", id, instance_body(sync, "[1]")}, 400, ""},
      {"unknown service",
       "not in the catalog",
       {"PUT", id, R"({"service_id":"x","plan_id":"p","organization_guid":"o","space_guid":"s"})"},
       400,
       ""},
      {"unknown plan", "not in the catalog", {"PUT", id, instance_body("nothing", "{}")}, 400, ""},
      {"parameters that break the schema",
       "before asynchrony",
       {"PUT", id, instance_body(param().async_plan, param().bad_parameters)},
       400,
       ""},
      {"another maintenance version",
       "before asynchrony",
       {"PUT", id, async_bad_version},
       422,
       "MaintenanceInfoConflict"},
      {"asynchronous plan",
       "needs accepts_incomplete",
       {"PUT", id, instance_body(param().async_plan, param().parameters)},
       422,
       "AsyncRequired"},
      {"delete without ids", "required", {"DELETE", id, ""}, 400, ""},
      {"delete with empty ids", "empty is missing", {"DELETE", id + "?service_id=&plan_id=", ""}, 400, ""},
      {"delete with unknown plan",
       "not in the catalog",
       {"DELETE", id + "?service_id=" + param().service_id + "&plan_id=x", ""},
       400,
       ""},
      {"delete of nothing", "gone", {"DELETE", id + "?" + ids(sync), ""}, 410, ""},
      {"delete of nothing, asynchronous",
       "asynchrony is checked before state",
       {"DELETE", id + "?" + ids(param().async_plan), ""},
       422,
       "AsyncRequired"},
      {"update of nothing", "not there", {"PATCH", id, "{" + service + "}"}, 404, ""},
      {"update without service_id", "required", {"PATCH", id, "{}"}, 400, ""},
      {"get of nothing", "not there", {"GET", id, ""}, 404, ""},
      {"poll of nothing", "not there", {"GET", id + "/last_operation", ""}, 404, ""},
      {"bind to nothing", "no instance", {"PUT", binding_path("order", "b"), binding_body(sync, "{}")}, 404, ""},
      {"unbind of nothing", "gone", {"DELETE", binding_path("order", "b") + "?" + ids(sync), ""}, 410, ""},
      {"get binding of nothing", "not there", {"GET", binding_path("order", "b"), ""}, 404, ""},
      {"bind without plan_id", "required", {"PUT", binding_path("order", "b"), "{" + service + "}"}, 400, ""},
      {"bad escape in the id", "not decodable", {"GET", "/v2/service_instances/%zz", ""}, 400, ""},
      {"empty id", "no id", {"GET", "/v2/service_instances/", ""}, 400, ""},
  };
  for (const auto& row : rows) {
    const auto reply = send_to_broker(port_, row.call);
    EXPECT_EQ(reply.status, row.status) << row.name << ": " << row.reason << "\n" << json::write(reply.body);
    EXPECT_EQ(reply.text("error"), row.error) << row.name << ": " << row.reason;
    EXPECT_EQ(reply.status == 400 && reply.text("description").empty(), false) << row.name << ": say what is wrong";
  }
}

TEST_P(BrokerSuite, TheCatalogIsCached) {
  const auto first = call("GET", "/v2/catalog");
  ASSERT_EQ(first.status, 200);
  EXPECT_NE(json::array_at(first.body, "services"), nullptr);
  const auto at = first.head.find("ETag: ");
  ASSERT_NE(at, std::string::npos) << first.head;
  const auto etag = first.head.substr(at + 6, first.head.find("\r\n", at) - at - 6);
  BrokerCall again{"GET", "/v2/catalog", ""};
  again.more_headers = "If-None-Match: " + etag + "\r\n";
  EXPECT_EQ(send_to_broker(port_, again).status, 304);
  again.more_headers = "If-None-Match: \"other\"\r\n";
  EXPECT_EQ(send_to_broker(port_, again).status, 200);
}

TEST_P(BrokerSuite, TheIdentityOfARequestIsEchoed) {
  BrokerCall asked{"GET", "/v2/service_instances/nothing", ""};
  asked.more_headers = "X-Broker-API-Request-Identity: 1f2e-identity\r\n";
  EXPECT_THAT(send_to_broker(port_, asked).head,
              ::testing::HasSubstr("X-Broker-API-Request-Identity: 1f2e-identity\r\n"));
  asked.authorization = "";
  EXPECT_THAT(send_to_broker(port_, asked).head, ::testing::HasSubstr("1f2e-identity"));
}

TEST_P(BrokerSuite, RepeatedRequestsOnAnInstanceAreIdempotent) {
  const std::string path = instance_path("one");
  EXPECT_EQ(provision("one").status, 201);
  EXPECT_EQ(provision("one").status, 200);
  EXPECT_EQ(call("PUT", path, instance_body(param().sync_plan, param().other_parameters)).status, 409);
  EXPECT_EQ(call("PUT", path, instance_body(param().sync_plan, param().parameters, "other")).status, 409);

  const auto got = call("GET", path);
  EXPECT_EQ(got.status, 200);
  EXPECT_EQ(got.text("service_id"), param().service_id);
  EXPECT_EQ(got.text("plan_id"), param().sync_plan);
  EXPECT_EQ(json::write(*json::find(got.body, "parameters")), param().parameters);
  EXPECT_EQ(json::string_or(*json::find(got.body, "maintenance_info"), "version"), param().maintenance_version);
  EXPECT_EQ(call("GET", path + "?service_id=other").status, 404);
  EXPECT_EQ(call("GET", path + "/last_operation").text("state"), "succeeded");

  const std::string service = "{\"service_id\":\"" + param().service_id + "\"";
  EXPECT_EQ(call("PATCH", path, service + "}").status, 200) << "nothing to change";
  EXPECT_EQ(call("PATCH", path, service + ",\"parameters\":" + param().other_parameters + "}").status, 200);
  EXPECT_EQ(call("PATCH", path, service + ",\"parameters\":" + param().other_parameters + "}").status, 200);
  EXPECT_EQ(call("PATCH", path, service + ",\"parameters\":" + param().bad_parameters + "}").status, 400);
  EXPECT_EQ(call("PATCH", path, service + ",\"maintenance_info\":{\"version\":\"9.9.9\"}}").text("error"),
            "MaintenanceInfoConflict");
  EXPECT_EQ(json::write(*json::find(call("GET", path).body, "parameters")), param().other_parameters);
  EXPECT_EQ(provision("one").status, 409) << "what is there has changed";

  EXPECT_EQ(call("DELETE", path + "?accepts_incomplete=true&" + ids(param().async_plan)).status, 400) << "another plan";
  EXPECT_EQ(call("DELETE", path + "?" + ids(param().sync_plan)).status, 200);
  EXPECT_EQ(call("DELETE", path + "?" + ids(param().sync_plan)).status, 410);
  EXPECT_EQ(call("GET", path).status, 404);
}

TEST_P(BrokerSuite, RepeatedRequestsOnABindingAreIdempotent) {
  ASSERT_EQ(provision("i").status, 201);
  const auto first = bind("i", "b");
  ASSERT_EQ(first.status, 201);
  ASSERT_NE(json::object_at(first.body, "credentials"), nullptr);
  const auto second = bind("i", "b");
  EXPECT_EQ(second.status, 200);
  EXPECT_EQ(json::write(first.body), json::write(second.body));
  const std::string path = binding_path("i", "b");
  EXPECT_EQ(call("PUT", path, binding_body(param().sync_plan, param().other_binding_parameters)).status, 409);
  EXPECT_EQ(call("PUT", binding_path("i", "c"), binding_body(param().async_plan, "{}")).status, 400)
      << "the instance is of another plan";
  const auto got = call("GET", path);
  EXPECT_EQ(got.status, 200);
  EXPECT_EQ(json::write(*json::find(got.body, "credentials")), json::write(*json::find(first.body, "credentials")));
  EXPECT_EQ(json::write(*json::find(got.body, "parameters")), param().binding_parameters);
  EXPECT_EQ(call("GET", path + "/last_operation").text("state"), "succeeded");
  EXPECT_EQ(call("DELETE", path + "?" + ids(param().sync_plan)).status, 200);
  EXPECT_EQ(call("DELETE", path + "?" + ids(param().sync_plan)).status, 410);
  EXPECT_EQ(call("GET", path).status, 404);
}

TEST_P(BrokerSuite, DeletingAnInstanceTakesItsBindingsAlong) {
  ASSERT_EQ(provision("i").status, 201);
  ASSERT_EQ(bind("i", "b").status, 201);
  EXPECT_EQ(call("DELETE", instance_path("i") + "?" + ids(param().sync_plan)).status, 200);
  EXPECT_EQ(call("GET", binding_path("i", "b")).status, 404);
  EXPECT_EQ(call("DELETE", binding_path("i", "b") + "?" + ids(param().sync_plan)).status, 410);
}

TEST_P(BrokerSuite, BindingsCanBeRotated) {
  ASSERT_EQ(provision("i").status, 201);
  ASSERT_EQ(bind("i", "old").status, 201);
  const std::string ids_only =
      "{\"service_id\":\"" + param().service_id + "\",\"plan_id\":\"" + param().sync_plan + "\"";
  const std::string rotate = ids_only + ",\"predecessor_binding_id\":\"old\"}";
  EXPECT_EQ(call("PUT", binding_path("i", "new"), rotate).status, 201);
  EXPECT_EQ(call("PUT", binding_path("i", "new"), rotate).status, 200);
  EXPECT_EQ(json::write(*json::find(call("GET", binding_path("i", "new")).body, "parameters")),
            param().binding_parameters)
      << "taken over from the predecessor";
  EXPECT_EQ(call("GET", binding_path("i", "old")).status, 200) << "stays valid";
  EXPECT_EQ(call("PUT", binding_path("i", "x"), ids_only + ",\"predecessor_binding_id\":\"none\"}").status, 400);
}

TEST_P(BrokerSuite, AsynchronousOperationsArePolledToTheirEnd) {
  const std::string path = instance_path("slow");
  const std::string incomplete = "?accepts_incomplete=true";
  const std::string body = instance_body(param().async_plan, param().parameters);
  const auto accepted = call("PUT", path + incomplete, body);
  ASSERT_EQ(accepted.status, 202) << json::write(accepted.body);
  const auto operation = accepted.text("operation");
  EXPECT_NE(operation, "");
  const auto repeated = call("PUT", path + incomplete, body);
  EXPECT_THAT(repeated.status, ::testing::AnyOf(202, 200));
  EXPECT_EQ(repeated.text("operation"), repeated.status == 202 ? operation : "");
  EXPECT_EQ(call("PUT", path + incomplete, instance_body(param().async_plan, param().parameters, "other")).status, 409);
  EXPECT_EQ(poll_to_end(path, operation), "succeeded");
  EXPECT_EQ(call("PUT", path + incomplete, body).status, 200);
  EXPECT_EQ(call("GET", path).status, 200);
  EXPECT_EQ(call("GET", path + "/last_operation").text("state"), "succeeded") << "without its name too";

  const std::string service = "{\"service_id\":\"" + param().service_id + "\",\"plan_id\":\"";
  const auto there = call("PATCH", path + incomplete, service + param().sync_plan + "\"}");
  if (!param().is_plan_changeable) {
    EXPECT_THAT(there.status, ::testing::AnyOf(400, 422)) << json::write(there.body);
    EXPECT_NE(there.text("description"), "");
    const auto gone = call("DELETE", path + incomplete + "&" + ids(param().async_plan));
    ASSERT_EQ(gone.status, 202);
    EXPECT_EQ(poll_to_end(path, gone.text("operation")), "succeeded");
    return;
  }
  // To the other plan and back, so that both directions are seen.
  EXPECT_EQ(there.status, 200);
  const auto back = call("PATCH", path + incomplete, service + param().async_plan + "\"}");
  ASSERT_EQ(back.status, 202) << json::write(back.body);
  EXPECT_EQ(poll_to_end(path, back.text("operation")), "succeeded");
  EXPECT_EQ(call("GET", path).text("plan_id"), param().async_plan);

  const auto gone = call("DELETE", path + incomplete + "&" + ids(param().async_plan));
  ASSERT_EQ(gone.status, 202);
  EXPECT_EQ(poll_to_end(path, gone.text("operation")), "succeeded");
  EXPECT_EQ(poll_to_end(path, gone.text("operation")), "succeeded") << "remembered for a while";
  EXPECT_EQ(call("DELETE", path + incomplete + "&" + ids(param().async_plan)).status, 410);
  EXPECT_EQ(call("GET", path + "/last_operation?operation=delete-forgotten").text("state"), "") << "another operation";
}

TEST_P(BrokerSuite, IdsMayHoldAnything) {
  for (const std::string id : {"../../etc/passwd", "a b", "x/y?z#%", "'; DROP TABLE instances; --", "\xc3\xa9"}) {
    EXPECT_EQ(provision(id).status, 201) << id;
    EXPECT_EQ(bind(id, id).status, 201) << id;
    EXPECT_EQ(call("GET", binding_path(id, id)).status, 200) << id;
    EXPECT_EQ(call("DELETE", instance_path(id) + "?" + ids(param().sync_plan)).status, 200) << id;
  }
}

TEST_P(BrokerSuite, ManyAtOnceMakeOneInstance) {
  constexpr int kThreads = 8;
  std::vector<int> statuses(kThreads);
  std::vector<std::thread> threads;
  for (int i = 0; i < kThreads; ++i) {
    threads.emplace_back([&, i] { statuses[static_cast<size_t>(i)] = provision("crowd").status; });
  }
  for (auto& thread : threads) thread.join();
  EXPECT_EQ(std::count(statuses.begin(), statuses.end(), 201), 1);
  EXPECT_EQ(std::count(statuses.begin(), statuses.end(), 200), kThreads - 1);
}

TEST_P(BrokerSuite, WhetherPlansCanChangeIsInTheCatalog) {
  const auto catalog = call("GET", "/v2/catalog");
  for (const auto& service : *json::array_at(catalog.body, "services")) {
    if (json::string_or(service, "id") != param().service_id) continue;
    const bool of_service = json::bool_at(service, "plan_updateable").value_or(false);
    for (const auto& plan : *json::array_at(service, "plans")) {
      EXPECT_EQ(json::bool_at(plan, "plan_updateable").value_or(of_service), param().is_plan_changeable)
          << json::string_or(plan, "name");
    }
  }
  ASSERT_EQ(provision("i").status, 201);
  const auto changed =
      call("PATCH", instance_path("i") + "?accepts_incomplete=true",
           "{\"service_id\":\"" + param().service_id + "\",\"plan_id\":\"" + param().async_plan + "\"}");
  if (param().is_plan_changeable) {
    EXPECT_EQ(changed.status, 202) << json::write(changed.body);
    EXPECT_EQ(poll_to_end(instance_path("i"), changed.text("operation")), "succeeded");
    return;
  }
  EXPECT_THAT(changed.status, ::testing::AnyOf(400, 422)) << json::write(changed.body);
  EXPECT_NE(changed.text("description"), "");
  EXPECT_EQ(call("GET", instance_path("i")).text("plan_id"), param().sync_plan) << "nothing has changed";
  EXPECT_EQ(bind("i", "b").status, 201) << "and it works as before";
}

// Runs `work` for 0 to count - 1 on many threads.
inline void in_parallel(size_t count, const std::function<void(size_t)>& work) {
  constexpr size_t kThreads = 32;
  std::atomic<size_t> next = 0;
  std::vector<std::thread> threads;
  for (size_t i = 0; i < kThreads; ++i) {
    threads.emplace_back([&] {
      for (size_t mine = next++; mine < count; mine = next++) work(mine);
    });
  }
  for (auto& thread : threads) thread.join();
}

TEST_P(BrokerSuite, AHundredInstancesAndThreeHundredBindingsInParallel) {
  constexpr size_t kInstances = 100;
  constexpr size_t kBindings = 300;
  const auto instance = [](size_t i) { return "i" + std::to_string(i % kInstances); };
  const auto binding = [](size_t i) { return "b" + std::to_string(i); };
  in_parallel(kInstances, [&](size_t i) { EXPECT_EQ(provision(instance(i)).status, 201); });
  std::vector<json::Value> credentials(kBindings);
  in_parallel(kBindings, [&](size_t i) {
    const auto bound = bind(instance(i), binding(i));
    EXPECT_EQ(bound.status, 201) << json::write(bound.body);
    if (const auto* found = json::find(bound.body, "credentials")) credentials[i] = *found;
  });
  std::set<std::string> different;
  for (size_t i = 0; i < kBindings; ++i) different.insert(json::write(credentials[i]));
  // Where logins exist each binding has one of its own; the credentials of a file tell only which one.
  const bool has_logins = json::string_or(credentials[0], "username") != "";
  EXPECT_EQ(different.size(), has_logins ? kBindings : kInstances);
  if (param().can_use) {
    in_parallel(kBindings, [&](size_t i) { EXPECT_TRUE(param().can_use(credentials[i])) << i; });
  }

  // Every second binding and instance goes; the others do not notice.
  in_parallel(kBindings / 2,
              [&](size_t i) { EXPECT_TRUE(remove(binding_path(instance(2 * i), binding(2 * i)))) << 2 * i; });
  in_parallel(kInstances / 2, [&](size_t i) { EXPECT_TRUE(remove(instance_path(instance(2 * i)))) << 2 * i; });
  if (param().can_use) {
    in_parallel(kBindings, [&](size_t i) { EXPECT_EQ(param().can_use(credentials[i]), i % 2 == 1) << i; });
  }
  in_parallel(kInstances / 2, [&](size_t i) { EXPECT_TRUE(remove(instance_path(instance(2 * i + 1)))) << 2 * i + 1; });
  if (param().can_use) {
    in_parallel(kBindings, [&](size_t i) { EXPECT_FALSE(param().can_use(credentials[i])) << "left over: " << i; });
  }
}

class DurableBrokerSuite : public BrokerSuite {};

TEST_P(DurableBrokerSuite, ARestartChangesNothing) {
  ASSERT_EQ(provision("i").status, 201);
  const auto bound = bind("i", "b");
  ASSERT_EQ(bound.status, 201);
  const auto accepted = call("PUT", instance_path("slow") + "?accepts_incomplete=true",
                             instance_body(param().async_plan, param().parameters));
  ASSERT_EQ(accepted.status, 202);
  restart();
  EXPECT_EQ(provision("i").status, 200);
  const auto again = bind("i", "b");
  EXPECT_EQ(again.status, 200);
  EXPECT_EQ(json::write(again.body), json::write(bound.body));
  EXPECT_EQ(poll_to_end(instance_path("slow"), accepted.text("operation")), "succeeded");
  EXPECT_EQ(call("GET", instance_path("slow")).status, 200);
  EXPECT_EQ(call("DELETE", instance_path("i") + "?" + ids(param().sync_plan)).status, 200);
  restart();
  EXPECT_EQ(call("DELETE", instance_path("i") + "?" + ids(param().sync_plan)).status, 410);
}

}  // namespace chandler::brokers
