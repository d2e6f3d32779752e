// Which class or plan a user means by a name, an external name or an external ID. Pure, thread-safe.
#pragma once

#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "resolve/choose_default.h"

namespace chandler::resolve {

enum class ReferenceBy { kName, kExternalName, kExternalId };

struct Referable {
  std::string name{};
  std::string external_name{};
  std::string external_id{};
  bool broker_managed = false;  // has a controller reference to its broker
  bool removed = false;         // no longer in the broker's catalog
  bool deleting = false;
};

struct Referenced {
  Outcome outcome = Outcome::kNone;
  size_t index = 0;             // for kChosen
  std::vector<size_t> matches;  // all that the reference fits and that can be used; several when ambiguous
  std::vector<size_t> gone;     // fit too, but were removed from the catalog or are being deleted
};

// An external ID means the object that the broker manages: a copy made by an operator keeps the ID, since the broker
// must be sent it, and does not make the reference ambiguous.
Referenced find_referenced(ReferenceBy by, std::string_view wanted, std::span<const Referable> objects);

}  // namespace chandler::resolve
