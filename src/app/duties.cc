#include "app/duties.h"

#include <algorithm>

#include <fmt/format.h>

#include "app/families.h"
#include "base/text.h"

namespace chandler::app {

const std::vector<std::string_view>& all_duties() {
  static const auto names = [] {
    std::vector<std::string_view> all = {"garbage-collector", "namespaces",       "namespace-contents",
                                         "event-expiry",      "claim-protection", "role-aggregation"};
    all.insert(all.end(), family_duties().begin(), family_duties().end());
    return all;
  }();
  return names;
}

Result<std::set<std::string, std::less<>>> choose_duties(std::string_view text,
                                                         const std::vector<std::string_view>& known) {
  std::set<std::string, std::less<>> chosen;
  if (trim(text).empty()) return chosen;
  for (const auto piece : split(text, ',')) {
    auto name = trim(piece);
    if (name == "*") {
      chosen.insert(known.begin(), known.end());
      continue;
    }
    const bool leave_out = name.starts_with("-");
    if (leave_out) name.remove_prefix(1);
    if (std::find(known.begin(), known.end(), name) == known.end()) {
      std::vector<std::string> names(known.begin(), known.end());
      const auto near = nearest(name, known);
      return bad_request(fmt::format("--controllers: there is no controller \"{}\"{}; known are {}", name,
                                     near.empty() ? "" : fmt::format(" (did you mean {}?)", near), join(names, ", ")));
    }
    if (leave_out) {
      std::erase_if(chosen, [&](const std::string& other) { return other == name; });
    } else {
      chosen.emplace(name);
    }
  }
  return chosen;
}

}  // namespace chandler::app
