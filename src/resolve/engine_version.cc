#include "resolve/engine_version.h"

#include <algorithm>

#include "base/text.h"

namespace chandler::resolve {
namespace {

bool is_number(std::string_view text) {
  return !text.empty() && std::all_of(text.begin(), text.end(), [](char c) { return c >= '0' && c <= '9'; });
}

std::string_view without_zeros(std::string_view number) {
  while (number.size() > 1 && number.front() == '0') number.remove_prefix(1);
  return number;
}

bool is_same(std::string_view a, std::string_view b) {
  if (is_number(a) && is_number(b)) return without_zeros(a) == without_zeros(b);
  return a == b;
}

}  // namespace

std::optional<std::string> agree_on_version(std::string_view asked, std::string_view offered) {
  if (asked.empty()) return std::string(offered);
  if (offered.empty()) return std::string(asked);
  const auto wanted = split(asked, '.');
  const auto given = split(offered, '.');
  if (wanted.size() > given.size() || !std::equal(wanted.begin(), wanted.end(), given.begin(), is_same))
    return std::nullopt;
  return std::string(offered);
}

}  // namespace chandler::resolve
