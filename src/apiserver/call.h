// One request on its way through the server, and the parts of the server that handlers may use.
#pragma once

#include <atomic>
#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "apiserver/lanes/fair_gate.h"
#include "apiserver/negotiation.h"
#include "apiserver/request_info.h"
#include "apiserver/write_deadlines.h"
#include "auth/authenticator.h"
#include "auth/policy_store.h"
#include "auth/service_account_tokens.h"
#include "base/clock.h"
#include "base/metrics.h"
#include "base/pool.h"
#include "http/message.h"
#include "registry/cache.h"
#include "registry/kinds.h"
#include "registry/objects.h"

namespace chandler::apiserver {

class AuditLog;
class Backups;
class Health;
class Lanes;
class OpenApi;
class RequestMetrics;
class WatchTimer;
struct AuditTrail;
struct Services;

// How the objects of an answer are told. What an answer keeps that may last for hours, as a watch does.
struct Telling {
  Output output;
  // Set for resource requests.
  registry::KindPtr kind;
  const registry::Version* version = nullptr;
};

// Owned by whoever works on the request at the moment; never used by two threads at once, except that a deadline may
// answer it while the store still works on it: the first answer counts. Its answer keeps it alive
// until it is sent, so that what the I/O thread allocated is freed there. As an errand it answers with `written`.
struct Call final : http::Errand, Telling, std::enable_shared_from_this<Call> {
  std::shared_ptr<http::Request> request;
  std::unique_ptr<http::Responder> responder;
  RequestInfo info;
  auth::User user;           // whose rights count: who sent it, or whom they act as
  bool asked_again = false;  // authentication has waited once for what it did not know
  std::string id;            // sent back as Audit-Id
  MonoTime started{};
  std::optional<MonoTime> due;  // when the client no longer waits; of reads and writes of objects, not of watches

  std::atomic<bool> answered{false};
  registry::DocumentPtr answer;  // whose bytes are being sent
  WriteDeadlines::Ticket deadline;
  std::shared_ptr<AuditTrail> audit;  // null: not logged
  FairGate::Seat seat;               // in its lane, from entering until the answer, or until an overdue write has ended
  FairGate::Seat body_seat;          // of a large body or object: until the handler has parsed it, or waits for `seat`
  std::atomic<bool> overdue{false};  // told that its time is over, while the write goes on

  // Of a write that is done: what came of it, and how that is told.
  std::shared_ptr<const registry::WriteRequest> asked_for;
  std::optional<Result<registry::WriteResult>> written;
  using TellWritten = void (*)(const Services& services, Call& call, const registry::WriteResult& result);
  TellWritten tell_written = nullptr;
  const Services* services = nullptr;

  auth::Attributes attributes() const;
  bool is_overdue(MonoTime now) const { return due && now >= *due; }  // long loops ask, to end then
  void run() override;
};
using CallPtr = std::shared_ptr<Call>;

struct Services {
  registry::KindTable& kinds;
  registry::Cache& cache;
  registry::Objects& objects;
  const auth::Authenticator& authenticator;
  const auth::PolicyStore& policy;
  const auth::ServiceAccountTokens& tokens;
  const auth::ServiceAccountLookup& accounts;
  OpenApi& openapi;
  Health& health;
  WatchTimer& timer;
  RequestMetrics& request_metrics;
  metrics::Registry& metrics;
  Pool& pool;
  const Clock& clock;
  AuditLog* audit = nullptr;   // null: there is none
  Lanes* lanes = nullptr;      // null: everybody is let in
  Backups* backups = nullptr;  // null: there are none
};

}  // namespace chandler::apiserver
