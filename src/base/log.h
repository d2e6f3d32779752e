// Structured logs: a constant message and key-value pairs, so that messages can be counted and searched.
//   log::info("ready", {{"address", address}, {"objects", count}});
// Values are text or numbers; nothing secret is ever passed. Lines go to standard error, written by a thread of their
// own: a caller never waits for I/O. When that thread falls far behind, the oldest lines are dropped and a line says
// how many. Thread-safe.
#pragma once

#include <cstdint>
#include <initializer_list>
#include <string>
#include <string_view>
#include <type_traits>
#include <variant>

#include "base/clock.h"

namespace chandler::log {

enum class Level { kDebug, kInfo, kWarn, kError };
enum class Format { kText, kJson };

// Refers to its texts and is rendered only if the line is wanted; so it lives no longer than the call it is passed to.
struct Field {
  Field(std::string_view key_in, std::string_view value_in) : key(key_in), value(value_in) {}
  Field(std::string_view key_in, const char* value_in) : Field(key_in, std::string_view(value_in)) {}
  Field(std::string_view key_in, const std::string& value_in) : Field(key_in, std::string_view(value_in)) {}
  Field(std::string_view key_in, bool value_in) : key(key_in), value(value_in) {}
  Field(std::string_view key_in, double value_in) : key(key_in), value(value_in) {}
  template <typename T>
    requires std::is_integral_v<T>
  Field(std::string_view key_in, T value_in) : key(key_in) {
    if constexpr (std::is_signed_v<T>) {
      value = int64_t{value_in};
    } else {
      value = uint64_t{value_in};
    }
  }

  std::string_view key;
  std::variant<std::string_view, int64_t, uint64_t, double, bool> value;
};
using Fields = std::initializer_list<Field>;

void configure(Level level, Format format);  // once, at start; default: info, text
bool enabled(Level level);
void debug(std::string_view message, Fields fields = {});
void info(std::string_view message, Fields fields = {});
void warn(std::string_view message, Fields fields = {});
void error(std::string_view message, Fields fields = {});
void flush();  // returns when all that was logged before is written, or could not be within two seconds

// One line without its end, as it is logged:
//   2026-11-15T05:43:00.123Z INFO  ready address=127.0.0.1:6443 objects=3
//   {"ts":"2026-11-15T05:43:00.123Z","level":"info","msg":"ready","address":"127.0.0.1:6443","objects":3}
std::string render(Format format, WallTime time, Level level, std::string_view message, Fields fields);

}  // namespace chandler::log
