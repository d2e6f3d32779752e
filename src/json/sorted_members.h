// Visits the members of an object in the order of their keys (bytes), which is the order of everything we write.
#pragma once

#include <algorithm>
#include <array>
#include <vector>

#include "json/value.h"

namespace chandler::json {

using Member = Object::value_type;

inline std::string_view key_of(const Member& member) { return {member.key().data(), member.key().size()}; }

template <typename Visit>
void for_each_sorted(const Object& object, Visit visit) {
  const auto before = [](const Member& a, const Member& b) { return key_of(a) < key_of(b); };
  // What we have written ourselves is in order when it is read back.
  if (std::is_sorted(object.begin(), object.end(), before)) {
    for (const Member& member : object) visit(member);
    return;
  }
  constexpr size_t kOnStack = 32;
  std::array<const Member*, kOnStack> small;
  std::vector<const Member*> large;
  const Member** first = small.data();
  if (object.size() > kOnStack) {
    large.resize(object.size());
    first = large.data();
  }
  const Member** last = first;
  for (const Member& member : object) *last++ = &member;
  std::sort(first, last, [&](const Member* a, const Member* b) { return before(*a, *b); });
  for (; first != last; ++first) visit(**first);
}

}  // namespace chandler::json
