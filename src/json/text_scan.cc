#include "json/text_scan.h"

#include <algorithm>
#include <bit>
#include <cstdint>

#if defined(__SSE2__)
#include <emmintrin.h>
#endif

#include "json/reader.h"

namespace chandler::json {
namespace {

// Finds where what was opened is closed again.
class Nesting {
 public:
  // One past the closing bracket, counted from the beginning of `text`; text.size() + 1 when it is not in there.
  size_t step(std::string_view text) {
    for (size_t i = 0; i < text.size(); ++i) {
      const char c = text[i];
      if (in_string_) {
        if (escaped_) {
          escaped_ = false;
        } else if (c == '\\') {
          escaped_ = true;
        } else if (c == '"') {
          in_string_ = false;
        }
      } else if (c == '"') {
        in_string_ = true;
      } else if (c == '{' || c == '[') {
        ++depth_;
      } else if ((c == '}' || c == ']') && --depth_ == 0) {
        return i + 1;
      }
    }
    return text.size() + 1;
  }

#if defined(__SSE2__)
  // The same for a block of this size, and many times faster: most blocks end nothing, and then counting is enough.
  static constexpr size_t kBlock = 64;
  size_t step_block(std::string_view block) {
    const Marks marks(block.data());
    // Every quote turns over all that follows, unless it is escaped.
    uint64_t inside = marks.quotes;
    if (marks.backslashes != 0 || escaped_) inside &= ~escaped_in(marks.backslashes);
    for (int shift = 1; shift < 64; shift *= 2) inside ^= inside << shift;
    if (in_string_) inside = ~inside;
    const uint64_t opens = marks.opens & ~inside;
    const uint64_t closes = marks.closes & ~inside;
    if (closes != 0 && depth_ <= static_cast<size_t>(std::popcount(closes))) {
      size_t depth = depth_;
      for (uint64_t rest = opens | closes; rest != 0; rest &= rest - 1) {
        const uint64_t bit = rest & (~rest + 1);
        if ((opens & bit) != 0) {
          ++depth;
        } else if (--depth == 0) {
          return static_cast<size_t>(std::countr_zero(bit)) + 1;
        }
      }
    }
    if ((opens | closes) != 0) {
      depth_ += static_cast<size_t>(std::popcount(opens)) - static_cast<size_t>(std::popcount(closes));
    }
    in_string_ = (inside >> 63) != 0;
    return kBlock + 1;
  }
#endif

 private:
#if defined(__SSE2__)
  // Which characters of a block have a backslash before them that is not escaped itself.
  uint64_t escaped_in(uint64_t backslashes) {
    uint64_t out = escaped_ ? 1 : 0;
    backslashes &= ~out;
    escaped_ = false;
    while (backslashes != 0) {
      const uint64_t next = (backslashes & (~backslashes + 1)) << 1;
      escaped_ = next == 0;  // behind the block
      out |= next;
      backslashes &= backslashes - 1;
      backslashes &= ~next;
    }
    return out;
  }

  // Where the characters are that count: one bit each.
  struct Marks {
    uint64_t quotes = 0, backslashes = 0, opens = 0, closes = 0;

    explicit Marks(const char* text) {
      for (unsigned i = 0; i < kBlock; i += 16) {
        const __m128i part = _mm_loadu_si128(reinterpret_cast<const __m128i*>(text + i));
        const auto is = [i](__m128i characters, char c) {
          const auto bits = static_cast<unsigned>(_mm_movemask_epi8(_mm_cmpeq_epi8(characters, _mm_set1_epi8(c))));
          return static_cast<uint64_t>(bits) << i;
        };
        const __m128i curly = _mm_or_si128(part, _mm_set1_epi8(0x20));  // makes [ and ] the same as { and }
        quotes |= is(part, '"');
        backslashes |= is(part, '\\');
        opens |= is(curly, '{');
        closes |= is(curly, '}');
      }
    }
  };
#endif

  size_t depth_ = 0;
  bool in_string_ = false;
  bool escaped_ = false;
};

// One past the end of the object or list that begins at `i`.
size_t end_of_nested(std::string_view text, size_t i) {
  Nesting nesting;
#if defined(__SSE2__)
  for (; i + Nesting::kBlock <= text.size(); i += Nesting::kBlock) {
    const size_t end = nesting.step_block(text.substr(i, Nesting::kBlock));
    if (end <= Nesting::kBlock) return i + end;
  }
#endif
  return std::min(i + nesting.step(text.substr(i)), text.size());
}

// The first quote or backslash at or after `i`; text.size() when there is none.
size_t find_mark(std::string_view text, size_t i) {
#if defined(__SSE2__)
  for (; i + 16 <= text.size(); i += 16) {
    const __m128i part = _mm_loadu_si128(reinterpret_cast<const __m128i*>(text.data() + i));
    const __m128i marks =
        _mm_or_si128(_mm_cmpeq_epi8(part, _mm_set1_epi8('"')), _mm_cmpeq_epi8(part, _mm_set1_epi8('\\')));
    const auto found = static_cast<unsigned>(_mm_movemask_epi8(marks));
    if (found != 0) return i + static_cast<size_t>(std::countr_zero(found));
  }
#endif
  while (i < text.size() && text[i] != '"' && text[i] != '\\') ++i;
  return i;
}

}  // namespace

// Steps over what opens the whole, and over the comma behind what was found before.
bool TextScan::at_end() {
  if (at_ == 0) ++at_;
  if (at_ >= text_.size() || text_[at_] == '}' || text_[at_] == ']') return true;
  if (text_[at_] == ',') ++at_;
  return at_ >= text_.size();
}

bool TextScan::next_member(Member& out) {
  if (at_end()) return false;
  out.begin = at_;
  const size_t key_end = skip_string(at_);
  if (key_end < at_ + 2 || key_end >= text_.size()) return false;
  out.key = text_.substr(at_ + 1, key_end - at_ - 2);
  at_ = skip_value(key_end + 1);
  out.end = at_;
  out.value = text_.substr(key_end + 1, at_ - key_end - 1);
  return true;
}

bool TextScan::next_item(std::string_view& out) {
  if (at_end()) return false;
  const size_t begin = at_;
  at_ = skip_value(at_);
  out = text_.substr(begin, at_ - begin);
  return at_ > begin;
}

size_t TextScan::skip_string(size_t i) const { return std::min(find_string_end(text_, i + 1).quote + 1, text_.size()); }

size_t TextScan::skip_value(size_t i) const {
  if (i >= text_.size()) return i;
  if (text_[i] == '"') return skip_string(i);
  if (text_[i] == '{' || text_[i] == '[') return end_of_nested(text_, i);
  while (i < text_.size() && text_[i] != ',' && text_[i] != '}' && text_[i] != ']') ++i;
  return i;
}

StringEnd find_string_end(std::string_view text, size_t from) {
  StringEnd out{from, false};
  for (;;) {
    out.quote = find_mark(text, out.quote);
    if (out.quote >= text.size()) return {text.size(), out.has_escapes};
    if (text[out.quote] == '"') return out;
    out.has_escapes = true;
    out.quote += 2;
  }
}

std::string_view member_text(std::string_view text, std::string_view key) {
  TextScan scan(text);
  TextScan::Member member;
  while (scan.next_member(member)) {
    if (member.key == key) return member.value;
  }
  return {};
}

std::string unescaped(std::string_view written) {
  std::string plain;
  plain.reserve(written.size());
  size_t begin = 0;  // all before is copied
  size_t slash = written.find('\\');
  // A quote or a backslash stands for itself, and hardly anything else is ever escaped.
  for (; slash < written.size(); slash = written.find('\\', begin + 1)) {
    const auto next = written.substr(slash + 1, 1);
    if (next != "\"" && next != "\\") break;
    plain.append(written, begin, slash - begin);
    begin = slash + 1;
  }
  if (slash == std::string_view::npos) return plain.append(written, begin);
  const auto read = parse(std::string(1, '"').append(written).append(1, '"'));
  return read.ok() && read->is_string() ? std::string(view(read->get_string())) : std::string(written);
}

}  // namespace chandler::json
