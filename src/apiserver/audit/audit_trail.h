// Where the filters and the answer meet the audit log: a call that the policy wants logged carries an AuditTrail,
// others carry none and cost one comparison. Used by whoever works on the call.
#pragma once

#include <memory>
#include <optional>

#include "apiserver/audit/audit_event.h"
#include "apiserver/call.h"
#include "http/message.h"

namespace chandler::apiserver {

struct AuditTrail {
  std::shared_ptr<const AuditRequest> request;
  std::optional<auth::User> impersonated;
  std::map<std::string, std::string> annotations;
  bool panicked = false;  // a handler threw
};

// After authentication: asks the policy, keeps what it wants kept, enters RequestReceived. `authenticated` is false for
// a credential that was refused.
void begin_audit(const Services& services, Call& call, bool authenticated = true);
// With the answer in hand, not compressed yet: enters ResponseComplete (for a stream ResponseStarted).
void audit_answer(const Services& services, Call& call, const http::Response& response);
// A stream is over: enters ResponseComplete. `trail` is null when its call is not logged.
void audit_stream_end(const Services& services, const AuditTrail* trail);
// True when the body of the answer goes into the log: it must then be there as a whole.
bool audits_answer(const Call& call);

inline constexpr size_t kMaxAuditedBody = 1024 * 1024;  // larger bodies are left out, and the entry says so

}  // namespace chandler::apiserver
