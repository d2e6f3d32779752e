// render() of log.h: how a line looks.
#include <array>
#include <cmath>
#include <iterator>

#include <fmt/format.h>

#include "base/log.h"
#include "base/text.h"
#include "base/time_text.h"
#include "base/visible_text.h"

namespace chandler::log {
namespace {

constexpr std::array<std::string_view, 4> kTextLevels = {"DEBUG", "INFO ", "WARN ", "ERROR"};
constexpr std::array<std::string_view, 4> kJsonLevels = {"debug", "info", "warn", "error"};

// Milliseconds: what a reader of logs needs, and what both forms show.
void append_time(std::string& out, WallTime time) {
  std::string text = rfc3339_micro(time);
  text.erase(text.size() - 4, 3);
  out += text;
}

bool needs_quotes(std::string_view text) {
  return text.empty() || text.find_first_of(" \"=\\") != std::string_view::npos || !is_visible(text);
}

// Only texts look different in the two forms.
struct ValueWriter {
  std::string& out;
  Format format;

  void operator()(std::string_view text) const {
    if (format == Format::kJson || needs_quotes(text)) {
      append_quoted(out, text);
    } else {
      out += text;
    }
  }
  void operator()(bool value) const { out += value ? "true" : "false"; }
  void operator()(double value) const {
    if (format == Format::kJson && !std::isfinite(value)) {
      out += "null";  // JSON has no word for it
    } else {
      fmt::format_to(std::back_inserter(out), "{}", value);
    }
  }
  template <typename Integer>
  void operator()(Integer value) const {
    fmt::format_to(std::back_inserter(out), "{}", value);
  }
};

}  // namespace

std::string render(Format format, WallTime time, Level level, std::string_view message, Fields fields) {
  std::string line;
  line.reserve(128 + 32 * fields.size());
  if (format == Format::kText) {
    append_time(line, time);
    line += ' ';
    line += kTextLevels[static_cast<size_t>(level)];
    line += ' ';
    line += message;
    for (const auto& field : fields) {
      line += ' ';
      line += field.key;
      line += '=';
      std::visit(ValueWriter{line, format}, field.value);
    }
    return line;
  }
  line += R"({"ts":")";
  append_time(line, time);
  line += R"(","level":")";
  line += kJsonLevels[static_cast<size_t>(level)];
  line += R"(","msg":)";
  append_quoted(line, message);
  for (const auto& field : fields) {
    line += ',';
    append_quoted(line, field.key);
    line += ':';
    std::visit(ValueWriter{line, format}, field.value);
  }
  line += '}';
  return line;
}

}  // namespace chandler::log
