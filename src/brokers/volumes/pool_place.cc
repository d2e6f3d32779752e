#include "brokers/volumes/pool_place.h"

#include <algorithm>
#include <set>

#include <fmt/format.h>

#include "base/text.h"

namespace chandler::brokers {
namespace {

constexpr size_t kLongestName = 63;
constexpr size_t kMostPools = 256;

bool is_label(std::string_view text) {
  const auto is_plain = [](char c) { return (c >= 'a' && c <= 'z') || (c >= '0' && c <= '9'); };
  return !text.empty() && text.size() <= kLongestName && is_plain(text.front()) && is_plain(text.back()) &&
         std::all_of(text.begin(), text.end(), [&](char c) { return is_plain(c) || c == '-'; });
}

bool is_zone(std::string_view text) {
  const auto is_plain = [](char c) {
    return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || (c >= '0' && c <= '9');
  };
  return !text.empty() && text.size() <= kLongestName && is_plain(text.front()) && is_plain(text.back()) &&
         std::all_of(text.begin(), text.end(), [&](char c) { return is_plain(c) || c == '-' || c == '_' || c == '.'; });
}

Error wrong(std::string_view text, std::string_view why) {
  return bad_request(
      fmt::format("--local-volume-pool {}: {}; write NAME=DIR or NAME=DIR,zone=ZONE", quoted(text), why));
}

}  // namespace

Result<PoolPlace> parse_pool(std::string_view text) {
  const auto equals = text.find('=');
  if (equals == std::string_view::npos) return wrong(text, "there is no directory");
  PoolPlace place;
  place.name = text.substr(0, equals);
  auto rest = text.substr(equals + 1);
  if (const auto mark = rest.rfind(",zone="); mark != std::string_view::npos) {
    place.zone = rest.substr(mark + std::string_view(",zone=").size());
    rest = rest.substr(0, mark);
    if (!is_zone(place.zone)) return wrong(text, "the zone must be able to be the value of a label");
  }
  place.directory = rest;
  if (!is_label(place.name)) return wrong(text, "the name must consist of lower-case letters, digits and '-'");
  if (place.directory.empty() || place.directory.find('\0') != std::string::npos) {
    return wrong(text, "there is no directory");
  }
  if (place.zone.empty()) place.zone = place.name;
  return place;
}

Result<std::vector<PoolPlace>> parse_pools(const std::vector<std::string>& texts) {
  if (texts.size() > kMostPools) return bad_request(fmt::format("--local-volume-pool: at most {} pools", kMostPools));
  std::vector<PoolPlace> places;
  std::set<std::string> names;
  std::set<std::string> directories;
  for (const auto& text : texts) {
    CH_TRY_LET(place, parse_pool(text));
    if (!names.insert(place.name).second) return wrong(text, "another pool has this name");
    if (!directories.insert(place.directory).second) return wrong(text, "another pool has this directory");
    places.push_back(std::move(place));
  }
  return places;
}

}  // namespace chandler::brokers
