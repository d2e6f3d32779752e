#include "svcat/output/style.h"

#include <fmt/format.h>

#include "base/visible_text.h"

namespace chandler::svcat {

Style::Style(bool is_terminal, const std::function<std::optional<std::string>(const char* name)>& variable) {
  if (!is_terminal || !variable("NO_COLOR").value_or("").empty()) return;
  const auto term = variable("TERM").value_or("");
  coloured_ = !term.empty() && term != "dumb";
}

std::string Style::paint(std::string_view text, Color color) const {
  if (!coloured_ || color == Color::kNone || text.empty()) return std::string(text);
  const int code = color == Color::kGreen ? 32 : color == Color::kYellow ? 33 : color == Color::kRed ? 31 : 1;
  return fmt::format("\033[{}m{}\033[0m", code, text);
}

std::string printable(std::string_view text, bool keep_lines) {
  return visible_text(text, keep_lines ? Lines::kKeep : Lines::kJoin);
}

Color color_of_status(std::string_view word) {
  if (word.empty()) return Color::kNone;
  if (word == "Ready" || word == "Active") return Color::kGreen;
  for (const std::string_view bad :
       {"Fail", "Error", "Nonexistent", "Deleted", "Ambiguous", "Blocked", "Invalid", "Timeout"}) {
    if (word.find(bad) != std::string_view::npos) return Color::kRed;
  }
  return Color::kYellow;
}

}  // namespace chandler::svcat
