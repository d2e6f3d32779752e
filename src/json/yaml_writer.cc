#include <fmt/format.h>

#include "json/sorted_members.h"
#include "json/writer.h"
#include "json/yaml.h"
#include "json/yaml_scalar.h"

namespace chandler::json {
namespace {

constexpr size_t kIndent = 2;
constexpr size_t kLongestSimpleKey = 128;  // longer ones need the form "? key"

// The first code point of non-empty text, and how many bytes it takes. Malformed bytes stand for themselves.
struct CodePoint {
  uint32_t value;
  size_t length;
};

CodePoint first_code_point(std::string_view text) {
  const auto byte = [&](size_t i) { return static_cast<unsigned char>(text[i]); };
  const unsigned char lead = byte(0);
  const size_t length = lead < 0x80 ? 1 : lead < 0xE0 ? 2 : lead < 0xF0 ? 3 : 4;
  if (length == 1 || text.size() < length) return {lead, 1};
  uint32_t value = lead & (0xFFU >> (length + 1));
  for (size_t i = 1; i < length; ++i) value = (value << 6) | (byte(i) & 0x3FU);
  return {value, length};
}

// What YAML lets stand as it is, less what looks like a line end or a blank.
bool is_printable(uint32_t c) {
  return (c >= 0x20 && c <= 0x7E) || (c > 0xA0 && c <= 0xD7FF && c != 0x2028 && c != 0x2029) ||
         (c >= 0xE000 && c <= 0xFFFD && c != 0xFEFF) || (c >= 0x10000 && c <= 0x10FFFF);
}

bool has_special_characters(std::string_view text) {
  while (!text.empty()) {
    const CodePoint c = first_code_point(text);
    if (c.value != '\n' && !is_printable(c.value)) return true;
    text.remove_prefix(c.length);
  }
  return false;
}

void write_double_quoted(std::string& out, std::string_view text) {
  out += '"';
  while (!text.empty()) {
    const CodePoint c = first_code_point(text);
    if (c.value == '"' || c.value == '\\') {
      out += '\\';
      out += static_cast<char>(c.value);
    } else if (is_printable(c.value)) {
      out.append(text, 0, c.length);
    } else if (c.value == '\n') {
      out += "\\n";
    } else if (c.value == '\t') {
      out += "\\t";
    } else if (c.value == '\r') {
      out += "\\r";
    } else if (c.value < 0x100) {
      out += fmt::format("\\x{:02X}", c.value);
    } else if (c.value < 0x10000) {
      out += fmt::format("\\u{:04X}", c.value);
    } else {
      out += fmt::format("\\U{:08X}", c.value);
    }
    text.remove_prefix(c.length);
  }
  out += '"';
}

void write_single_quoted(std::string& out, std::string_view text) {
  out += '\'';
  for (const char c : text) {
    out += c;
    if (c == '\'') out += c;
  }
  out += '\'';
}

// Whether the syntax lets the text stand without quotes. Its first character must not announce something else, and
// nothing inside may look like a key's end or a comment.
bool can_be_plain(std::string_view text) {
  if (text.empty() || text.front() == ' ' || text.back() == ' ') return false;
  if (text == "<<") return false;  // as a key it would take over the members of its value
  if (text.starts_with("---") || text.starts_with("...")) return false;
  constexpr std::string_view kIndicators = "#,[]{}&*!|>'\"%@`";
  if (kIndicators.find(text.front()) != kIndicators.npos) return false;
  if ((text.front() == '-' || text.front() == '?' || text.front() == ':') && (text.size() == 1 || text[1] == ' ')) {
    return false;
  }
  return text.find(": ") == text.npos && text.back() != ':' && text.find(" #") == text.npos;
}

// Text on one line.
void write_flow_string(std::string& out, std::string_view text) {
  if (has_special_characters(text) || text.find('\n') != text.npos || needs_yaml_quotes(text)) {
    write_double_quoted(out, text);
  } else if (can_be_plain(text)) {
    out += text;
  } else {
    write_single_quoted(out, text);
  }
}

bool can_be_literal(std::string_view text) {
  return text.find('\n') != text.npos && text.back() != ' ' && text.find(" \n") == text.npos &&
         !has_special_characters(text);
}

// The form with |, where line ends are line ends. `indent` is that of the text.
void write_literal(std::string& out, std::string_view text, size_t indent) {
  out += '|';
  // Without a number the first line's blanks would count as indentation.
  if (text.front() == ' ' || text.front() == '\n') out += std::to_string(kIndent);
  if (text.back() != '\n') {
    out += '-';
  } else if (text == "\n" || text.ends_with("\n\n")) {
    out += '+';
  }
  if (text.back() == '\n') text.remove_suffix(1);
  for (;;) {
    const size_t end = text.find('\n');
    const std::string_view line = text.substr(0, end);
    out += '\n';
    if (!line.empty()) out.append(indent, ' ').append(line);
    if (end == text.npos) return;
    text.remove_prefix(end + 1);
  }
}

void write_block(std::string& out, const Value& value, size_t indent);

bool is_block(const Value& value) {
  return (value.is_object() && !value.get_object().empty()) || (value.is_array() && !value.get_array().empty());
}

// A scalar or an empty collection, and the end of its line. `indent` is that of what it stands in.
void write_leaf(std::string& out, const Value& value, size_t indent) {
  if (const String* text = value.if_string()) {
    if (can_be_literal(view(*text))) {
      write_literal(out, view(*text), indent + kIndent);
    } else {
      write_flow_string(out, view(*text));
    }
  } else {
    write_to(out, value);
  }
  out += '\n';
}

void write_member(std::string& out, const Member& member, size_t indent) {
  std::string key;
  write_flow_string(key, key_of(member));
  if (key.size() > kLongestSimpleKey) {
    out.append("? ").append(key).append(1, '\n').append(indent, ' ').append(1, ':');
  } else {
    out.append(key).append(1, ':');
  }
  if (!is_block(member.value())) {
    out += ' ';
    write_leaf(out, member.value(), indent);
    return;
  }
  const size_t inner = member.value().is_array() ? indent : indent + kIndent;  // lists stand under their key
  out.append(1, '\n').append(inner, ' ');
  write_block(out, member.value(), inner);
}

// The cursor stands at column `indent` already, so that a list's first member can follow its dash.
void write_block(std::string& out, const Value& value, size_t indent) {
  bool first = true;
  const auto next_line = [&] {
    if (!first) out.append(indent, ' ');
    first = false;
  };
  if (const Object* object = value.if_object()) {
    for_each_sorted(*object, [&](const Member& member) {
      next_line();
      write_member(out, member, indent);
    });
    return;
  }
  for (const Value& element : value.get_array()) {
    next_line();
    out += "- ";
    if (is_block(element)) {
      write_block(out, element, indent + kIndent);
    } else {
      write_leaf(out, element, indent);
    }
  }
}

}  // namespace

std::string write_yaml(const Value& value) {
  std::string out;
  if (is_block(value)) {
    write_block(out, value, 0);
  } else {
    write_leaf(out, value, 0);
  }
  return out;
}

}  // namespace chandler::json
