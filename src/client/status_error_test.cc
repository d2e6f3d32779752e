#include "client/status_error.h"

#include <gtest/gtest.h>

#include "json/reader.h"

namespace chandler::client {
namespace {

http::ClientResponse response(int status, std::string body, std::string_view retry_after = "") {
  http::ClientResponse out;
  out.status = status;
  out.body = std::move(body);
  if (!retry_after.empty()) out.headers.set("Retry-After", retry_after);
  return out;
}

TEST(StatusError, TakesReasonMessageObjectAndCausesFromAStatus) {
  const auto error = error_of_response(response(422, R"({"kind":"Status","code":422,"reason":"Invalid",
      "message":"Widget \"a\" is invalid","details":{"name":"a","group":"example.com","kind":"Widget","uid":"u",
      "retryAfterSeconds":3,"causes":[{"reason":"FieldValueRequired","message":"Required value","field":"spec.x"}]}})"));
  EXPECT_EQ(error.reason, Reason::kInvalid);
  EXPECT_EQ(error.http(), 422);
  EXPECT_EQ(error.message, "Widget \"a\" is invalid");
  EXPECT_EQ(error.about, (ObjectRef{"example.com", "Widget", "a", "u"}));
  ASSERT_EQ(error.causes.size(), 1u);
  EXPECT_EQ(error.causes[0], (Cause{"FieldValueRequired", "Required value", "spec.x"}));
  EXPECT_EQ(error.retry_after_seconds, 3);
}

TEST(StatusError, MakesSomethingOfEveryAnswer) {
  const struct {
    const char* reason;
    http::ClientResponse answer;
    Reason expected;
    int code;
    const char* message;
  } rows[] = {
      {"an old server's word", response(410, R"({"kind":"Status","reason":"Gone","code":410,"message":"m"})"),
       Reason::kExpired, 410, "m"},
      {"a reason that nobody knows", response(409, R"({"kind":"Status","reason":"Odd","code":409,"message":"m"})"),
       Reason::kConflict, 409, "m"},
      {"a Status without message", response(403, R"({"kind":"Status","reason":"Forbidden","code":403})"),
       Reason::kForbidden, 403, "the server answered 403"},
      {"text is shown", response(404, "404 page not found\n"), Reason::kNotFound, 404,
       "the server answered 404: 404 page not found"},
      {"nothing at all", response(502, ""), reason_for_code(502), 502, "the server answered 502"},
      {"bytes that are no text", response(500, "\xff\xfe"), Reason::kInternalError, 500, "the server answered 500"},
      {"a redirect", response(301, ""), Reason::kServiceUnavailable, 503,
       "the server answered 301 and points elsewhere; redirects are not followed: use the final address"},
      {"fields of the wrong type",
       response(400, R"({"kind":"Status","reason":7,"code":"x","message":[],"details":[],"metadata":3})"),
       Reason::kBadRequest, 400, "the server answered 400"},
  };
  for (const auto& row : rows) {
    const auto error = error_of_response(row.answer);
    EXPECT_EQ(error.reason, row.expected) << row.reason;
    EXPECT_EQ(error.http(), row.code) << row.reason;
    EXPECT_EQ(error.message, row.message) << row.reason;
  }
}

TEST(StatusError, RetryAfterIsTakenFromTheHeaderWithinReason) {
  EXPECT_EQ(error_of_response(response(429, "", "7")).retry_after_seconds, 7);
  EXPECT_EQ(error_of_response(response(429, "", "Wed, 21 Oct 2026 07:28:00 GMT")).retry_after_seconds, std::nullopt);
  EXPECT_EQ(error_of_response(response(429, "", "-1")).retry_after_seconds, std::nullopt);
  EXPECT_EQ(error_of_response(response(429, "", "99999999999")).retry_after_seconds, 86'400);
}

TEST(StatusError, FailuresNameTheServer) {
  using Kind = http::ClientFailure::Kind;
  const auto error = error_of_failure({Kind::kConnect, "connection refused"}, "https://x:6443");
  EXPECT_EQ(error.reason, Reason::kServiceUnavailable);
  EXPECT_EQ(error.message, "cannot connect to https://x:6443: connection refused");
  EXPECT_EQ(error_of_failure({Kind::kTimeout, "t"}, "s").reason, Reason::kTimeout);
  EXPECT_EQ(error_of_failure({Kind::kTooLarge, "t"}, "s").reason, Reason::kRequestEntityTooLarge);
  EXPECT_EQ(error_of_failure({Kind::kBadRequest, "t"}, "s").reason, Reason::kBadRequest);
}

TEST(StatusError, AnAnswerThatIsNoJsonIsAnError) {
  EXPECT_TRUE(json_of(response(200, "{}"), "s").ok());
  EXPECT_EQ(json_of(response(200, "<html>"), "s").error().reason, Reason::kServiceUnavailable);
  EXPECT_EQ(json_of(response(404, "{}"), "s").error().reason, Reason::kNotFound);
}

}  // namespace
}  // namespace chandler::client
