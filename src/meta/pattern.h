// Regular expressions from clients, on RE2: linear in the text, with a bound on memory. A pattern stands for more than
// its bytes ([^a]{1000} compiles to 8,000 instructions), so those of one schema have a bound together. A Patterns is
// used by one thread; what it compiled is immutable and may outlive it.
#pragma once

#include <cstddef>
#include <cstdint>
#include <map>
#include <memory>
#include <string>
#include <string_view>

#include "base/result.h"

namespace re2 {
class RE2;
}

namespace chandler::meta {

using Pattern = std::shared_ptr<const re2::RE2>;

// A failure says why RE2 does not take the pattern.
Result<Pattern, std::string> compile_pattern(std::string_view text);

// Compiles each text once. Patterns that do not fit into the bound are refused.
class Patterns {
 public:
  Result<Pattern, std::string> compile(std::string_view text);

 private:
  // In instructions; five take a microsecond. Schemas that people write stay far below: hundreds of patterns, of which
  // a few count up to 1,000.
  int64_t left_ = 2'000'000;
  std::map<std::string, Pattern, std::less<>> compiled_;
};

// What matching costs beyond reading the text once, in the bytes that could be read in the same time. A large pattern
// may have many of its instructions active at once, and is then slow for each byte.
size_t extra_bytes_to_match(const re2::RE2& pattern, size_t bytes);

}  // namespace chandler::meta
