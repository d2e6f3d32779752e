// Leader election by a Lease object (coordination.k8s.io/v1), with the fields and times that client-go uses, so several
// replicas, ours or others, agree on who works. Nobody's clock is trusted: a lease has run out when this process has
// not seen it change for its duration.
//
// The decision is a pure function; LeaderElection performs it in turns (EngineThread drives it). Callbacks run inside
// turn(). Belongs to the thread that drives it; release() is for after that has ended.
#pragma once

#include <chrono>
#include <functional>
#include <memory>
#include <optional>
#include <string>

#include "base/clock.h"
#include "client/api.h"
#include "controller/worker.h"

namespace chandler::controller {

struct LeaseOptions {
  std::string ns = "kube-system";
  std::string name = "service-catalog-controller-manager";
  std::string identity;                     // of this process: host and a random part
  std::chrono::seconds lease_duration{15};  // others wait so long after the last sign of life
  std::chrono::seconds renew_deadline{10};  // the leader steps down after so long without a renewal
  std::chrono::milliseconds retry_period{2'000};
};

struct LeaseRecord {
  std::string holder;  // empty: released
  std::chrono::seconds duration{0};
  std::string acquired;  // as written
  std::string renewed;
  int64_t transitions = 0;
  bool operator==(const LeaseRecord&) const = default;
};
LeaseRecord read_lease(const json::Value& lease);

// The lease as this process saw it change last.
struct SeenLease {
  LeaseRecord record;
  MonoTime at;
};

enum class LeaseAction { kCreate, kTake, kRenew, kWait };
// `seen` null: there is no lease.
LeaseAction decide_lease(const SeenLease* seen, std::string_view identity, MonoTime now);
// What the lease says after the action (not kWait). `old` null: there was none.
LeaseRecord next_lease(LeaseAction action, const LeaseRecord* old, const LeaseOptions& options, WallTime now);
// The one who gives it up.
LeaseRecord released_lease(const LeaseRecord& old, WallTime now);

class LeaderElection final : public Worker {
 public:
  struct Callbacks {
    std::function<void()> on_leading;
    std::function<void()> on_lost;
  };
  // Listens to the API's leases; made before what feeds it starts.
  LeaderElection(client::Api& api, const Clock& clock, LeaseOptions options, Callbacks callbacks);
  ~LeaderElection() override;

  bool turn() override;
  std::optional<WallTime> next_due() const override;
  void on_mail(std::function<void()> wake) override;
  bool is_leader() const { return leading_; }
  // Gives the lease up if it is held, and waits so long for the write, and for one before it, to end: whoever stops the
  // API afterwards cuts nothing off.
  void release(std::chrono::milliseconds patience = std::chrono::seconds(2));

 private:
  struct Inbox;
  void attempt();
  void write(client::Write::Verb verb, const client::Object& current, const LeaseRecord& record);
  void wait_for_write(std::chrono::steady_clock::time_point deadline);
  void look();
  void lose(std::string_view why);

  client::Api& api_;
  const Clock& clock_;
  const LeaseOptions options_;
  const Callbacks callbacks_;
  std::shared_ptr<Inbox> inbox_;
  std::optional<SeenLease> seen_;
  bool leading_ = false;
  bool writing_ = false;
  uint64_t serial_ = 0;
  MonoTime attempt_at_;  // the next one
  MonoTime begun_;       // of the write under way
  MonoTime renewed_;     // when the last write that succeeded began
  uint64_t attempts_ = 0;
};

}  // namespace chandler::controller
