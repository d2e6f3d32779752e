#include "reconcilers/catalog/conditions.h"

#include <algorithm>

#include "base/time_text.h"
#include "reconcilers/catalog/document.h"

namespace chandler::reconcilers {
namespace {

constexpr size_t kLongestMessage = 4096;
constexpr size_t kMembers = 5;  // of a condition

std::string_view truth_word(Truth truth) {
  switch (truth) {
    case Truth::kTrue:
      return "True";
    case Truth::kFalse:
      return "False";
    case Truth::kUnknown:
      break;
  }
  return "Unknown";
}

bool has_type(const json::Value& condition, std::string_view type) {
  return json::string_at(condition, "type").value_or("") == type;
}

json::Array& conditions_in(json::Object& status) {
  auto& list = status["conditions"];
  if (!list.is_array()) list.emplace_array();
  return list.get_array();
}

void note_last(json::Object& status) {
  const auto& list = conditions_in(status);
  if (list.empty()) {
    status.erase("lastConditionState");
    return;
  }
  const auto& last = list.back();
  status["lastConditionState"] =
      text(text_at(last, "status") == "True" ? text_at(last, "type") : text_at(last, "reason"));
}

}  // namespace

const json::Value* condition(const json::Value& status, std::string_view type) {
  const auto* list = json::array_at(status, "conditions");
  if (list == nullptr) return nullptr;
  const auto found =
      std::find_if(list->begin(), list->end(), [&](const json::Value& entry) { return has_type(entry, type); });
  return found == list->end() ? nullptr : &*found;
}

bool condition_true(const json::Value& status, std::string_view type) {
  const auto* found = condition(status, type);
  return found != nullptr && text_at(*found, "status") == "True";
}

std::string condition_reason(const json::Value& status, std::string_view type) {
  const auto* found = condition(status, type);
  return found == nullptr ? "" : text_at(*found, "reason");
}

void set_condition(json::Object& status, std::string_view type, Truth truth, std::string_view reason,
                   std::string_view message, WallTime now) {
  auto& list = conditions_in(status);
  auto found = std::find_if(list.begin(), list.end(), [&](const json::Value& entry) { return has_type(entry, type); });
  if (found == list.end()) {
    json::Object fresh(list.storage());
    fresh.reserve(kMembers);
    fresh["type"] = text(type);
    found = list.insert(type == kReady ? list.begin() : list.end(), std::move(fresh));
  }
  auto& entry = found->is_object() ? found->get_object() : found->emplace_object();
  const bool flips = json::string_at(*found, "status").value_or("") != truth_word(truth);
  entry["status"] = text(truth_word(truth));
  if (flips) entry["lastTransitionTime"] = text(rfc3339(now));
  entry["reason"] = text(reason);
  entry["message"] = text(cut_text(message, kLongestMessage));
  note_last(status);
}

void remove_condition(json::Object& status, std::string_view type) {
  auto& list = conditions_in(status);
  const auto gone =
      std::remove_if(list.begin(), list.end(), [&](const json::Value& entry) { return has_type(entry, type); });
  list.erase(gone, list.end());
  note_last(status);
}

}  // namespace chandler::reconcilers
