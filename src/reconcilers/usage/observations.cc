#include "reconcilers/usage/observations.h"

#include <algorithm>

#include "base/time_text.h"
#include "reconcilers/catalog/document.h"

namespace chandler::reconcilers {
namespace {

bool same_but_times(const json::Value& before, const json::Value& now) {
  return text_at(before, "status") == text_at(now, "status") && text_at(before, "reason") == text_at(now, "reason") &&
         text_at(before, "message") == text_at(now, "message");
}

}  // namespace

bool Observations::all_hold() const {
  return std::all_of(list_.begin(), list_.end(), [](const Observation& o) { return !o.counts || o.holds(); });
}

const Observation* Observations::find(std::string_view type) const {
  const auto found = std::find_if(list_.begin(), list_.end(), [&](const Observation& o) { return o.type == type; });
  return found == list_.end() ? nullptr : &*found;
}

void Observations::put_into(json::Object& status, std::string_view ready_reason, std::string_view ready_message,
                            int64_t generation, WallTime now) const {
  const json::Value before(status);
  status["observedGeneration"] = generation;
  const auto first =
      std::find_if(list_.begin(), list_.end(), [](const Observation& o) { return o.counts && !o.holds(); });
  if (first == list_.end()) {
    set_condition(status, kReady, Truth::kTrue, ready_reason, ready_message, now);
  } else {
    const auto truth = first->truth == Truth::kUnknown ? Truth::kUnknown : Truth::kFalse;
    set_condition(status, kReady, truth, first->reason, first->message, now);
  }
  for (const auto& o : list_) set_condition(status, o.type, o.truth, o.reason, o.message, now);
  json::Array kept;
  auto& conditions = status["conditions"].as_array();
  for (auto& entry : conditions) {
    const auto type = text_at(entry, "type");
    if (type != kReady && find(type) == nullptr) continue;
    const auto* old = condition(before, type);
    if (old == nullptr || !same_but_times(*old, entry)) entry.as_object()["lastUpdateTime"] = text(rfc3339(now));
    kept.push_back(entry);
  }
  conditions = std::move(kept);
  // For tables: the others explain Ready, so Ready says it all.
  status["lastConditionState"] = text(first == list_.end() ? kReady : first->reason);
}

}  // namespace chandler::reconcilers
