#include "reconcilers/catalog/retry.h"

#include <algorithm>
#include <cstdint>

#include "base/time_text.h"
#include "reconcilers/catalog/document.h"

namespace chandler::reconcilers {
namespace {

constexpr size_t kLongestError = 4096;

// FNV-1a; the same on every machine and in every run.
uint64_t mix(std::string_view text, uint64_t seed) {
  uint64_t hash = 14695981039346656037ULL ^ seed;
  for (const char c : text) hash = (hash ^ static_cast<unsigned char>(c)) * 1099511628211ULL;
  return hash ^ (hash >> 32);
}

}  // namespace

std::chrono::milliseconds delay_after(const Backoff& backoff, int64_t attempts, std::string_view uid) {
  const int doublings = static_cast<int>(std::clamp<int64_t>(attempts - 1, 0, 30));
  const int64_t whole = std::min<int64_t>(backoff.last.count(), backoff.first.count() << doublings);
  const int64_t spread = whole / 4;
  const int64_t jitter =
      spread == 0 ? 0 : static_cast<int64_t>(mix(uid, static_cast<uint64_t>(attempts)) % static_cast<uint64_t>(spread));
  return std::chrono::milliseconds(whole - jitter);
}

int64_t attempts_of(const json::Value& status) { return number_at(member(status, "retry"), "attempts"); }

WallTime next_attempt_of(const json::Value& status) {
  return time_at(member(status, "retry"), "nextAttemptTime").value_or(WallTime{});
}

WallTime quiet_until_of(const json::Value& status) {
  return time_at(member(status, "retry"), "quietUntil").value_or(WallTime{});
}

void note_attempt(json::Object& status, const Backoff& backoff, std::string_view uid, std::string_view error,
                  WallTime now, std::chrono::milliseconds at_least) {
  auto& retry = object_in(status, "retry");
  const auto* before = retry.if_contains("attempts");
  const int64_t attempts = (before != nullptr && before->is_int64() ? before->get_int64() : 0) + 1;
  retry["attempts"] = attempts;
  retry["nextAttemptTime"] = text(rfc3339_micro(now + std::max(at_least, delay_after(backoff, attempts, uid))));
  if (error.empty()) {
    retry.erase("lastError");
  } else {
    retry["lastError"] = text(cut_text(error, kLongestError));
  }
}

void clear_retry(json::Object& status) { status.erase("retry"); }

}  // namespace chandler::reconcilers
