// What `describe` prints: labels and values in two columns, then sections. Belongs to one thread.
#pragma once

#include <ostream>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "json/value.h"
#include "svcat/output/style.h"

namespace chandler::svcat {

class Details {
 public:
  explicit Details(std::ostream& out, Style style = {}) : out_(out), style_(style) {}

  void add(std::string label, std::string_view value, Color color = Color::kNone);
  // Line ends in the value stay, for what is to be copied.
  void add_text(std::string label, std::string_view value);
  // Left out when the value is empty.
  void add_if(std::string label, std::string_view value) {
    if (!value.empty()) add(std::move(label), value);
  }
  void flush();

  void section(std::string_view title);                                 // flushes first
  void line(std::string_view text);                                     // indented
  void yaml(const json::Value& value);                                  // indented
  void yaml_section(std::string_view title, const json::Value* value);  // nothing when null or empty
  std::ostream& out() { return out_; }

 private:
  struct Entry {
    std::string label, value;
    Color color;
  };
  std::ostream& out_;
  const Style style_;
  std::vector<Entry> entries_;
};

}  // namespace chandler::svcat
