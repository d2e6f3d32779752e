// Which of the kinds that the program brings along a server has.
#pragma once

#include <string>
#include <vector>

#include "base/result.h"
#include "registry/kind.h"

namespace chandler::app {

// `all` but those of the groups `without`. Only groups that a real cluster would get as CustomResourceDefinitions can
// be left out, and then they can be installed in the same way; an error names the flag and these groups.
Result<std::vector<registry::KindPtr>> served_kinds(const std::vector<registry::KindPtr>& all,
                                                    const std::vector<std::string>& without);

}  // namespace chandler::app
