#include "base/error.h"

#include <gtest/gtest.h>

namespace chandler {
namespace {

const ObjectRef kConfigMap{"", "configmaps", "settings", ""};
const ObjectRef kDeployment{"apps", "deployments", "web", ""};

TEST(Reason, HasItsHttpCodeAndName) {
  const struct {
    Reason reason;
    int code;
    std::string_view name;
  } rows[] = {
      {Reason::kUnknown, 500, ""},
      {Reason::kBadRequest, 400, "BadRequest"},
      {Reason::kUnauthorized, 401, "Unauthorized"},
      {Reason::kForbidden, 403, "Forbidden"},
      {Reason::kNotFound, 404, "NotFound"},
      {Reason::kMethodNotAllowed, 405, "MethodNotAllowed"},
      {Reason::kNotAcceptable, 406, "NotAcceptable"},
      {Reason::kAlreadyExists, 409, "AlreadyExists"},
      {Reason::kConflict, 409, "Conflict"},
      {Reason::kExpired, 410, "Expired"},
      {Reason::kRequestEntityTooLarge, 413, "RequestEntityTooLarge"},
      {Reason::kUnsupportedMediaType, 415, "UnsupportedMediaType"},
      {Reason::kInvalid, 422, "Invalid"},
      {Reason::kTooManyRequests, 429, "TooManyRequests"},
      {Reason::kInternalError, 500, "InternalError"},
      {Reason::kServerTimeout, 500, "ServerTimeout"},
      {Reason::kServiceUnavailable, 503, "ServiceUnavailable"},
      {Reason::kTimeout, 504, "Timeout"},
  };
  for (const auto& row : rows) {
    EXPECT_EQ(http_code(row.reason), row.code) << row.name;
    EXPECT_EQ(reason_name(row.reason), row.name);
  }
}

TEST(Reason, IsConcludedFromABareCode) {
  EXPECT_EQ(reason_for_code(404), Reason::kNotFound);
  EXPECT_EQ(reason_for_code(409), Reason::kConflict) << "the weaker of two claims";
  EXPECT_EQ(reason_for_code(500), Reason::kInternalError);
  EXPECT_EQ(reason_for_code(418), Reason::kUnknown);
}

TEST(Error, IsWordedAsKubernetesDoes) {
  const struct {
    Error error;
    std::string_view message;
    int code;
  } rows[] = {
      {bad_request("no"), "no", 400},
      {unauthorized(), "Unauthorized", 401},
      {forbidden(kDeployment, "because"), "deployments.apps \"web\" is forbidden: because", 403},
      {forbidden({"", "configmaps", "", ""}, "because"), "configmaps is forbidden: because", 403},
      {forbidden({}, "because"), "forbidden: because", 403},
      {not_found(kConfigMap), "configmaps \"settings\" not found", 404},
      {not_found(kDeployment), "deployments.apps \"web\" not found", 404},
      {already_exists(kConfigMap), "configmaps \"settings\" already exists", 409},
      {already_exists(kConfigMap, true), "object is being deleted: configmaps \"settings\" already exists", 409},
      {conflict(kConfigMap, "why"), "Operation cannot be fulfilled on configmaps \"settings\": why", 409},
      {modified(kConfigMap),
       "Operation cannot be fulfilled on configmaps \"settings\": the object has been modified; please apply your "
       "changes to the latest version and try again",
       409},
      {expired("too old"), "too old", 410},
      {method_not_allowed(kDeployment, "patch"), "patch is not supported on resources of kind \"deployments.apps\"",
       405},
      {not_acceptable("application/json"), "only the following media types are accepted: application/json", 406},
      {unsupported_media_type("text/x", "application/json"),
       "the body of the request was in an unknown format \"text/x\" - accepted media types include: application/json",
       415},
      {too_large("big"), "big", 413},
      {internal_error("disk"), "Internal error occurred: disk", 500},
      {unavailable("later"), "later", 503},
      {timeout("slow"), "slow", 504},
  };
  for (const auto& row : rows) {
    EXPECT_EQ(row.error.message, row.message);
    EXPECT_EQ(row.error.http(), row.code) << row.message;
  }
}

TEST(Error, OfAnInvalidObjectNamesEveryField) {
  const ObjectRef about{"apps", "Deployment", "web", ""};
  EXPECT_EQ(invalid(about, {{"FieldValueRequired", "Required value", "spec.a"}}).message,
            "Deployment.apps \"web\" is invalid: spec.a: Required value");
  const auto error = invalid(about, {{"FieldValueRequired", "Required value", "spec.a"}, {"", "too odd", ""}});
  EXPECT_EQ(error.message, "Deployment.apps \"web\" is invalid: [spec.a: Required value, too odd]");
  EXPECT_EQ(error.causes.size(), 2u);
  EXPECT_EQ(error.about, about);
  EXPECT_EQ(invalid(about, {}).message, "Deployment.apps \"web\" is invalid");
}

TEST(Error, MaySayWhenToComeBack) { EXPECT_EQ(too_many_requests("busy", 3).retry_after_seconds, 3); }

TEST(Error, MayOverrideItsCode) {
  Error error = bad_request("odd");
  error.code = 418;
  EXPECT_EQ(error.http(), 418);
}

}  // namespace
}  // namespace chandler
