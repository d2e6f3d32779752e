#include "apiserver/status.h"

#include <gtest/gtest.h>

#include "apiserver/embedded_kinds_fixture.h"
#include "json/writer.h"

namespace chandler::apiserver {
namespace {

TEST(StatusOf, SaysEverythingThatTheErrorSays) {
  Error error =
      invalid({"apps", "Deployment", "shop", ""}, {{"FieldValueInvalid", "Invalid value: -1", "spec.replicas"},
                                                   {"FieldValueRequired", "Required value", "spec.selector"}});
  error.retry_after_seconds = 3;
  error.about.uid = "u-1";
  auto status = status_of(error);
  EXPECT_EQ(json::string_or(status, "message"), error.message);
  EXPECT_FALSE(error.message.empty());
  status.as_object().erase("message");
  EXPECT_EQ(json::write(status), json::write(testing::parsed(R"({
    "apiVersion": "v1", "kind": "Status", "metadata": {}, "status": "Failure", "reason": "Invalid", "code": 422,
    "details": {"group": "apps", "kind": "Deployment", "name": "shop", "uid": "u-1", "retryAfterSeconds": 3,
      "causes": [
        {"reason": "FieldValueInvalid", "message": "Invalid value: -1", "field": "spec.replicas"},
        {"reason": "FieldValueRequired", "message": "Required value", "field": "spec.selector"}]}})")));
}

TEST(StatusOf, LeavesOutWhatIsNotSaid) {
  EXPECT_EQ(json::write(status_of(bad_request("no"))),
            json::write(testing::parsed(R"({"apiVersion": "v1", "kind": "Status", "metadata": {}, "status": "Failure",
              "message": "no", "reason": "BadRequest", "code": 400})")));
}

TEST(StatusOf, AnExpiredPageTellsHowToGoOn) {
  Error error = expired("too old");
  error.continue_token = "next";
  const auto status = status_of(error);
  EXPECT_EQ(json::string_or(status.at("metadata"), "continue"), "next");
  EXPECT_EQ(json::int_at(status, "code"), 410);
  EXPECT_EQ(json::string_or(status, "reason"), "Expired");
}

TEST(SuccessStatus, NamesWhatWasDeleted) {
  EXPECT_EQ(json::write(success_status({"apps", "deployments", "shop", "u-1"})),
            json::write(testing::parsed(R"({"apiVersion": "v1", "kind": "Status", "metadata": {}, "status": "Success",
              "details": {"group": "apps", "kind": "deployments", "name": "shop", "uid": "u-1"}})")));
}

}  // namespace
}  // namespace chandler::apiserver
