// One entry of the audit log, as data that a request's thread can put together cheaply; it becomes an audit.k8s.io/v1
// Event in JSON on the log's own thread. Plain values.
#pragma once

#include <map>
#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "apiserver/audit/audit_policy.h"
#include "auth/user.h"
#include "base/clock.h"

namespace chandler::apiserver {

// What is known when a request has been authenticated; shared by its entries and never changed.
struct AuditRequest {
  AuditVerdict verdict;
  std::string id;
  std::string uri;
  std::string verb;
  std::optional<auth::User> user;  // none: authentication failed
  std::string source;              // address without port
  std::string agent;
  WallTime received{};

  bool is_resource = false;
  std::string group;
  std::string version;
  std::string resource;
  std::string ns;
  std::string name;
  std::string subresource;

  std::string body;  // as sent, from level Request on
  std::string body_type;
};

struct AuditEvent {
  std::shared_ptr<const AuditRequest> request;
  AuditStage stage = AuditStage::kRequestReceived;
  WallTime time{};
  std::optional<auth::User> impersonated;
  int code = 0;                  // 0: no answer yet
  std::string answer;            // body of an error; from RequestResponse on of every answer
  std::string answer_type;       // its media type
  bool answer_left_out = false;  // it would have been logged but is too large
  std::string name;              // of the object, where only the answer knows it
  std::string uid;
  std::string resource_version;
  std::map<std::string, std::string> annotations;

  size_t bytes() const;  // about what it holds in memory
};

std::string audit_line(const AuditEvent& event);  // JSON and a line break

}  // namespace chandler::apiserver
