#include "osb/server/request.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "base/text.h"
#include "json/reader.h"
#include "osb/server/gate.h"

namespace chandler::osb::server {
namespace {

http::Request http_request(http::Method method, const std::string& target) {
  http::Request request;
  request.method = method;
  request.method_text = http::method_name(method);
  request.target = target;
  return request;
}

TEST(BrokerRequest, TargetsAreRead) {
  struct Row {
    const char* reason;
    http::Method method;
    const char* target;
    int refused;  // 0: it is read as
    Action action;
  };
  using enum http::Method;
  for (const auto& row : {
           Row{"catalog", kGet, "/v2/catalog", 0, Action::kCatalog},
           Row{"only read", kPut, "/v2/catalog", 405, {}},
           Row{"provision", kPut, "/v2/service_instances/i", 0, Action::kProvision},
           Row{"update", kPatch, "/v2/service_instances/i", 0, Action::kUpdate},
           Row{"deprovision", kDelete, "/v2/service_instances/i?service_id=s", 0, Action::kDeprovision},
           Row{"get", kGet, "/v2/service_instances/i", 0, Action::kGetInstance},
           Row{"poll", kGet, "/v2/service_instances/i/last_operation", 0, Action::kPollInstance},
           Row{"polls are read", kPut, "/v2/service_instances/i/last_operation", 405, {}},
           Row{"an id may look like a path's end", kGet, "/v2/service_instances/last_operation", 0,
               Action::kGetInstance},
           Row{"bind", kPut, "/v2/service_instances/i/service_bindings/b", 0, Action::kBind},
           Row{"bindings are not patched", kPatch, "/v2/service_instances/i/service_bindings/b", 405, {}},
           Row{"unbind", kDelete, "/v2/service_instances/i/service_bindings/b", 0, Action::kUnbind},
           Row{"get binding", kGet, "/v2/service_instances/i/service_bindings/b", 0, Action::kGetBinding},
           Row{"poll binding", kGet, "/v2/service_instances/i/service_bindings/b/last_operation", 0,
               Action::kPollBinding},
           Row{"no list of bindings", kGet, "/v2/service_instances/i/service_bindings", 404, {}},
           Row{"another collection", kGet, "/v2/service_instances/i/other/b", 404, {}},
           Row{"version 3", kGet, "/v3/catalog", 404, {}},
           Row{"root", kGet, "/", 404, {}},
           Row{"no slash", kGet, "*", 404, {}},
           Row{"broken escape", kGet, "/v2/service_instances/%4", 400, {}},
           Row{"not UTF-8", kGet, "/v2/service_instances/%ff", 400, {}},
           Row{"NUL", kGet, "/v2/service_instances/a%00b", 400, {}},
           Row{"broken escape in the query", kGet, "/v2/service_instances/i?plan_id=%", 400, {}},
       }) {
    const auto read = read_target(http_request(row.method, row.target));
    EXPECT_EQ(read.ok() ? 0 : read.error().status, row.refused) << row.reason;
    if (read.ok()) {
      EXPECT_EQ(read->action, row.action) << row.reason;
    }
  }
  EXPECT_FALSE(read_target(http_request(kGet, "/v2/service_instances/" + std::string(256, 'x'))).ok());
}

TEST(BrokerRequest, IdsAndQueryAreDecoded) {
  const auto read = read_target(http_request(
      http::Method::kDelete,
      "/v2/service_instances/a%2Fb/service_bindings/c%20d?service_id=s%26&plan_id=p&accepts_incomplete=true&x"));
  ASSERT_TRUE(read.ok());
  EXPECT_EQ(read->instance_id, "a/b");
  EXPECT_EQ(read->binding_id, "c d");
  EXPECT_EQ(read->service_id, "s&");
  EXPECT_TRUE(read->accepts_incomplete);
}

TEST(BrokerRequest, BodiesAreChecked) {
  struct Row {
    const char* reason;
    Action action;
    const char* body;
    bool good;
  };
  for (const auto& row : {
           Row{"complete", Action::kProvision,
               R"({"service_id":"s","plan_id":"p","organization_guid":"o","space_guid":"x"})", true},
           Row{"unknown members are ignored", Action::kBind, R"({"service_id":"s","plan_id":"p","future":[]})", true},
           Row{"null is absent", Action::kBind, R"({"service_id":"s","plan_id":"p","parameters":null})", true},
           Row{"null is absent, where it is needed", Action::kBind, R"({"service_id":null,"plan_id":"p"})", false},
           Row{"a member twice", Action::kBind, R"({"service_id":"s","plan_id":"p","plan_id":"q"})", false},
           Row{"wrong type", Action::kBind, R"({"service_id":1,"plan_id":"p"})", false},
           Row{"bind_resource is an object", Action::kBind, R"({"service_id":"s","plan_id":"p","bind_resource":"x"})",
               false},
           Row{"version is a text", Action::kUpdate, R"({"service_id":"s","maintenance_info":{"version":2}})", false},
           Row{"an update needs no plan", Action::kUpdate, R"({"service_id":"s"})", true},
           Row{"no body", Action::kUpdate, "", false},
       }) {
    BrokerRequest request;
    request.action = row.action;
    EXPECT_EQ(!read_body(request, row.body).has_value(), row.good) << row.reason;
  }
}

TEST(BrokerRequest, TheSameIsAskedWhateverTheOrderOfMembers) {
  InstanceSpec a;
  a.parameters = json::parse(R"({"x":1,"y":[1,2]})").value();
  InstanceSpec b;
  b.parameters = json::parse(R"({"y":[1,2],"x":1.0})").value();
  EXPECT_TRUE(is_same(a, b));
  b.space_guid = "other";
  EXPECT_FALSE(is_same(a, b));
}

TEST(Gate, LetsInWhoKnowsThePassword) {
  const Gate gate("user", "pass:word");
  struct Row {
    const char* reason;
    std::string authorization;
    bool good;
  };
  for (const auto& row : {Row{"right", "Basic " + base64_encode("user:pass:word"), true},
                          Row{"the scheme has no case", "bAsIc " + base64_encode("user:pass:word"), true},
                          Row{"wrong password", "Basic " + base64_encode("user:pass"), false},
                          Row{"another scheme", "Bearer " + base64_encode("user:pass:word"), false},
                          Row{"no base64", "Basic user:pass:word", false}, Row{"nothing", "", false}}) {
    http::Headers headers;
    if (!row.authorization.empty()) headers.add("Authorization", row.authorization);
    EXPECT_EQ(!gate.check_credentials(headers).has_value(), row.good) << row.reason;
  }
}

TEST(BrokerCatalog, FaultsAreNamed) {
  struct Row {
    const char* document;
    const char* said;
  };
  for (const auto& row :
       {Row{R"({})", "services"}, Row{R"({"services":[{"id":"s","name":"n","plans":[]}]})", "\"s\""},
        Row{R"({"services":[{"id":"s","name":"n","plans":[{"id":"p"}]}]})", "no name"},
        Row{R"({"services":[{"id":"s","name":"n","plans":[{"id":"p","name":"a"},{"id":"p","name":"b"}]}]})",
            "same id"}}) {
    const auto read = Catalog::read(json::parse(row.document).value());
    ASSERT_FALSE(read.ok()) << row.document;
    EXPECT_THAT(read.error().message, ::testing::HasSubstr(row.said));
  }
}

}  // namespace
}  // namespace chandler::osb::server
