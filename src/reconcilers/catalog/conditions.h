// Conditions as the scripts of users know them: Ready stands first, others are appended; lastTransitionTime moves only
// when the status flips; the last condition in a word is kept for tables.
#pragma once

#include <string>
#include <string_view>

#include "base/clock.h"
#include "json/value.h"

namespace chandler::reconcilers {

inline constexpr std::string_view kReady = "Ready";
inline constexpr std::string_view kFailed = "Failed";
inline constexpr std::string_view kOrphanMitigation = "OrphanMitigation";

enum class Truth { kTrue, kFalse, kUnknown };

const json::Value* condition(const json::Value& status, std::string_view type);  // null: absent
bool condition_true(const json::Value& status, std::string_view type);
std::string condition_reason(const json::Value& status, std::string_view type);

// Both also renew lastConditionState.
void set_condition(json::Object& status, std::string_view type, Truth truth, std::string_view reason,
                   std::string_view message, WallTime now);
void remove_condition(json::Object& status, std::string_view type);

}  // namespace chandler::reconcilers
