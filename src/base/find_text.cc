#include "base/find_text.h"

#include <cstring>

#if defined(__SSE2__)
#include <emmintrin.h>

#include <bit>
#endif

namespace chandler {
namespace {

#if defined(__SSE2__)
// Sixteen places at a time: where the first and the last character are both right, the rest is compared. Values that
// begin alike (numbers, UUIDs) seldom end alike.
class Block {
 public:
  static constexpr size_t kSize = 16;

  explicit Block(std::string_view text)
      : last_(text.size() - 1), first_one_(_mm_set1_epi8(text.front())), last_one_(_mm_set1_epi8(text.back())) {}

  // A bit for each of the places from `at` on where the text may begin.
  unsigned places(const char* at) const {
    const __m128i firsts = _mm_loadu_si128(reinterpret_cast<const __m128i*>(at));
    const __m128i lasts = _mm_loadu_si128(reinterpret_cast<const __m128i*>(at + last_));
    const __m128i both = _mm_and_si128(_mm_cmpeq_epi8(firsts, first_one_), _mm_cmpeq_epi8(lasts, last_one_));
    return static_cast<unsigned>(_mm_movemask_epi8(both));
  }

 private:
  const size_t last_;
  const __m128i first_one_;
  const __m128i last_one_;
};
#endif

}  // namespace

size_t find_text(std::string_view in, std::string_view text, size_t from) {
  if (text.empty() || from > in.size() || in.size() - from < text.size()) return in.find(text, from);
#if defined(__SSE2__)
  const Block block(text);
  for (; in.size() - from >= text.size() - 1 + Block::kSize; from += Block::kSize) {
    const char* at = in.data() + from;
    for (unsigned hits = block.places(at); hits != 0; hits &= hits - 1) {
      const auto i = static_cast<size_t>(std::countr_zero(hits));
      if (std::memcmp(at + i, text.data(), text.size()) == 0) return from + i;
    }
  }
#endif
  return in.find(text, from);
}

size_t find_last_text(std::string_view in, std::string_view text) {
  if (text.empty() || in.size() < text.size()) return in.rfind(text);
#if defined(__SSE2__)
  const Block block(text);
  for (; in.size() >= text.size() - 1 + Block::kSize; in.remove_suffix(Block::kSize)) {
    const size_t from = in.size() - (text.size() - 1) - Block::kSize;
    const char* at = in.data() + from;
    for (unsigned hits = block.places(at); hits != 0;) {
      const auto i = static_cast<size_t>(std::bit_width(hits) - 1);
      if (std::memcmp(at + i, text.data(), text.size()) == 0) return from + i;
      hits &= ~(1U << i);
    }
  }
#endif
  return in.rfind(text);
}

}  // namespace chandler
