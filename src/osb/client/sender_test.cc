#include "osb/client/sender.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "base/text.h"
#include "json/reader.h"
#include "json/writer.h"
#include "osb/client/http_date.h"

namespace chandler::osb {
namespace {

using std::chrono::seconds;
using ::testing::HasSubstr;
using ::testing::Not;

// "METHOD url", a line per header, an empty line and the body, as it goes over the wire.
std::string recorded(const http::ClientRequest& request) {
  std::string text = request.method + " " + request.url + "\n";
  for (const auto& [name, value] : request.headers.fields()) text += name + ": " + value + "\n";
  return text + (request.body.empty() ? "" : "\n" + request.body);
}

Call call_of(Method method) {
  Call call;
  call.method = method;
  call.instance_id = "i-1";
  call.binding_id = "b-1";
  call.service_id = "s-1";
  call.plan_id = "p-1";
  return call;
}

TEST(Sender, EveryMethodIsSentAsRecorded) {
  struct Row {
    std::string reason;
    Method method;
    std::function<void(Call&)> change;
    std::string want;
  };
  const auto body = [](std::string_view text) { return [text](Call& call) { call.body = json::parse(text).value(); }; };
  const auto nothing = [](Call&) {};
  const std::string head = "Accept: application/json\nX-Broker-API-Version: 2.17\nAuthorization: Basic dTpw\n";
  const std::string typed = head + "Content-Type: application/json\n\n";
  const std::string url = "https://broker.test:8443/base";
  for (
      const Row& row : std::vector<Row>{
          {"catalog", Method::kGetCatalog, nothing, "GET " + url + "/v2/catalog\n" + head},
          {"a known catalog", Method::kGetCatalog, [](Call& call) { call.etag = "\"v1\""; },
           "GET " + url + "/v2/catalog\n" + head + "If-None-Match: \"v1\"\n"},
          {"the body is canonical", Method::kProvision, body(R"({"service_id":"s","plan_id":"p"})"),
           "PUT " + url + "/v2/service_instances/i-1?accepts_incomplete=true\n" + typed +
               R"({"plan_id":"p","service_id":"s"})"},
          {"not async", Method::kProvision, [](Call& call) { call.accepts_incomplete = false; },
           "PUT " + url + "/v2/service_instances/i-1\n" + typed + "{}"},
          {"update", Method::kUpdate, body(R"({"service_id":"s"})"),
           "PATCH " + url + "/v2/service_instances/i-1?accepts_incomplete=true\n" + typed + R"({"service_id":"s"})"},
          {"both IDs are required", Method::kDeprovision, nothing,
           "DELETE " + url + "/v2/service_instances/i-1?service_id=s-1&plan_id=p-1&accepts_incomplete=true\n" + head},
          {"hints", Method::kGetInstance, nothing,
           "GET " + url + "/v2/service_instances/i-1?service_id=s-1&plan_id=p-1\n" + head},
          {"no hints", Method::kGetInstance,
           [](Call& call) {
             call.service_id = "";
             call.plan_id = "";
           },
           "GET " + url + "/v2/service_instances/i-1\n" + head},
          {"the operation is echoed encoded", Method::kPollInstance, [](Call& call) { call.operation = "a b&c=/é"; },
           "GET " + url +
               "/v2/service_instances/i-1/last_operation?service_id=s-1&plan_id=p-1&operation=a%20b%26c%3D%2F%C3%A9\n" +
               head},
          {"no operation", Method::kPollInstance, nothing,
           "GET " + url + "/v2/service_instances/i-1/last_operation?service_id=s-1&plan_id=p-1\n" + head},
          {"bind", Method::kBind, body(R"({"a":{"b":null}})"),
           "PUT " + url + "/v2/service_instances/i-1/service_bindings/b-1?accepts_incomplete=true\n" + typed +
               R"({"a":{"b":null}})"},
          {"unbind", Method::kUnbind, [](Call& call) { call.accepts_incomplete = false; },
           "DELETE " + url + "/v2/service_instances/i-1/service_bindings/b-1?service_id=s-1&plan_id=p-1\n" + head},
          {"get binding", Method::kGetBinding, nothing,
           "GET " + url + "/v2/service_instances/i-1/service_bindings/b-1?service_id=s-1&plan_id=p-1\n" + head},
          {"poll binding", Method::kPollBinding, [](Call& call) { call.operation = ""; },
           "GET " + url +
               "/v2/service_instances/i-1/service_bindings/b-1/last_operation?service_id=s-1&plan_id=p-1&operation=\n" +
               head},
          {"IDs may have any characters", Method::kUnbind,
           [](Call& call) {
             call.instance_id = "a/b?c#d%\n";
             call.binding_id = "..";
             call.service_id = "é";
             call.plan_id = "x&y";
           },
           "DELETE " + url +
               "/v2/service_instances/a%2Fb%3Fc%23d%25%0A/service_bindings/"
               "%2E%2E?service_id=%C3%A9&plan_id=x%26y&accepts_incomplete=true\n" +
               head},
          {"identities", Method::kGetInstance,
           [](Call& call) {
             call.originating_identity = R"({"username":"jane"})";
             call.request_identity = "7f1a";
           },
           "GET " + url + "/v2/service_instances/i-1?service_id=s-1&plan_id=p-1\n" + head +
               "X-Broker-API-Originating-Identity: kubernetes eyJ1c2VybmFtZSI6ImphbmUifQ==\n"
               "X-Broker-API-Request-Identity: 7f1a\n"}}) {
    Endpoint endpoint;
    endpoint.url = url + "//";
    endpoint.authorization = "Basic dTpw";
    Call call = call_of(row.method);
    row.change(call);
    EXPECT_EQ(recorded(to_request(endpoint, call)), row.want) << row.reason;
  }
}

TEST(Sender, TheEndpointDecidesHowItIsSent) {
  Endpoint endpoint;
  endpoint.url = "http://a";
  endpoint.api_version = "2.14";
  endpoint.timeout = std::chrono::milliseconds(5000);
  endpoint.addresses = std::make_shared<http::AddressRules>();
  endpoint.tls = std::make_shared<http::ClientTls>();
  const http::ClientRequest request = to_request(endpoint, call_of(Method::kGetInstance));
  EXPECT_EQ(request.headers.get("X-Broker-API-Version"), "2.14");
  EXPECT_FALSE(request.headers.has("Authorization"));
  EXPECT_EQ(request.timeout, endpoint.timeout);
  EXPECT_EQ(request.addresses, endpoint.addresses);
  EXPECT_EQ(request.tls, endpoint.tls);
  EXPECT_EQ(request.max_body_bytes, 1U << 20);
  EXPECT_EQ(to_request(endpoint, call_of(Method::kGetCatalog)).max_body_bytes, 16U << 20);
}

Answer answer_of(Method method, int status, std::string body) {
  http::ClientResponse response;
  response.status = status;
  response.body = std::move(body);
  return to_answer(method, std::move(response));
}

TEST(Sender, ChecksWhatASuccessPromises) {
  struct Row {
    std::string reason;
    Method method;
    int status;
    std::string body;
    std::string fault;  // empty: well formed
  };
  const std::string long_text(10'001, 'x');
  for (const Row& row : std::vector<Row>{
           {"least", Method::kProvision, 201, "{}", ""},
           {"all", Method::kProvision, 202,
            R"({"dashboard_url":"u","operation":"o","metadata":{"labels":{}},"new":[1]})", ""},
           {"null is absent", Method::kProvision, 200, R"({"dashboard_url":null,"operation":null,"metadata":null})",
            ""},
           {"empty", Method::kProvision, 201, "", "it is empty"},
           {"blanks", Method::kProvision, 201, " \n", "it is empty"},
           {"no JSON", Method::kProvision, 201, "<html>", "it is not valid JSON"},
           {"no object", Method::kProvision, 201, "[]", "it is not a JSON object"},
           {"null", Method::kProvision, 200, "null", "it is not a JSON object"},
           {"two documents", Method::kProvision, 200, "{} {}", "it is not valid JSON"},
           {"wrong encoding", Method::kProvision, 201, "{\"operation\":\"\xFF\"}", "it is not valid JSON"},
           {"wrong type", Method::kProvision, 202, R"({"operation":5})", "operation must be a string"},
           {"10000 characters", Method::kProvision, 202, R"({"operation":")" + long_text.substr(1) + "\"}", ""},
           {"one more", Method::kProvision, 202, R"({"operation":")" + long_text + "\"}",
            "operation is longer than 10000 characters"},
           {"wrong type", Method::kUpdate, 200, R"({"dashboard_url":{}})", "dashboard_url must be a string"},
           {"wrong type", Method::kUpdate, 200, R"({"metadata":"x"})", "metadata must be an object"},
           {"credentials are free", Method::kBind, 201, R"({"credentials":{"port":5,"uri":[]}})", ""},
           {"no credentials", Method::kBind, 200, "{}", ""},
           {"wrong type", Method::kBind, 201, R"({"credentials":"secret"})", "credentials must be an object"},
           {"wrong type", Method::kBind, 201, R"({"volume_mounts":{}})", "volume_mounts must be a list"},
           {"dates", Method::kBind, 201,
            R"({"metadata":{"expires_at":"2026-12-31T23:59:59.0Z","renew_before":"2026-12-31T00:00:00.0Z"}})", ""},
           {"no date", Method::kBind, 201, R"({"metadata":{"expires_at":"soon"}})",
            "metadata.expires_at must be an RFC 3339 time"},
           {"async binds promise only an operation", Method::kBind, 202, R"({"operation":"o","credentials":"?"})", ""},
           {"fetched binding", Method::kGetBinding, 200, R"({"parameters":[]})", "parameters must be an object"},
           {"fetched instance", Method::kGetInstance, 200, R"({"service_id":"s","plan_id":1})",
            "plan_id must be a string"},
           {"deletes need no body", Method::kDeprovision, 200, "", ""},
           {"deletes need no body", Method::kUnbind, 200, "", ""},
           {"gone needs no body", Method::kUnbind, 410, "", ""},
           {"gone with anything", Method::kUnbind, 410, "<html>", ""},
           {"a delete with nonsense", Method::kDeprovision, 200, "OK", "it is not valid JSON"},
           {"an accepted delete says so", Method::kDeprovision, 202, "", "it is empty"},
           {"poll", Method::kPollInstance, 200, R"({"state":"in progress","description":"50%"})", ""},
           {"no state", Method::kPollInstance, 200, "{}", "state is missing"},
           {"unknown state", Method::kPollBinding, 200, R"({"state":"done"})",
            R"(state must be "in progress", "succeeded" or "failed")"},
           {"wrong type", Method::kPollInstance, 200, R"({"state":"failed","instance_usable":"no"})",
            "instance_usable must be true or false"},
           {"catalog", Method::kGetCatalog, 200, R"({"services":[]})", ""},
           {"no services", Method::kGetCatalog, 200, "{}", "services is missing"},
           {"wrong type", Method::kGetCatalog, 200, R"({"services":{}})", "services must be a list"},
           {"not modified", Method::kGetCatalog, 304, "", ""},
           {"errors may be anything", Method::kProvision, 500, "<html>", ""},
           {"the last of duplicate keys counts", Method::kProvision, 201, R"({"operation":5,"operation":"o"})", ""},
           {"too deep", Method::kProvision, 201, R"({"a":)" + std::string(70, '[') + std::string(70, ']') + "}",
            "it is not valid JSON"}}) {
    const Answer answer = answer_of(row.method, row.status, row.body);
    EXPECT_EQ(answer.malformed_why, row.fault) << row.reason << ": " << row.body.substr(0, 100);
    EXPECT_EQ(answer.well_formed, row.fault.empty()) << row.reason;
    EXPECT_TRUE(row.fault.empty() || answer.body.is_null()) << row.reason;
  }
}

TEST(Sender, HostileDepthIsNoProblem) {
  for (const std::string open : {"[", R"({"a":)"}) {
    std::string deep = R"({"credentials":)";
    for (int i = 0; i < 200'000; ++i) deep += open;
    EXPECT_FALSE(answer_of(Method::kBind, 201, deep).well_formed);
  }
}

// Whole, so that what must not be shown is found before anything is cut.
TEST(Sender, TextsAreKeptAsTheyAreUntilTheyAreCleaned) {
  const Answer plain = answer_of(Method::kProvision, 422, R"({"error":"Word","description":"two\nlines\u0000 "})");
  EXPECT_EQ(plain.error, "Word");
  EXPECT_EQ(plain.description, std::string("two\nlines\0 ", 11));
  const Answer wrong = answer_of(Method::kProvision, 400, R"({"error":5,"description":{}})");
  EXPECT_EQ(wrong.error + wrong.description, "");
}

TEST(Sender, AFailureIsKept) {
  const Answer answer = to_answer(Method::kBind, http::ClientFailure{http::ClientFailure::Kind::kTimeout, "t"});
  ASSERT_TRUE(answer.failure);
  EXPECT_EQ(answer.failure->message, "t");
}

TEST(Sender, ReadsHeaders) {
  struct Row {
    std::string reason, retry_after, date;
    std::optional<seconds> want;
  };
  for (const Row& row : std::vector<Row>{
           {"seconds", "120", "", seconds(120)},
           {"blanks", " 5 ", "", seconds(5)},
           {"zero", "0", "", seconds(0)},
           {"at most a day", "999999", "", seconds(86'400)},
           {"any number of digits", std::string(60, '9'), "", seconds(86'400)},
           {"negative", "-5", "", std::nullopt},
           {"words", "soon", "", std::nullopt},
           {"a date", "Sun, 06 Nov 1994 08:49:37 GMT", "Sun, 06 Nov 1994 08:48:37 GMT", seconds(60)},
           {"over the end of a month", "Thu, 01 Dec 1994 00:00:10 GMT", "Wed, 30 Nov 1994 23:59:50 GMT", seconds(20)},
           {"a date of the past", "Sun, 06 Nov 1994 08:49:37 GMT", "Sun, 06 Nov 1994 09:49:37 GMT", seconds(0)},
           {"a date alone says nothing", "Sun, 06 Nov 1994 08:49:37 GMT", "", std::nullopt},
           {"no such day", "Sun, 31 Feb 1994 08:49:37 GMT", "Sun, 06 Nov 1994 08:48:37 GMT", std::nullopt},
           {"absent", "", "", std::nullopt}}) {
    http::ClientResponse response;
    response.status = 429;
    if (!row.retry_after.empty()) response.headers.add("retry-after", row.retry_after);
    if (!row.date.empty()) response.headers.add("Date", row.date);
    response.headers.add("ETag", "\"abc\"");
    const Answer answer = to_answer(Method::kPollInstance, std::move(response));
    EXPECT_EQ(answer.retry_after, row.want) << row.reason;
    EXPECT_EQ(answer.etag, "\"abc\"");
  }
  for (const std::string bad :
       {"Sun, 06 Nov 1994 08:49:37 CET", "Sun, 06 Nov 1994 08:49:3", "Sun, 06 ovD 1994 08:49:37 GMT",
        "Sun, 06 Nov 1994 24:49:37 GMT", "Sun, -6 Nov 1994 08:49:37 GMT"}) {
    EXPECT_FALSE(parse_http_date(bad)) << bad;
  }
}

}  // namespace
}  // namespace chandler::osb
