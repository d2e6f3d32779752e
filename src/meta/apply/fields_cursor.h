// Steps through FieldsV1 in canonical form, token by token, so that a text is read once however deeply it is nested.
#pragma once

#include <algorithm>
#include <string>
#include <string_view>

#include "json/text_scan.h"

namespace chandler::meta {

class FieldsCursor {
 public:
  static constexpr std::string_view kMember = R"(".":{})";  // "." is before all elements

  struct Key {
    size_t begin = 0;          // in the text
    std::string_view element;  // until the next one is taken
  };

  explicit FieldsCursor(std::string_view text) : text_(text) {}

  bool take(char c) {
    if (at_ >= text_.size() || text_[at_] != c) return false;
    ++at_;
    return true;
  }
  bool take(std::string_view what) {
    if (!text_.substr(at_).starts_with(what)) return false;
    at_ += what.size();
    return true;
  }
  // An element and the colon behind it.
  bool take_key(Key& out) {
    out.begin = at_;
    if (!take('"')) return false;
    const auto end = json::find_string_end(text_, at_);
    out.element = text_.substr(at_, end.quote - at_);
    if (end.has_escapes) out.element = unescaped_ = json::unescaped(out.element);
    at_ = std::min(end.quote + 1, text_.size());
    return out.element.size() >= 2 && out.element[1] == ':' && take(':');
  }
  // The text from there up to here.
  std::string_view since(size_t begin) const { return text_.substr(begin, at_ - begin); }

 private:
  std::string_view text_;
  size_t at_ = 0;
  std::string unescaped_;  // the element that is looked at
};

}  // namespace chandler::meta
