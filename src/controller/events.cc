#include "controller/events.h"

#include <algorithm>
#include <utility>

#include <fmt/format.h>

#include "base/cut_text.h"
#include "base/log.h"
#include "base/time_text.h"
#include "controller/backoff.h"
#include "json/arena.h"

namespace chandler::controller {
namespace {

constexpr client::KindName kEvents{"", "events"};
constexpr std::string_view kHomeless = "default";  // where Events about objects of the cluster scope stand
constexpr size_t kMostMessage = 1'024;             // as the API allows
constexpr size_t kMostReason = 128;
constexpr size_t kMostName = 253;

// What makes two notes the same.
std::string key_of(const client::Object& about, const Note& note) {
  std::string key;
  key.reserve(about.uid().size() + note.reason.size() + note.message.size() + 4);
  key.append(about.uid()).append(note.warning ? "\nW\n" : "\nN\n").append(note.reason);
  key.append("\n").append(note.message);
  return key;
}

}  // namespace

bool EventRecorder::spend(std::string_view uid) {
  const auto now = clock_.now();
  const double burst = static_cast<double>(limits_.burst);
  if (const auto found = budget_by_uid_.find(uid); found == budget_by_uid_.end()) {
    budgets_.push_front({std::string(uid), burst, now});
    budget_by_uid_.emplace(budgets_.front().uid, budgets_.begin());
    if (budgets_.size() > limits_.remembered) {
      budget_by_uid_.erase(budgets_.back().uid);
      budgets_.pop_back();
    }
  } else {
    budgets_.splice(budgets_.begin(), budgets_, found->second);
  }
  Budget& budget = budgets_.front();
  const std::chrono::duration<double> passed = std::max(now - budget.at, std::chrono::microseconds(0));
  budget.tokens = std::min(burst, budget.tokens + passed / std::chrono::duration<double>(limits_.refill));
  budget.at = now;
  if (budget.tokens < 1) return false;
  budget.tokens -= 1;
  return true;
}

void EventRecorder::write(client::Write::Verb verb, const client::Object& about, const Note& note, const Known& known) {
  const auto& value = about.value();
  client::Write write{.verb = verb,
                      .kind = kEvents,
                      .ns = std::string(about.ns().empty() ? kHomeless : about.ns()),
                      .name = known.name,
                      .object = json::Value(boost::json::object_kind, json::arena()),
                      .uid = {},
                      .resource_version = {}};
  auto& event = write.object.get_object();
  event.reserve(13);  // as many as follow: it does not grow and leave the smaller ones behind
  event["apiVersion"] = "v1";
  event["kind"] = "Event";
  auto& metadata = event["metadata"].emplace_object();
  metadata.reserve(2);
  metadata["name"] = known.name;
  metadata["namespace"] = write.ns;
  auto& involved = event["involvedObject"].emplace_object();
  involved.reserve(6);
  involved["apiVersion"] = json::string_at(value, "apiVersion").value_or("");
  involved["kind"] = json::string_at(value, "kind").value_or("");
  involved["name"] = about.name();
  involved["resourceVersion"] = known.resource_version;
  involved["uid"] = about.uid();
  if (!about.ns().empty()) involved["namespace"] = about.ns();
  event["reason"] = cut_text(note.reason, kMostReason);
  event["message"] = cut_text(note.message, kMostMessage);
  event["type"] = note.warning ? "Warning" : "Normal";
  event["source"].emplace_object()["component"] = component_;
  event["reportingComponent"] = component_;
  event["reportingInstance"] = "";
  event["firstTimestamp"] = rfc3339(known.first);
  event["lastTimestamp"] = rfc3339(known.last);
  event["count"] = known.count;
  writer_.write(std::move(write), [](const Result<client::Object>& done) {
    // AlreadyExists: the same note at the same instant before a restart.
    if (done.ok() || done.error().reason == Reason::kAlreadyExists) return;
    log::warn("an event could not be written", {{"error", done.error().message}});
  });
}

void EventRecorder::record(const client::Object& about, const Note& note) {
  if (!spend(about.uid())) return;
  const auto now = clock_.now();
  std::string key = key_of(about, note);
  if (const auto found = known_by_key_.find(key); found != known_by_key_.end()) {
    Known& known = *found->second;
    if (now - known.last < limits_.same_for) {
      known_.splice(known_.begin(), known_, found->second);
      known.last = now;
      ++known.count;
      // Without a resourceVersion: what this Event says is known here alone, and it may have expired in the store.
      write(client::Write::Verb::kUpdate, about, note, known);
      return;
    }
    const auto outdated = found->second;
    known_by_key_.erase(found);
    known_.erase(outdated);
  }
  // The same note at the same instant is the same Event, also after a restart.
  const auto suffix = fmt::format(".{:016x}", stable_hash(key, stable_hash(rfc3339_micro(now))));
  std::string name(cut_text(about.name(), kMostName - suffix.size()));
  name += suffix;
  known_.push_front({std::move(key), std::move(name), about.resource_version(), 1, now, now});
  known_by_key_.emplace(known_.front().key, known_.begin());
  write(client::Write::Verb::kCreate, about, note, known_.front());
  if (known_.size() > limits_.remembered) {
    known_by_key_.erase(known_.back().key);
    known_.pop_back();
  }
}

}  // namespace chandler::controller
