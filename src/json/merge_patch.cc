#include "json/patch.h"

namespace chandler::json {

void merge_patch(Value& target, const Value& patch) {
  const Object* changes = patch.if_object();
  if (changes == nullptr) {
    target = Value(patch, target.storage());
    return;
  }
  if (!target.is_object()) target.emplace_object();
  Object& object = target.get_object();
  for (const auto& change : *changes) {
    if (change.value().is_null()) {
      object.erase(change.key());
    } else {
      merge_patch(object[change.key()], change.value());
    }
  }
}

}  // namespace chandler::json
