// Hides values in a text, however the text spells them: as they are, escaped as in JSON (also twice, as in JSON within
// JSON), percent-encoded (also twice), or inside of base64. Parts of the text that overlap are hidden together. The
// cost is in proportion to values and text. Immutable; thread-safe.
#pragma once

#include <string>
#include <string_view>
#include <vector>

#include "base/find_any_text.h"

namespace chandler::osb {

class Mask {
 public:
  static constexpr std::string_view kHidden = "<redacted>";
  // Shorter values, `true`, `false` and `null` are in every other text, and hiding them would leave nothing to read.
  static constexpr size_t kShortest = 4;
  // Shorter ones are hidden where they stand alone: "test" is not hidden in "latest".
  static constexpr size_t kAnywhere = AnyText::kLongestWord + 1;

  explicit Mask(const std::vector<std::string>& values);

  std::string apply(std::string_view text) const;
  bool finds_any(std::string_view text) const { return !places(text).empty(); }

 private:
  std::vector<AnyText::Place> places(std::string_view text) const;

  const AnyText spellings_;
};

}  // namespace chandler::osb
