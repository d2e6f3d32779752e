#include "base/find_text.h"

#include <cstring>

#if defined(__SSE2__)
#include <emmintrin.h>

#include <bit>
#endif

namespace chandler {

size_t find_text(std::string_view in, std::string_view text, size_t from) {
  if (text.empty() || from > in.size() || in.size() - from < text.size()) return in.find(text, from);
#if defined(__SSE2__)
  // Sixteen places at a time: where the first and the last character are both right, the rest is compared. Values that
  // begin alike (numbers, UUIDs) seldom end alike.
  constexpr size_t kBlock = 16;
  const size_t last = text.size() - 1;
  const __m128i first_one = _mm_set1_epi8(text.front());
  const __m128i last_one = _mm_set1_epi8(text.back());
  for (; in.size() - from >= last + kBlock; from += kBlock) {
    const char* at = in.data() + from;
    const __m128i firsts = _mm_loadu_si128(reinterpret_cast<const __m128i*>(at));
    const __m128i lasts = _mm_loadu_si128(reinterpret_cast<const __m128i*>(at + last));
    const __m128i both = _mm_and_si128(_mm_cmpeq_epi8(firsts, first_one), _mm_cmpeq_epi8(lasts, last_one));
    for (auto hits = static_cast<unsigned>(_mm_movemask_epi8(both)); hits != 0; hits &= hits - 1) {
      const auto i = static_cast<size_t>(std::countr_zero(hits));
      if (std::memcmp(at + i, text.data(), text.size()) == 0) return from + i;
    }
  }
#endif
  return in.find(text, from);
}

}  // namespace chandler
