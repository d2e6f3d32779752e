// Times and durations as Kubernetes and Go write them. Pure.
#pragma once

#include <chrono>
#include <optional>
#include <string>
#include <string_view>

#include "base/clock.h"

namespace chandler {

std::string rfc3339(WallTime time);                            // 2026-11-15T05:43:00Z, whole seconds
std::string rfc3339_micro(WallTime time);                      // 2026-11-15T05:43:00.000123Z, six digits
std::optional<WallTime> parse_rfc3339(std::string_view text);  // any offset, 0-9 fraction digits

std::string short_age(
    std::chrono::seconds age);  // as kubectl prints ages: 58s, 3m12s, 5h3m, 3d4h, 2y31d; "<invalid>" when < -1 s
std::string go_duration(std::chrono::nanoseconds duration);  // 1h2m3.5s, 15m0s, 300ms, 0s
std::optional<std::chrono::nanoseconds> parse_go_duration(
    std::string_view text);  // 1h15m30.918273645s, -1.5h, 300ms, 0

}  // namespace chandler
