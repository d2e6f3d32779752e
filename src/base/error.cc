#include "base/error.h"

#include <array>
#include <utility>

#include <fmt/format.h>

namespace chandler {
namespace {

constexpr size_t kMaxCauses = 100;  // nobody reads more, and a small request must not make a huge answer

struct ReasonRow {
  Reason reason;
  std::string_view name;
  int code;
};

// The one table that ties reasons to HTTP codes. Where two reasons share a code the first one is what a bare code
// means.
constexpr std::array kReasons = {
    ReasonRow{Reason::kUnknown, "", 500},
    ReasonRow{Reason::kBadRequest, "BadRequest", 400},
    ReasonRow{Reason::kUnauthorized, "Unauthorized", 401},
    ReasonRow{Reason::kForbidden, "Forbidden", 403},
    ReasonRow{Reason::kNotFound, "NotFound", 404},
    ReasonRow{Reason::kMethodNotAllowed, "MethodNotAllowed", 405},
    ReasonRow{Reason::kNotAcceptable, "NotAcceptable", 406},
    ReasonRow{Reason::kConflict, "Conflict", 409},
    ReasonRow{Reason::kAlreadyExists, "AlreadyExists", 409},
    ReasonRow{Reason::kExpired, "Expired", 410},
    ReasonRow{Reason::kRequestEntityTooLarge, "RequestEntityTooLarge", 413},
    ReasonRow{Reason::kUnsupportedMediaType, "UnsupportedMediaType", 415},
    ReasonRow{Reason::kInvalid, "Invalid", 422},
    ReasonRow{Reason::kTooManyRequests, "TooManyRequests", 429},
    ReasonRow{Reason::kInternalError, "InternalError", 500},
    ReasonRow{Reason::kServerTimeout, "ServerTimeout", 500},
    ReasonRow{Reason::kServiceUnavailable, "ServiceUnavailable", 503},
    ReasonRow{Reason::kTimeout, "Timeout", 504},
};

const ReasonRow& row(Reason reason) {
  for (const auto& r : kReasons) {
    if (r.reason == reason) return r;
  }
  return kReasons[0];
}

Error make(Reason reason, std::string message, ObjectRef about = {}) {
  Error error;
  error.reason = reason;
  error.message = std::move(message);
  error.about = std::move(about);
  return error;
}

}  // namespace

std::string_view reason_name(Reason reason) { return row(reason).name; }

int http_code(Reason reason) { return row(reason).code; }

Reason reason_for_code(int code) {
  for (const auto& r : kReasons) {
    if (r.code == code && r.reason != Reason::kUnknown) return r.reason;
  }
  return Reason::kUnknown;
}

Error bad_request(std::string message) { return make(Reason::kBadRequest, std::move(message)); }

Error unauthorized() { return make(Reason::kUnauthorized, "Unauthorized"); }

Error forbidden(ObjectRef about, std::string_view why) {
  std::string message;
  if (about.kind.empty()) {
    message = fmt::format("forbidden: {}", why);
  } else if (about.name.empty()) {
    message = fmt::format("{} is forbidden: {}", about.qualified(), why);
  } else {
    message = fmt::format("{} \"{}\" is forbidden: {}", about.qualified(), about.name, why);
  }
  return make(Reason::kForbidden, std::move(message), std::move(about));
}

Error not_found(ObjectRef about) {
  auto message = fmt::format("{} \"{}\" not found", about.qualified(), about.name);
  return make(Reason::kNotFound, std::move(message), std::move(about));
}

Error already_exists(ObjectRef about, bool being_deleted) {
  auto message = fmt::format("{}{} \"{}\" already exists", being_deleted ? "object is being deleted: " : "",
                             about.qualified(), about.name);
  return make(Reason::kAlreadyExists, std::move(message), std::move(about));
}

Error conflict(ObjectRef about, std::string_view why) {
  auto message = fmt::format("Operation cannot be fulfilled on {} \"{}\": {}", about.qualified(), about.name, why);
  return make(Reason::kConflict, std::move(message), std::move(about));
}

Error modified(ObjectRef about) {
  return conflict(std::move(about),
                  "the object has been modified; please apply your changes to the latest version and try again");
}

Error invalid(ObjectRef about, std::vector<Cause> causes) {
  if (causes.size() > kMaxCauses) {
    const auto more = causes.size() - kMaxCauses;
    causes.resize(kMaxCauses);
    causes.push_back({"FieldValueInvalid", fmt::format("and {} more faults that are not listed", more), ""});
  }
  std::string faults;
  for (const auto& cause : causes) {
    if (!faults.empty()) faults += ", ";
    faults += cause.field.empty() ? cause.message : cause.field + ": " + cause.message;
  }
  if (causes.size() > 1) faults = "[" + faults + "]";
  auto message =
      fmt::format("{} \"{}\" is invalid{}{}", about.qualified(), about.name, faults.empty() ? "" : ": ", faults);
  auto error = make(Reason::kInvalid, std::move(message), std::move(about));
  error.causes = std::move(causes);
  return error;
}

Error expired(std::string message) { return make(Reason::kExpired, std::move(message)); }

Error method_not_allowed(const ObjectRef& about, std::string_view verb) {
  auto message = fmt::format("{} is not supported on resources of kind \"{}\"", verb, about.qualified());
  return make(Reason::kMethodNotAllowed, std::move(message));
}

Error not_acceptable(std::string_view offered) {
  return make(Reason::kNotAcceptable, fmt::format("only the following media types are accepted: {}", offered));
}

Error unsupported_media_type(std::string_view got, std::string_view supported) {
  return make(Reason::kUnsupportedMediaType,
              fmt::format("the body of the request was in an unknown format \"{}\" - accepted media types include: {}",
                          got, supported));
}

Error too_large(std::string message) { return make(Reason::kRequestEntityTooLarge, std::move(message)); }

Error too_many_requests(std::string message, int retry_after_seconds) {
  auto error = make(Reason::kTooManyRequests, std::move(message));
  error.retry_after_seconds = retry_after_seconds;
  return error;
}

Error internal_error(std::string_view message) {
  return make(Reason::kInternalError, fmt::format("Internal error occurred: {}", message));
}

Error unavailable(std::string message) { return make(Reason::kServiceUnavailable, std::move(message)); }

Error timeout(std::string message) { return make(Reason::kTimeout, std::move(message)); }

}  // namespace chandler
