#include "meta/pattern.h"

#include <re2/re2.h>

namespace chandler::meta {
namespace {

// In instructions: what a pattern keeps for matching, what a byte of it can cost to parse (a class such as \pL has
// hundreds of ranges), and what it costs to find that RE2 does not take it.
constexpr int64_t kPerPattern = 1'000;
constexpr int64_t kPerByte = 32;
constexpr int64_t kPerFailure = 100'000;

}  // namespace

Result<Pattern, std::string> compile_pattern(std::string_view text) {
  re2::RE2::Options options;
  options.set_log_errors(false);
  options.set_max_mem(int64_t{1} << 20);
  auto pattern = std::make_shared<const re2::RE2>(re2::StringPiece(text.data(), text.size()), options);
  if (!pattern->ok()) return fail(pattern->error());
  return Pattern(std::move(pattern));
}

Result<Pattern, std::string> Patterns::compile(std::string_view text) {
  if (const auto known = compiled_.find(text); known != compiled_.end()) return known->second;
  left_ -= kPerPattern + kPerByte * static_cast<int64_t>(text.size());
  if (left_ >= 0) {
    auto pattern = compile_pattern(text);
    left_ -= pattern.ok() ? (*pattern)->ProgramSize() : kPerFailure;
    if (!pattern.ok()) return pattern;
    if (left_ >= 0) return compiled_.emplace(text, std::move(*pattern)).first->second;
  }
  left_ = -1;  // also for shorter ones: the first that is refused is one to shorten
  return fail(std::string("all patterns together are too large; count less, as in {1,100}, or use fewer"));
}

size_t extra_bytes_to_match(const re2::RE2& pattern, size_t bytes) {
  constexpr size_t kSmall = 64;
  return bytes * (static_cast<size_t>(pattern.ProgramSize()) / kSmall);
}

}  // namespace chandler::meta
