// Errors are values. An Error carries all that the wire needs: reason (hence HTTP code), message, the object it is
// about, and one cause per faulty field. The named constructors below are the only way messages are worded, so that
// the same fault reads the same everywhere. Plain data, safe to copy between threads.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

namespace chandler {

// The closed list of Kubernetes status reasons; http_code() gives the code that goes with each.
enum class Reason {
  kUnknown,
  kBadRequest,             // 400
  kUnauthorized,           // 401
  kForbidden,              // 403
  kNotFound,               // 404
  kMethodNotAllowed,       // 405
  kNotAcceptable,          // 406
  kAlreadyExists,          // 409
  kConflict,               // 409
  kExpired,                // 410
  kRequestEntityTooLarge,  // 413
  kUnsupportedMediaType,   // 415
  kInvalid,                // 422
  kTooManyRequests,        // 429
  kInternalError,          // 500
  kServerTimeout,          // 500
  kServiceUnavailable,     // 503
  kTimeout,                // 504
};

std::string_view reason_name(Reason reason);  // "NotFound"; "" for kUnknown
int http_code(Reason reason);
Reason reason_for_code(int code);  // what a client concludes from a bare HTTP code

// One cause of an error, in the words of the API: reason "FieldValueInvalid", field "spec.replicas".
struct Cause {
  std::string reason;
  std::string message;
  std::string field;
  bool operator==(const Cause&) const = default;
};

// What the error is about. `kind` holds the resource name ("configmaps") or, for Invalid, the Kind, as upstream does.
struct ObjectRef {
  std::string group;
  std::string kind;
  std::string name;
  std::string uid;
  bool operator==(const ObjectRef&) const = default;

  // "configmaps", "deployments.apps"
  std::string qualified() const { return group.empty() ? kind : kind + "." + group; }
};

struct Error {
  Reason reason = Reason::kUnknown;
  std::string message;
  ObjectRef about;
  std::vector<Cause> causes;
  std::optional<int> retry_after_seconds;
  std::string continue_token;  // a 410 on paging carries the token to go on inconsistently
  int code = 0;                // overrides http_code(reason) when not 0

  int http() const { return code != 0 ? code : http_code(reason); }
};

Error bad_request(std::string message);
Error unauthorized();
Error forbidden(ObjectRef about, std::string_view why);  // `<res> "<name>" is forbidden: <why>`
Error not_found(ObjectRef about);                        // `<res> "<name>" not found`
Error already_exists(ObjectRef about, bool being_deleted = false);
Error conflict(ObjectRef about, std::string_view why);      // `Operation cannot be fulfilled on <res> "<name>": <why>`
Error modified(ObjectRef about);                            // conflict: stale resourceVersion
Error invalid(ObjectRef about, std::vector<Cause> causes);  // `<Kind.group> "<name>" is invalid: ...`
Error expired(std::string message);
Error method_not_allowed(const ObjectRef& about, std::string_view verb);
Error not_acceptable(std::string_view offered);
Error unsupported_media_type(std::string_view got, std::string_view supported);
Error too_large(std::string message);
Error too_many_requests(std::string message, int retry_after_seconds);
Error internal_error(std::string_view message);  // `Internal error occurred: ...`
Error unavailable(std::string message);
Error timeout(std::string message);

}  // namespace chandler
