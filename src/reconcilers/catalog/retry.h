// Durable back-off: how often a step was tried, when it is tried next and what went wrong stand in status.retry, so
// users see them and a restart changes nothing. Delays double, with a jitter that depends only on object and attempt.
#pragma once

#include <chrono>
#include <string_view>

#include "base/clock.h"
#include "json/value.h"

namespace chandler::reconcilers {

struct Backoff {
  std::chrono::milliseconds first{1'000};
  std::chrono::milliseconds last{60'000};
};

// The delay before attempt `attempts` + 1, between 75 % and 100 % of the doubled value.
std::chrono::milliseconds delay_after(const Backoff& backoff, int64_t attempts, std::string_view uid);

int64_t attempts_of(const json::Value& status);
// When the next attempt may be made; a time in the past when nothing is to be waited for.
WallTime next_attempt_of(const json::Value& status);
// Until then a deletion that got no answer may still arrive, so nothing new is asked for.
WallTime quiet_until_of(const json::Value& status);

// Counts an attempt and says when the next may be made: after the back-off, but not before `at_least` from now.
void note_attempt(json::Object& status, const Backoff& backoff, std::string_view uid, std::string_view error,
                  WallTime now, std::chrono::milliseconds at_least = std::chrono::milliseconds(0));
void clear_retry(json::Object& status);

}  // namespace chandler::reconcilers
