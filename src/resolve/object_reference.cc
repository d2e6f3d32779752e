#include "resolve/object_reference.h"

#include <algorithm>

namespace chandler::resolve {
namespace {

const std::string& field(ReferenceBy by, const Referable& object) {
  switch (by) {
    case ReferenceBy::kExternalName:
      return object.external_name;
    case ReferenceBy::kExternalId:
      return object.external_id;
    case ReferenceBy::kName:
      break;
  }
  return object.name;
}

}  // namespace

Referenced find_referenced(ReferenceBy by, std::string_view wanted, std::span<const Referable> objects) {
  Referenced found;
  if (wanted.empty()) return found;
  bool managed = false;
  for (size_t i = 0; i < objects.size(); ++i) {
    const Referable& object = objects[i];
    if (field(by, object) != wanted) continue;
    const bool usable = !object.removed && !object.deleting;
    (usable ? found.matches : found.gone).push_back(i);
    managed = managed || (usable && object.broker_managed);
  }
  if (by == ReferenceBy::kExternalId && managed) {
    std::erase_if(found.matches, [&](size_t i) { return !objects[i].broker_managed; });
  }
  if (found.matches.empty()) return found;
  found.index = found.matches.front();
  found.outcome = found.matches.size() == 1 ? Outcome::kChosen : Outcome::kAmbiguous;
  return found;
}

}  // namespace chandler::resolve
