// Walks canonical JSON far enough to find the members of an object, or the items of a list, without reading what is in
// them. The text was written by our own writer, so it is well-formed; the walk stays inside it all the same.
#pragma once

#include <cstddef>
#include <string>
#include <string_view>

namespace chandler::json {

class TextScan {
 public:
  struct Member {
    std::string_view key;    // as written, without quotes
    std::string_view value;  // as written
    size_t begin = 0;        // of the key's quote
    size_t end = 0;          // one past the value
  };

  // `text` begins with the object or list.
  explicit TextScan(std::string_view text) : text_(text) {}

  // False at the end.
  bool next_member(Member& out);
  bool next_item(std::string_view& out);
  // One past the closing bracket, once the end was reached.
  size_t end() const { return at_ < text_.size() ? at_ + 1 : text_.size(); }

 private:
  bool at_end();
  size_t skip_string(size_t i) const;
  size_t skip_value(size_t i) const;

  std::string_view text_;
  size_t at_ = 0;
};

// The value of a member of the object that `text` is, as written; empty when it has no such member.
std::string_view member_text(std::string_view text, std::string_view key);

// The quote that ends a string, looked for from within it; text.size() when there is none.
struct StringEnd {
  size_t quote = 0;
  bool has_escapes = false;
};
StringEnd find_string_end(std::string_view text, size_t from);

// The string that stands between two quotes, as written.
std::string unescaped(std::string_view written);

}  // namespace chandler::json
