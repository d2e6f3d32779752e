#include "reconcilers/claim/redaction.h"

#include <algorithm>
#include <vector>

#include "base/text.h"
#include "json/reader.h"

namespace chandler::reconcilers::claims {
namespace {

constexpr std::string_view kMark = "value: ";       // "Invalid value: ", "Unsupported value: ", "Duplicate value: "
constexpr std::string_view kNoValue = "Required ";  // what follows is an explanation
constexpr std::string_view kHidden = "(not shown)";
constexpr size_t kTelling = 4;  // shorter ones are in every sentence; where they are quoted, kMark finds them

// Where the value at the beginning of the text ends: at a colon, a comma or a bracket of the message around it. Colons
// and commas in quotes and brackets are the value's own.
size_t length_of_value(std::string_view text) {
  size_t open = 0;
  bool in_quotes = false;
  for (size_t i = 0; i < text.size(); ++i) {
    const char c = text[i];
    if (in_quotes) {
      if (c == '\\') ++i;
      if (c == '"') in_quotes = false;
    } else if (c == '"') {
      in_quotes = true;
    } else if (c == '{' || c == '[' || c == '(') {
      ++open;
    } else if (c == '}' || c == ']' || c == ')') {
      if (open == 0) return i;
      --open;
    } else if (open == 0 && (c == ':' || c == ',') && (i + 1 == text.size() || text[i + 1] == ' ')) {
      return i;
    }
  }
  return text.size();  // cut off, perhaps: then nothing of the rest is known to be harmless
}

std::string hide_quoted(std::string_view message) {
  std::string out;
  for (;;) {
    const size_t at = message.find(kMark);
    if (at == std::string_view::npos) return out.append(message);
    const size_t begin = at + kMark.size();
    const bool has_value = !message.substr(0, at).ends_with(kNoValue);
    out.append(message.substr(0, begin));
    message.remove_prefix(begin);
    if (!has_value) continue;
    out.append(kHidden);
    message.remove_prefix(length_of_value(message));
  }
}

void collect(const json::Value& value, std::vector<std::string>& out) {
  if (const auto* object = value.if_object()) {
    for (const auto& entry : *object) collect(entry.value(), out);
  } else if (const auto* array = value.if_array()) {
    for (const auto& entry : *array) collect(entry, out);
  } else if (const auto* text = value.if_string()) {
    const auto view = json::view(*text);
    if (view.size() < kTelling) return;
    out.emplace_back(view);
    const auto escaped = quoted(view);
    out.push_back(escaped.substr(1, escaped.size() - 2));
    // A parameter may be an object or a list, written as JSON.
    if (view.front() != '{' && view.front() != '[') return;
    if (const auto parsed = json::parse(view); parsed.ok()) collect(*parsed, out);
  }
}

}  // namespace

std::string without_values(std::string_view message, const json::Value& parameters) {
  auto out = hide_quoted(message);
  std::vector<std::string> values;
  collect(parameters, values);
  // Long ones first: one may be part of another.
  std::sort(values.begin(), values.end(), [](const auto& a, const auto& b) { return a.size() > b.size(); });
  for (const auto& value : values) {
    for (size_t at = 0; (at = out.find(value, at)) != std::string::npos; at += kHidden.size()) {
      out.replace(at, value.size(), kHidden);
    }
  }
  return out;
}

}  // namespace chandler::reconcilers::claims
