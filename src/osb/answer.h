// What a broker answered, and what that means. `judge` is the table of the platform's duties: method and answer in,
// consequence out; every row of it is tested. Pure.
#pragma once

#include <chrono>
#include <optional>
#include <string>

#include "http/client.h"
#include "json/value.h"
#include "osb/call.h"

namespace chandler::osb {

struct Answer {
  // Set when there is no HTTP answer.
  std::optional<http::ClientFailure> failure;
  int status = 0;
  json::Value body;           // parsed; null when empty or malformed
  bool well_formed = true;    // the body is what the method promises for this status: JSON object, right types, bounds
  std::string malformed_why;  // names the field, never the value
  std::optional<std::chrono::seconds> retry_after;
  std::string etag;

  // As the broker sent them until clean() of broker_text.h has made them fit to be shown, which the engine does with
  // every answer before a reconciler sees it.
  std::string error;
  std::string description;
  // Of the body, set by clean(): an address that people may follow, or what is wrong with the one that there is.
  std::string dashboard_url;
  std::string dashboard_fault;
};

// What has to happen next.
enum class Consequence {
  kDone,         // it is as asked (also: deleting what is gone)
  kPoll,         // accepted; ask last_operation
  kNotModified,  // the catalog is the one we know
  kRejected,     // the broker refuses: rests until the spec changes; for deletions: retried slowly
  kRetry,        // nothing was done; again later
  kCleanUp,      // something may be left at the broker: delete it, then try again (orphan mitigation)
  kLookAgain,    // exists with other attributes or is unknown: GET or poll tells more (409)
  kSendAsync,    // resend with accepts_incomplete
};
std::string_view consequence_name(Consequence consequence);

// The state that a poll told.
enum class PollState { kInProgress, kSucceeded, kFailed, kGone, kUnknown };

struct Verdict {
  Consequence consequence = Consequence::kRetry;
  bool broker_at_fault = false;  // credentials or version refused: the broker object shows it, all its calls suffer
  bool refetch_catalog = false;  // MaintenanceInfoConflict
  bool breaker = false;          // counts against the broker's circuit breaker (no answer, 5xx)
  // One line for conditions and events, built from status, error and description; no credentials.
  std::string message;
};

Verdict judge(const Call& call, const Answer& answer);

struct Poll {
  PollState state = PollState::kUnknown;
  std::string description;
  bool instance_usable = true;
  bool update_repeatable = true;
};
Poll read_poll(const Call& call, const Answer& answer);

}  // namespace chandler::osb
