#include "meta/gvk.h"

#include <algorithm>
#include <cctype>
#include <optional>
#include <tuple>

#include "base/text.h"

namespace chandler::meta {
namespace {

// What orders versions of the form v1, v2beta3; others have no rank and come last, by name.
struct Rank {
  int stability = 0;  // 2 stable, 1 beta, 0 alpha
  uint64_t major = 0;
  uint64_t minor = 0;
};

std::optional<uint64_t> take_number(std::string_view& text) {
  size_t length = 0;
  while (length < text.size() && std::isdigit(static_cast<unsigned char>(text[length])) != 0) ++length;
  if (length == 0 || text[0] == '0') return std::nullopt;
  auto number = parse_uint64(text.substr(0, length));
  text.remove_prefix(length);
  return number;
}

std::optional<Rank> rank_of(std::string_view version) {
  if (version.empty() || version[0] != 'v') return std::nullopt;
  version.remove_prefix(1);
  Rank rank;
  auto major = take_number(version);
  if (!major) return std::nullopt;
  rank.major = *major;
  if (version.empty()) {
    rank.stability = 2;
    return rank;
  }
  if (version.starts_with("beta")) {
    rank.stability = 1;
    version.remove_prefix(4);
  } else if (version.starts_with("alpha")) {
    version.remove_prefix(5);
  } else {
    return std::nullopt;
  }
  auto minor = take_number(version);
  if (!minor || !version.empty()) return std::nullopt;
  rank.minor = *minor;
  return rank;
}

}  // namespace

Result<GroupVersion> GroupVersion::parse(std::string_view api_version) {
  const auto slashes = std::count(api_version.begin(), api_version.end(), '/');
  if (slashes == 0) return GroupVersion{"", std::string(api_version)};
  const auto slash = api_version.find('/');
  GroupVersion parsed{std::string(api_version.substr(0, slash)), std::string(api_version.substr(slash + 1))};
  if (slashes > 1 || parsed.version.empty()) {
    return bad_request("unexpected GroupVersion string: " + std::string(api_version));
  }
  return parsed;
}

bool version_before(std::string_view a, std::string_view b) {
  const auto left = rank_of(a);
  const auto right = rank_of(b);
  if (left.has_value() != right.has_value()) return left.has_value();
  if (!left) return a < b;
  return std::tie(left->stability, left->major, left->minor) > std::tie(right->stability, right->major, right->minor);
}

}  // namespace chandler::meta
