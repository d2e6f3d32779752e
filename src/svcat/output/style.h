// Colours, only on a terminal, never with NO_COLOR set. Pure but for the variable it asks for once.
#pragma once

#include <functional>
#include <optional>
#include <string>
#include <string_view>

namespace chandler::svcat {

enum class Color { kNone, kGreen, kYellow, kRed, kBold };

class Style {
 public:
  Style() = default;  // plain
  Style(bool is_terminal, const std::function<std::optional<std::string>(const char* name)>& variable);

  bool is_coloured() const { return coloured_; }
  std::string paint(std::string_view text, Color color) const;

 private:
  bool coloured_ = false;
};

// As visible_text(): the server cleans what brokers say, but objects also hold what others wrote, or an older server.
// Line ends and tabs stay when `keep_lines`.
std::string printable(std::string_view text, bool keep_lines = false);

// Of a word such as Ready or ErrorCallingProvision.
Color color_of_status(std::string_view word);

}  // namespace chandler::svcat
