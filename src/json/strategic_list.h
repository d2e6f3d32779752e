// Lists under strategic merge: which elements are the same, and in which order a merged list stands. Pure.
#pragma once

#include <string>
#include <string_view>
#include <vector>

#include "base/result.h"
#include "base/text_hash.h"
#include "json/value.h"

namespace chandler::json {

// What makes an element the same as another: the value of the merge key, or for scalars (no key) the value itself.
Result<std::string> identity(const Value& element, std::string_view key);
// The same for an element of the target: one without its key equals none.
std::string stored_identity(const Value& element, std::string_view key);

using Positions = StableTextMap<size_t>;  // by identity

// The order that `$setElementOrder` gives; the patch's own elements must occur in it, and in the same order.
Result<Positions> read_order(const Value& order, std::string_view key, const std::vector<std::string>& patched);

// Puts the elements that `wanted` knows into its order. The others keep theirs, and stay before a wanted one only if
// they were before it on the server: so what a patch adds comes first, unless an older element of the patch precedes
// it. `stored` is how many of the elements were there before the patch.
void arrange(Array& list, std::string_view key, const Positions& wanted, size_t stored);

}  // namespace chandler::json
