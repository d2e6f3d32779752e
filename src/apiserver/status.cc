#include "apiserver/status.h"

namespace chandler::apiserver {
namespace {

json::Object details_of(const ObjectRef& about) {
  json::Object details;
  if (!about.name.empty()) details["name"] = about.name;
  if (!about.group.empty()) details["group"] = about.group;
  if (!about.kind.empty()) details["kind"] = about.kind;
  if (!about.uid.empty()) details["uid"] = about.uid;
  return details;
}

}  // namespace

json::Value status_of(const Error& error) {
  json::Object details = details_of(error.about);
  if (!error.causes.empty()) {
    json::Array causes;
    for (const auto& cause : error.causes) {
      json::Object out;
      if (!cause.reason.empty()) out["reason"] = cause.reason;
      if (!cause.message.empty()) out["message"] = cause.message;
      if (!cause.field.empty()) out["field"] = cause.field;
      causes.emplace_back(std::move(out));
    }
    details["causes"] = std::move(causes);
  }
  if (error.retry_after_seconds) details["retryAfterSeconds"] = *error.retry_after_seconds;

  json::Object metadata;
  if (!error.continue_token.empty()) metadata["continue"] = error.continue_token;
  json::Object status;
  status["apiVersion"] = "v1";
  status["kind"] = "Status";
  status["metadata"] = std::move(metadata);
  status["status"] = "Failure";
  status["message"] = error.message;
  if (const auto reason = reason_name(error.reason); !reason.empty()) status["reason"] = reason;
  if (!details.empty()) status["details"] = std::move(details);
  status["code"] = error.http();
  return status;
}

json::Value success_status(const ObjectRef& about) {
  json::Object status;
  status["apiVersion"] = "v1";
  status["kind"] = "Status";
  status["metadata"] = json::Object();
  status["status"] = "Success";
  status["details"] = details_of(about);
  return status;
}

}  // namespace chandler::apiserver
