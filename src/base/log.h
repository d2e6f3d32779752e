// Structured logs: a constant message and key-value pairs, so that messages can be counted and searched.
//   log::info("ready", {{"address", address}, {"objects", count}});
// Values are text or numbers; nothing secret is ever passed. Thread-safe, asynchronous to the caller's I/O.
#pragma once

#include <initializer_list>
#include <string>
#include <string_view>

namespace chandler::log {

enum class Level { kDebug, kInfo, kWarn, kError };
enum class Format { kText, kJson };

struct Field {
  Field(std::string_view key_in, std::string_view value_in) : key(key_in), value(value_in), is_text(true) {}
  Field(std::string_view key_in, const char* value_in) : Field(key_in, std::string_view(value_in)) {}
  Field(std::string_view key_in, const std::string& value_in) : Field(key_in, std::string_view(value_in)) {}
  Field(std::string_view key_in, bool value_in) : key(key_in), value(value_in ? "true" : "false") {}
  Field(std::string_view key_in, double value_in);
  template <typename T>
    requires std::is_integral_v<T>
  Field(std::string_view key_in, T value_in) : key(key_in), value(std::to_string(value_in)) {}

  std::string key;
  std::string value;
  bool is_text = false;
};
using Fields = std::initializer_list<Field>;

void configure(Level level, Format format);  // once, at start; default: info, text, to standard error
bool enabled(Level level);
void debug(std::string_view message, Fields fields = {});
void info(std::string_view message, Fields fields = {});
void warn(std::string_view message, Fields fields = {});
void error(std::string_view message, Fields fields = {});
void flush();

}  // namespace chandler::log
