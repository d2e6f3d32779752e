// Retry-After: seconds, or a date. A date is measured against the Date of the same answer, so that neither our clock
// nor the broker's has to be right. Pure.
#pragma once

#include <chrono>
#include <optional>
#include <string_view>

#include "base/clock.h"
#include "http/message.h"

namespace chandler::osb {

std::optional<WallTime> parse_http_date(std::string_view text);  // Sun, 06 Nov 1994 08:49:37 GMT
// At most a day; nullopt when absent or not understood.
std::optional<std::chrono::seconds> read_retry_after(const http::Headers& headers);

}  // namespace chandler::osb
