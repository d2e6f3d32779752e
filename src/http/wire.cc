#include "http/wire.h"

#include <fmt/format.h>

#include <array>
#include <charconv>
#include <cstring>

#include "base/text.h"

namespace chandler::http {

namespace {

// Room for the size line of a chunk: eight hexadecimal digits and a line break.
constexpr size_t kSizeLine = 10;

void append_value(std::string& out, std::string_view value) {
  const size_t start = out.size();
  out += value;
  for (size_t i = start; i < out.size(); ++i) {
    if (out[i] == '\r' || out[i] == '\n' || out[i] == '\0') out[i] = ' ';
  }
}

void append_number(std::string& out, uint64_t number) {
  std::array<char, 20> digits;
  const auto end = std::to_chars(digits.data(), digits.data() + digits.size(), number);
  out.append(digits.data(), end.ptr);
}

}  // namespace

bool is_connection_field(std::string_view name) {
  // The lengths come first: nearly all fields are told apart by them.
  switch (name.size()) {
    case 4:
      return equals_ignore_case(name, "Date");
    case 10:
      return equals_ignore_case(name, "Connection");
    case 14:
      return equals_ignore_case(name, "Content-Length");
    case 17:
      return equals_ignore_case(name, "Transfer-Encoding");
    default:
      return false;
  }
}

Method method_named(std::string_view name) {
  for (const Method method :
       {Method::kGet, Method::kHead, Method::kPost, Method::kPut, Method::kPatch, Method::kDelete, Method::kOptions}) {
    if (name == method_name(method)) return method;
  }
  return Method::kOther;
}

std::string_view reason_phrase(int status) {
  switch (status) {
    case 100:
      return "Continue";
    case 101:
      return "Switching Protocols";
    case 200:
      return "OK";
    case 201:
      return "Created";
    case 202:
      return "Accepted";
    case 204:
      return "No Content";
    case 301:
      return "Moved Permanently";
    case 302:
      return "Found";
    case 304:
      return "Not Modified";
    case 307:
      return "Temporary Redirect";
    case 308:
      return "Permanent Redirect";
    case 400:
      return "Bad Request";
    case 401:
      return "Unauthorized";
    case 403:
      return "Forbidden";
    case 404:
      return "Not Found";
    case 405:
      return "Method Not Allowed";
    case 406:
      return "Not Acceptable";
    case 408:
      return "Request Timeout";
    case 409:
      return "Conflict";
    case 410:
      return "Gone";
    case 412:
      return "Precondition Failed";
    case 413:
      return "Request Entity Too Large";
    case 415:
      return "Unsupported Media Type";
    case 422:
      return "Unprocessable Entity";
    case 429:
      return "Too Many Requests";
    case 431:
      return "Request Header Fields Too Large";
    case 500:
      return "Internal Server Error";
    case 501:
      return "Not Implemented";
    case 502:
      return "Bad Gateway";
    case 503:
      return "Service Unavailable";
    case 504:
      return "Gateway Timeout";
    default:
      return "";
  }
}

std::string http_date(std::time_t seconds) {
  static constexpr std::array<const char*, 7> kDays = {"Sun", "Mon", "Tue", "Wed", "Thu", "Fri", "Sat"};
  static constexpr std::array<const char*, 12> kMonths = {"Jan", "Feb", "Mar", "Apr", "May", "Jun",
                                                          "Jul", "Aug", "Sep", "Oct", "Nov", "Dec"};
  std::tm t{};
  gmtime_r(&seconds, &t);
  return fmt::format("{}, {:02} {} {:04} {:02}:{:02}:{:02} GMT", kDays[static_cast<size_t>(t.tm_wday)], t.tm_mday,
                     kMonths[static_cast<size_t>(t.tm_mon)], t.tm_year + 1900, t.tm_hour, t.tm_min, t.tm_sec);
}

bool allows_body(int status) { return status >= 200 && status != 204 && status != 304; }

void append_head(std::string& out, int status, const Headers& headers, const HeadInfo& info) {
  out += "HTTP/1.1 ";
  append_number(out, static_cast<uint64_t>(status));
  out += ' ';
  out += reason_phrase(status);
  out += "\r\nDate: ";
  out += info.date;
  out += "\r\n";
  for (const auto& [name, value] : headers.fields()) {
    if (is_connection_field(name)) continue;
    append_value(out, name);
    out += ": ";
    append_value(out, value);
    out += "\r\n";
  }
  switch (info.framing) {
    case Framing::kLength:
      out += "Content-Length: ";
      append_number(out, info.length);
      out += "\r\n";
      break;
    case Framing::kChunked:
      out += "Transfer-Encoding: chunked\r\n";
      break;
    case Framing::kNone:
    case Framing::kUntilClose:
      break;
  }
  if (info.close) out += "Connection: close\r\n";
  out += "\r\n";
}

size_t open_chunk(std::string& out) {
  out.append(kSizeLine, '0');
  return out.size();
}

size_t close_chunk(std::string& out, size_t begin, size_t payload) {
  const size_t room = payload - kSizeLine;
  const size_t size = out.size() - payload;
  if (size == 0) {
    out.resize(room);
    return begin;
  }
  std::array<char, 16> digits;
  const auto end = std::to_chars(digits.data(), digits.data() + digits.size(), size, 16);
  const size_t count = static_cast<size_t>(end.ptr - digits.data());
  const size_t line = payload - count - 2;
  std::memcpy(out.data() + line, digits.data(), count);
  std::memcpy(out.data() + line + count, "\r\n", 2);
  const size_t shift = line - room;
  std::memmove(out.data() + begin + shift, out.data() + begin, room - begin);
  out += "\r\n";
  return begin + shift;
}

}  // namespace chandler::http
