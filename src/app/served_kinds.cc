#include "app/served_kinds.h"

#include <algorithm>
#include <set>

#include <fmt/format.h>

#include "base/text.h"

namespace chandler::app {

Result<std::vector<registry::KindPtr>> served_kinds(const std::vector<registry::KindPtr>& all,
                                                    const std::vector<std::string>& without) {
  std::set<std::string> optional;
  for (const auto& kind : all) {
    if (!kind->builtin) optional.insert(kind->group);
  }
  for (const auto& group : without) {
    if (optional.contains(group)) continue;
    return bad_request(fmt::format("--without-group: there is no group \"{}\" that can be left out; there are {}",
                                   group, join({optional.begin(), optional.end()}, ", ")));
  }
  std::vector<registry::KindPtr> served;
  std::copy_if(all.begin(), all.end(), std::back_inserter(served), [&](const registry::KindPtr& kind) {
    return kind->builtin || std::find(without.begin(), without.end(), kind->group) == without.end();
  });
  return served;
}

}  // namespace chandler::app
