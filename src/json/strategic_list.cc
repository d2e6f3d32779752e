#include "json/strategic_list.h"

#include <fmt/format.h>

#include <algorithm>

#include "json/patch_error.h"
#include "json/writer.h"

namespace chandler::json {

Result<std::string> identity(const Value& element, std::string_view key) {
  if (element.is_array()) return patch_refused("a list of lists cannot be merged");
  if (key.empty()) {
    if (element.is_object()) return bad_request("a list that is merged as a set must hold scalars only");
    return write(element);
  }
  const Value* value = find(element, key);
  if (value == nullptr) return bad_request(fmt::format("a list element lacks its merge key \"{}\"", key));
  return write(*value);
}

std::string stored_identity(const Value& element, std::string_view key) {
  auto known = identity(element, key);
  return known.ok() ? std::move(known).value() : std::string();
}

void arrange(Array& list, std::string_view key, const Positions& wanted, size_t stored) {
  struct Place {
    size_t index;
    size_t position;
  };
  std::vector<Place> ordered;
  std::vector<size_t> others;
  for (size_t i = 0; i < list.size(); ++i) {
    const auto found = wanted.find(stored_identity(list[i], key));
    if (found == wanted.end()) {
      others.push_back(i);
    } else {
      ordered.push_back({i, found->second});
    }
  }
  std::stable_sort(ordered.begin(), ordered.end(),
                   [](const Place& a, const Place& b) { return a.position < b.position; });

  Array arranged(list.storage());
  arranged.reserve(list.size());
  auto other = others.begin();
  for (const Place& place : ordered) {
    while (other != others.end() && place.index < stored && *other < place.index) {
      arranged.push_back(std::move(list[*other++]));
    }
    arranged.push_back(std::move(list[place.index]));
  }
  while (other != others.end()) arranged.push_back(std::move(list[*other++]));
  list = std::move(arranged);
}

Result<Positions> read_order(const Value& order, std::string_view key, const std::vector<std::string>& patched) {
  const Array* list = order.if_array();
  if (list == nullptr) return bad_request("$setElementOrder must be a list");
  Positions positions;
  size_t met = 0;
  for (const Value& element : *list) {
    CH_TRY_LET(id, identity(element, key));
    if (met < patched.size() && patched[met] == id) ++met;
    positions.try_emplace(std::move(id), positions.size());
  }
  if (met < patched.size()) return bad_request("the order of the patch's list differs from its $setElementOrder");
  return positions;
}

}  // namespace chandler::json
