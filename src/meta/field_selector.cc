#include <algorithm>
#include <utility>

#include <fmt/format.h>

#include "base/text.h"
#include "meta/selector.h"

namespace chandler::meta {
namespace {

// Pieces between commas that no backslash precedes.
std::vector<std::string_view> split_terms(std::string_view text) {
  std::vector<std::string_view> terms;
  size_t start = 0;
  for (size_t i = 0; i < text.size(); ++i) {
    if (text[i] == '\\') {
      ++i;
    } else if (text[i] == ',') {
      terms.push_back(text.substr(start, i - start));
      start = i + 1;
    }
  }
  terms.push_back(text.substr(start));
  return terms;
}

Result<std::string> unescape(std::string_view text) {
  std::string value;
  for (size_t i = 0; i < text.size(); ++i) {
    char c = text[i];
    if (c == ',' || c == '=') return bad_request(fmt::format("invalid field selector: '{}' needs a backslash", c));
    if (c == '\\') {
      if (++i == text.size()) return bad_request("invalid field selector: a backslash at the end escapes nothing");
      c = text[i];
      if (c != '\\' && c != ',' && c != '=') {
        return bad_request(
            fmt::format("invalid field selector: invalid escape sequence {}", quoted(text.substr(i - 1, 2))));
      }
    }
    value.push_back(c);
  }
  return value;
}

std::string escape(std::string_view text) {
  std::string escaped;
  for (char c : text) {
    if (c == '\\' || c == ',' || c == '=') escaped.push_back('\\');
    escaped.push_back(c);
  }
  return escaped;
}

}  // namespace

FieldSelector FieldSelector::equal(std::string field, std::string value) {
  FieldSelector selector;
  selector.terms_.push_back({std::move(field), true, std::move(value)});
  return selector;
}

Result<FieldSelector> FieldSelector::parse(std::string_view text) {
  FieldSelector selector;
  for (std::string_view term : split_terms(text)) {
    if (term.empty()) continue;
    size_t at = 0;
    while (at < term.size() && term[at] != '=' && term.substr(at, 2) != "!=") at += term[at] == '\\' ? 2 : 1;
    if (at >= term.size()) {
      return bad_request(fmt::format("invalid selector: {}; can't understand {}", quoted(text), quoted(term)));
    }
    const size_t length = term.substr(at, 2) == "!=" || term.substr(at, 2) == "==" ? 2 : 1;
    CH_TRY_LET(value, unescape(term.substr(at + length)));
    selector.terms_.push_back({std::string(term.substr(0, at)), term[at] == '=', std::move(value)});
  }
  return selector;
}

std::optional<std::string_view> FieldSelector::required_value(std::string_view field) const {
  for (const auto& term : terms_) {
    if (term.equals && term.field == field) return term.value;
  }
  return std::nullopt;
}

std::string FieldSelector::str() const {
  std::vector<std::string> terms;
  terms.reserve(terms_.size());
  for (const auto& term : terms_) terms.push_back(term.field + (term.equals ? "=" : "!=") + escape(term.value));
  return join(terms, ",");
}

}  // namespace chandler::meta
