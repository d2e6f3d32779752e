// The names of the server's duties, and which of them run.
#pragma once

#include <set>
#include <string>
#include <string_view>
#include <vector>

#include "base/result.h"

namespace chandler::app {

const std::vector<std::string_view>& all_duties();

// "*" or "": all or none; "a,b": these; "*,-a": all but a. An unknown name is an error with a suggestion.
Result<std::set<std::string, std::less<>>> choose_duties(std::string_view text,
                                                         const std::vector<std::string_view>& known = all_duties());

}  // namespace chandler::app
