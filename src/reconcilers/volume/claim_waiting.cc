#include "reconcilers/volume/claim_waiting.h"

#include <algorithm>
#include <utility>

#include "base/time_text.h"
#include "reconcilers/catalog/conditions.h"
#include "reconcilers/catalog/document.h"
#include "reconcilers/volume/volume_kinds.h"

namespace chandler::reconcilers {
namespace {

constexpr size_t kLongestMessage = 1'000;  // what an Event can hold

bool is_waiting_condition(const json::Value& entry) { return text_at(entry, "type") == kBoundCondition; }

json::Array& conditions_in(json::Object& status) {
  auto& list = status["conditions"];
  if (!list.is_array()) list.emplace_array();
  return list.get_array();
}

}  // namespace

void remove_waiting(json::Object& status) {
  if (!status.contains("conditions")) return;
  auto& list = conditions_in(status);
  list.erase(std::remove_if(list.begin(), list.end(), is_waiting_condition), list.end());
  if (list.empty()) status.erase("conditions");
}

void add_wait(controller::Step& step, const client::Object& claim, const Waiting& waiting, WallTime now) {
  const auto message = std::string(cut_text(waiting.message, kLongestMessage));
  const auto reason = waiting.reason.empty() ? std::string(waiting.event) : waiting.reason;
  const auto* said = condition(status_of(claim), kBoundCondition);
  if (said != nullptr && text_at(*said, "reason") == reason && text_at(*said, "message") == message) return;
  Draft draft(kClaims, claim);
  auto& list = conditions_in(draft.status());
  json::Object entry{{"type", text(kBoundCondition)}, {"status", "False"}, {"reason", reason}, {"message", message}};
  entry["lastTransitionTime"] = said == nullptr ? rfc3339(now) : text_at(*said, "lastTransitionTime");
  const auto place = std::find_if(list.begin(), list.end(), is_waiting_condition);
  if (place == list.end()) {
    list.push_back(std::move(entry));
  } else {
    *place = std::move(entry);
  }
  step.stages.emplace_back().push_back(std::move(draft).update_status());
  step.notes.push_back({waiting.warning, std::string(waiting.event), message});
}

controller::Step wait(const client::Object& claim, const Waiting& waiting, WallTime now) {
  controller::Step step;
  add_wait(step, claim, waiting, now);
  return step;
}

}  // namespace chandler::reconcilers
