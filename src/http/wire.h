// What goes over the wire, above all in HTTP/1.1, as text: response heads, dates, chunk framing. Pure functions on
// strings.
#pragma once

#include <cstdint>
#include <ctime>
#include <string>
#include <string_view>

#include "http/message.h"

namespace chandler::http {

std::string_view reason_phrase(int status);  // "Not Found"; "" for a status that we do not know
std::string http_date(std::time_t seconds);  // "Sun, 06 Nov 1994 08:49:37 GMT"
bool allows_body(int status);                // not for 1xx, 204 and 304

Method method_named(std::string_view name);  // "GET"
// Connection, Content-Length, Date, Transfer-Encoding: whoever sends an answer decides on these.
bool is_connection_field(std::string_view name);

// How the reader finds the end of the body.
enum class Framing {
  kNone,        // there is none, and none is announced
  kLength,      // Content-Length
  kChunked,     // Transfer-Encoding: chunked
  kUntilClose,  // for HTTP/1.0, which knows no chunks
};

struct HeadInfo {
  Framing framing = Framing::kLength;
  uint64_t length = 0;    // with kLength
  bool close = false;     // announce that the connection ends after this answer
  std::string_view date;  // the current http_date()
};

// Appends status line and header fields. Fields that belong to the connection (Connection, Content-Length, Date,
// Transfer-Encoding) come from `info` and are left out when `headers` has them; a line break inside a value becomes a
// space.
void append_head(std::string& out, int status, const Headers& headers, const HeadInfo& info);

// Writes one chunk in place, so that its payload is never moved: open_chunk() leaves room for the size line, the caller
// appends the payload, close_chunk() writes the size line right before it and shifts the few bytes in front (`begin` to
// the room) to meet it. Both work on the unsent part of `out`, which starts at `begin`; close_chunk() returns where it
// starts now. An empty payload leaves no chunk, since an empty chunk would end the body.
size_t open_chunk(std::string& out);
size_t close_chunk(std::string& out, size_t begin, size_t payload);

inline constexpr std::string_view kLastChunk = "0\r\n\r\n";
inline constexpr std::string_view kContinue = "HTTP/1.1 100 Continue\r\n\r\n";

}  // namespace chandler::http
