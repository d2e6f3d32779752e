#include "controller/lease.h"

#include <algorithm>
#include <utility>
#include <vector>

#include "base/log.h"
#include "base/mutex.h"
#include "base/time_text.h"
#include "controller/backoff.h"

namespace chandler::controller {
namespace {

constexpr client::KindName kLeases{"coordination.k8s.io", "leases"};

void fill_in(json::Value& lease, const LeaseRecord& record) {
  auto& spec = lease.as_object()["spec"];
  if (!spec.is_object()) spec = json::Object{};
  auto& fields = spec.as_object();
  fields["holderIdentity"] = record.holder;
  fields["leaseDurationSeconds"] = record.duration.count();
  fields["acquireTime"] = record.acquired;
  fields["renewTime"] = record.renewed;
  fields["leaseTransitions"] = record.transitions;
}

}  // namespace

LeaseRecord read_lease(const json::Value& lease) {
  LeaseRecord out;
  const auto* spec = json::find(lease, "spec");
  if (spec == nullptr) return out;
  out.holder = json::string_or(*spec, "holderIdentity");
  out.duration = std::chrono::seconds(json::int_at(*spec, "leaseDurationSeconds").value_or(0));
  out.acquired = json::string_or(*spec, "acquireTime");
  out.renewed = json::string_or(*spec, "renewTime");
  out.transitions = json::int_at(*spec, "leaseTransitions").value_or(0);
  return out;
}

LeaseAction decide_lease(const SeenLease* seen, std::string_view identity, MonoTime now) {
  if (seen == nullptr) return LeaseAction::kCreate;
  if (seen->record.holder == identity) return LeaseAction::kRenew;
  if (seen->record.holder.empty()) return LeaseAction::kTake;
  return now < seen->at + seen->record.duration ? LeaseAction::kWait : LeaseAction::kTake;
}

LeaseRecord next_lease(LeaseAction action, const LeaseRecord* old, const LeaseOptions& options, WallTime now) {
  LeaseRecord out;
  out.holder = options.identity;
  out.duration = options.lease_duration;
  out.acquired = rfc3339_micro(now);
  out.renewed = out.acquired;
  if (old == nullptr) return out;
  out.transitions = old->transitions;
  if (action == LeaseAction::kRenew) {
    if (!old->acquired.empty()) out.acquired = old->acquired;
  } else {
    ++out.transitions;
  }
  return out;
}

LeaseRecord released_lease(const LeaseRecord& old, WallTime now) {
  LeaseRecord out;
  out.duration = std::chrono::seconds(1);  // the smallest that the schema takes
  out.acquired = rfc3339_micro(now);
  out.renewed = out.acquired;
  out.transitions = old.transitions;
  return out;
}

// What other threads report.
struct LeaderElection::Inbox {
  Mutex mutex;
  bool changed CH_GUARDED_BY(mutex) = false;                              // a lease somewhere
  std::optional<std::pair<uint64_t, bool>> written CH_GUARDED_BY(mutex);  // serial, whether it succeeded
  std::shared_ptr<const std::function<void()>> wake CH_GUARDED_BY(mutex);
  CondVar has_written;

  void ring() CH_EXCLUDES(mutex) {
    std::shared_ptr<const std::function<void()>> call;
    {
      MutexLock lock(mutex);
      call = wake;
    }
    if (call != nullptr) (*call)();
  }
};

LeaderElection::LeaderElection(client::Api& api, const Clock& clock, LeaseOptions options, Callbacks callbacks)
    : api_(api),
      clock_(clock),
      options_(std::move(options)),
      callbacks_(std::move(callbacks)),
      inbox_(std::make_shared<Inbox>()),
      attempt_at_(clock.mono()) {
  api_.state().listen({kLeases},
                      [inbox = inbox_, ns = options_.ns, name = options_.name](const client::Change& change) {
                        const auto& object = change.now ? change.now : change.before;
                        if (object.name() != name || object.ns() != ns) return;
                        {
                          MutexLock lock(inbox->mutex);
                          inbox->changed = true;
                        }
                        inbox->ring();
                      });
}

LeaderElection::~LeaderElection() { on_mail(nullptr); }

void LeaderElection::on_mail(std::function<void()> wake) {
  MutexLock lock(inbox_->mutex);
  inbox_->wake = wake ? std::make_shared<const std::function<void()>>(std::move(wake)) : nullptr;
}

// Notes when the lease last changed; all that is known of other clocks.
void LeaderElection::look() {
  const auto lease = api_.state().get(kLeases, options_.ns, options_.name);
  if (!lease) {
    seen_.reset();
    return;
  }
  auto record = read_lease(lease.value());
  if (!seen_ || seen_->record != record) seen_ = SeenLease{std::move(record), clock_.mono()};
  if (leading_ && seen_->record.holder != options_.identity) lose("somebody else took it");
}

void LeaderElection::lose(std::string_view why) {
  leading_ = false;
  log::warn("leadership lost", {{"lease", options_.name}, {"why", why}});
  if (callbacks_.on_lost) callbacks_.on_lost();
}

bool LeaderElection::turn() {
  bool changed = false;
  std::optional<std::pair<uint64_t, bool>> written;
  {
    MutexLock lock(inbox_->mutex);
    changed = std::exchange(inbox_->changed, false);
    written = std::exchange(inbox_->written, std::nullopt);
  }
  const auto now = clock_.mono();
  if (written && written->first == serial_) {
    writing_ = false;
    if (written->second) {
      renewed_ = begun_;
      seen_.reset();  // what is stored now was written just now
      if (!leading_) {
        leading_ = true;
        log::info("leading", {{"lease", options_.name}, {"identity", options_.identity}});
        if (callbacks_.on_leading) callbacks_.on_leading();
      }
    }
    return true;
  }
  if (leading_ && now >= renewed_ + options_.renew_deadline) {
    lose("it could not be renewed in time");
    return true;
  }
  if (changed) {
    look();
    // Released or gone: no need to wait for the next try.
    if (!leading_ && (!seen_ || seen_->record.holder.empty())) attempt_at_ = std::min(attempt_at_, now);
    return true;
  }
  if (writing_ || now < attempt_at_) return false;
  attempt();
  return true;
}

void LeaderElection::attempt() {
  const auto now = clock_.mono();
  look();
  // Candidates do not knock in step.
  const auto wait = leading_ ? std::chrono::microseconds(options_.retry_period)
                             : spread(options_.retry_period, stable_hash(options_.identity) + ++attempts_);
  attempt_at_ = now + wait;
  const SeenLease* seen = seen_ ? &*seen_ : nullptr;
  const auto action = decide_lease(seen, options_.identity, now);
  if (action == LeaseAction::kWait) return;
  const auto current = api_.state().get(kLeases, options_.ns, options_.name);
  write(action == LeaseAction::kCreate ? client::Write::Verb::kCreate : client::Write::Verb::kUpdate, current,
        next_lease(action, seen == nullptr ? nullptr : &seen->record, options_, clock_.now()));
}

void LeaderElection::write(client::Write::Verb verb, const client::Object& current, const LeaseRecord& record) {
  client::Write write;
  write.verb = verb;
  write.kind = kLeases;
  write.ns = options_.ns;
  write.name = options_.name;
  write.object =
      current
          ? current.value()
          : json::Value(json::Object{{"apiVersion", "coordination.k8s.io/v1"},
                                     {"kind", "Lease"},
                                     {"metadata", json::Object{{"name", options_.name}, {"namespace", options_.ns}}}});
  fill_in(write.object, record);
  writing_ = true;
  begun_ = clock_.mono();
  api_.writer().write(std::move(write), [inbox = inbox_, serial = ++serial_](const Result<client::Object>& done) {
    if (!done.ok() && done.error().reason != Reason::kConflict && done.error().reason != Reason::kAlreadyExists)
      log::warn("a lease could not be written", {{"error", done.error().message}});
    {
      MutexLock lock(inbox->mutex);
      inbox->written = {serial, done.ok()};
    }
    inbox->has_written.notify_all();
    inbox->ring();
  });
}

std::optional<WallTime> LeaderElection::next_due() const {
  std::optional<MonoTime> due;
  if (!writing_) due = attempt_at_;
  if (leading_) {
    const auto deadline = renewed_ + options_.renew_deadline;
    due = due ? std::min(*due, deadline) : deadline;
  }
  if (!due) return std::nullopt;
  return clock_.now() + std::chrono::duration_cast<std::chrono::microseconds>(*due - clock_.mono()) +
         std::chrono::microseconds(1);
}

void LeaderElection::wait_for_write(std::chrono::steady_clock::time_point deadline) {
  if (!writing_) return;
  MutexLock lock(inbox_->mutex);
  while (!inbox_->written || inbox_->written->first != serial_) {
    if (!inbox_->has_written.wait_until(inbox_->mutex, deadline)) return;
  }
  writing_ = false;
}

void LeaderElection::release(std::chrono::milliseconds patience) {
  const auto deadline = std::chrono::steady_clock::now() + patience;
  wait_for_write(deadline);
  if (!leading_) return;
  leading_ = false;
  const auto current = api_.state().get(kLeases, options_.ns, options_.name);
  if (!current) return;
  const auto record = read_lease(current.value());
  if (record.holder != options_.identity) return;
  write(client::Write::Verb::kUpdate, current, released_lease(record, clock_.now()));
  wait_for_write(deadline);
}

}  // namespace chandler::controller
