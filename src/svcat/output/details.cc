#include "svcat/output/details.h"

#include <algorithm>

#include "base/text.h"
#include "json/yaml.h"

namespace chandler::svcat {

void Details::add(std::string label, std::string_view value, Color color) {
  entries_.push_back({std::move(label), printable(value), color});
}

void Details::add_text(std::string label, std::string_view value) {
  entries_.push_back({std::move(label), printable(value, true), Color::kNone});
}

void Details::flush() {
  size_t width = 0;
  for (const auto& entry : entries_) width = std::max(width, entry.label.size());
  for (const auto& entry : entries_) {
    out_ << "  " << entry.label << ':' << std::string(width - entry.label.size() + 2, ' ')
         << style_.paint(entry.value, entry.color) << '\n';
  }
  entries_.clear();
}

void Details::section(std::string_view title) {
  flush();
  out_ << '\n' << title << ":\n";
}

void Details::line(std::string_view text) { out_ << "  " << printable(text) << '\n'; }

void Details::yaml(const json::Value& value) {
  const auto text = json::write_yaml(value);
  for (const auto piece : split(text, '\n')) {
    if (!piece.empty()) out_ << "  " << piece << '\n';
  }
}

void Details::yaml_section(std::string_view title, const json::Value* value) {
  if (value == nullptr || value->is_null() || (value->is_object() && value->get_object().empty())) return;
  section(title);
  yaml(*value);
}

}  // namespace chandler::svcat
