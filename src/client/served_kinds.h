// Finding a kind among those that are loaded. Pure, but for the names that it interns.
#pragma once

#include <optional>
#include <string_view>
#include <vector>

#include "client/kind_names.h"
#include "registry/kind.h"

namespace chandler::client {

// As State::find_kind(), over these. Kind and plural count before singular and short names.
std::optional<ServedKind> find_served(const std::vector<registry::KindPtr>& kinds, std::string_view group,
                                      std::string_view version, std::string_view word);

}  // namespace chandler::client
