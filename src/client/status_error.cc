#include "client/status_error.h"

#include <algorithm>
#include <array>

#include <fmt/format.h>

#include "base/text.h"
#include "json/reader.h"

namespace chandler::client {
namespace {

constexpr size_t kShownBytes = 512;   // of a body that is no Status
constexpr size_t kMaxCauses = 1'000;  // of a Status
constexpr int kMaxRetryAfter = 86'400;

constexpr std::array kReasons = {
    Reason::kBadRequest,
    Reason::kUnauthorized,
    Reason::kForbidden,
    Reason::kNotFound,
    Reason::kMethodNotAllowed,
    Reason::kNotAcceptable,
    Reason::kAlreadyExists,
    Reason::kConflict,
    Reason::kExpired,
    Reason::kRequestEntityTooLarge,
    Reason::kUnsupportedMediaType,
    Reason::kInvalid,
    Reason::kTooManyRequests,
    Reason::kInternalError,
    Reason::kServerTimeout,
    Reason::kServiceUnavailable,
    Reason::kTimeout,
};

Reason reason_of(std::string_view name, int code) {
  const auto found =
      std::find_if(kReasons.begin(), kReasons.end(), [&](Reason reason) { return reason_name(reason) == name; });
  if (found != kReasons.end()) return *found;
  if (name == "Gone") return Reason::kExpired;  // what older servers call it
  return reason_for_code(code);
}

void set_retry_after(Error& error, std::optional<int64_t> seconds) {
  if (seconds && *seconds > 0)
    error.retry_after_seconds = static_cast<int>(std::min<int64_t>(*seconds, kMaxRetryAfter));
}

std::string shown(std::string_view body) {
  auto text = std::string(trim(body.substr(0, kShownBytes)));
  if (!is_valid_utf8(text)) return "";
  return text;
}

}  // namespace

Error error_of_status(const json::Value& status, int http_code) {
  Error error;
  const auto code = json::int_at(status, "code").value_or(http_code);
  error.code = code >= 100 && code <= 599 ? static_cast<int>(code) : http_code;
  error.reason = reason_of(json::string_or(status, "reason"), error.code);
  error.message = json::string_or(status, "message");
  if (error.message.empty()) error.message = fmt::format("the server answered {}", error.http());
  if (const auto* metadata = json::find(status, "metadata"))
    error.continue_token = json::string_or(*metadata, "continue");
  if (const auto* details = json::find(status, "details"); details != nullptr && details->is_object()) {
    error.about = {json::string_or(*details, "group"), json::string_or(*details, "kind"),
                   json::string_or(*details, "name"), json::string_or(*details, "uid")};
    set_retry_after(error, json::int_at(*details, "retryAfterSeconds"));
    if (const auto* causes = json::array_at(*details, "causes")) {
      for (size_t i = 0; i < std::min(causes->size(), kMaxCauses); ++i) {
        const auto& cause = (*causes)[i];
        error.causes.push_back(
            {json::string_or(cause, "reason"), json::string_or(cause, "message"), json::string_or(cause, "field")});
      }
    }
  }
  return error;
}

Error error_of_response(const http::ClientResponse& response) {
  const auto body = json::parse(response.body);
  Error error;
  if (body.ok() && json::string_at(*body, "kind") == "Status") {
    error = error_of_status(*body, response.status);
  } else if (response.status < 400) {
    error = unavailable(
        fmt::format("the server answered {} and points elsewhere; redirects are not followed: use the final address",
                    response.status));
  } else {
    error.reason = reason_for_code(response.status);
    const auto text = shown(response.body);
    error.message = text.empty() ? fmt::format("the server answered {}", response.status)
                                 : fmt::format("the server answered {}: {}", response.status, text);
  }
  if (response.status >= 400) error.code = response.status;
  if (!error.retry_after_seconds) set_retry_after(error, parse_int64(response.headers.get("Retry-After")));
  return error;
}

Error error_of_failure(const http::ClientFailure& failure, std::string_view server) {
  using Kind = http::ClientFailure::Kind;
  const auto message = [&](std::string_view what) { return fmt::format("{} {}: {}", what, server, failure.message); };
  switch (failure.kind) {
    case Kind::kBadRequest:
      return bad_request(message("no request can be sent to"));
    case Kind::kRefused:
      return forbidden({}, message("not allowed to connect to"));
    case Kind::kConnect:
      return unavailable(message("cannot connect to"));
    case Kind::kTimeout:
      return timeout(message("no answer in time from"));
    case Kind::kBroken:
      return unavailable(message("the connection broke to"));
    case Kind::kTooLarge:
      return too_large(message("too large an answer from"));
    case Kind::kCancelled:
      return unavailable(message("cancelled: the request to"));
  }
  return internal_error(failure.message);
}

Error unauthorized_because(std::string message) {
  Error error;
  error.reason = Reason::kUnauthorized;
  error.message = std::move(message);
  return error;
}

Result<json::Value> json_of(const http::ClientOutcome& outcome, std::string_view server) {
  if (!outcome.ok()) return error_of_failure(outcome.error(), server);
  if (outcome->status < 200 || outcome->status > 299) return error_of_response(*outcome);
  auto value = json::parse(outcome->body);
  if (!value.ok()) {
    return unavailable(
        fmt::format("{} answered {} with something that is no JSON; is it a Kubernetes API?", server, outcome->status));
  }
  return value;
}

}  // namespace chandler::client
