#include "reconcilers/catalog/api_version.h"

#include <algorithm>

#include <fmt/format.h>

#include "base/text.h"
#include "reconcilers/catalog/document.h"

namespace chandler::reconcilers {
namespace {

// Version 2 is the only one that there is. 2.13 brought the originating identity and the context of a binding; without
// these we would ask for something else.
constexpr std::string_view kMajor = "2.";
constexpr uint64_t kLowestMinor = 13;
constexpr uint64_t kHighestMinor = 17;

std::optional<uint64_t> minor_of(std::string_view version) {
  if (!version.starts_with(kMajor)) return std::nullopt;
  return parse_uint64(version.substr(kMajor.size()));
}

}  // namespace

std::string api_version_for(const client::Object& broker, const Settings& settings) {
  const auto remembered = minor_of(text_at(status_of(broker), "osbAPIVersion"));
  const auto preferred = minor_of(settings.osb_api_version);
  if (!remembered || (preferred && *preferred <= *remembered)) return settings.osb_api_version;
  return fmt::format("{}{}", kMajor, *remembered);
}

std::optional<std::string> lower_api_version(std::string_view version) {
  const auto minor = minor_of(version);
  if (!minor || *minor <= kLowestMinor) return std::nullopt;
  return fmt::format("{}{}", kMajor, std::min(*minor - 1, kHighestMinor));
}

}  // namespace chandler::reconcilers
