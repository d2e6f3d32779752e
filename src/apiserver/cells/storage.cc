// Volumes, claims and storage classes.
#include <algorithm>

#include "apiserver/cells.h"
#include "apiserver/cells/reading.h"
#include "base/text.h"
#include "json/writer.h"

namespace chandler::apiserver {
namespace {

using namespace cells;

std::string access_modes(const json::Array& modes) {
  constexpr std::pair<std::string_view, std::string_view> kShort[] = {
      {"ReadWriteOnce", "RWO"}, {"ReadOnlyMany", "ROX"}, {"ReadWriteMany", "RWX"}, {"ReadWriteOncePod", "RWOP"}};
  const auto given = texts(modes);
  std::vector<std::string> out;
  for (const auto& [mode, shown] : kShort) {
    if (std::find(given.begin(), given.end(), mode) != given.end()) out.emplace_back(shown);
  }
  return join(out, ",");
}

// A quantity is a string, or a number that somebody wrote without quotes.
std::string quantity(const json::Value* value) {
  if (value == nullptr || value->is_null()) return "0";
  return value->is_string() ? std::string(json::view(value->get_string())) : json::write(*value);
}

json::Value claim_capacity(const json::Value& claim, WallTime) {
  if (text_at(claim, {"spec", "volumeName"}).empty()) return "";
  return json::Value(quantity(json::find_path(claim, {"status", "capacity", "storage"})));
}

json::Value claim_access_modes(const json::Value& claim, WallTime) {
  if (text_at(claim, {"spec", "volumeName"}).empty()) return "";
  return json::Value(access_modes(array_at(claim, {"status", "accessModes"})));
}

json::Value volume_capacity(const json::Value& volume, WallTime) {
  return json::Value(quantity(json::find_path(volume, {"spec", "capacity", "storage"})));
}

json::Value volume_access_modes(const json::Value& volume, WallTime) {
  return json::Value(access_modes(array_at(volume, {"spec", "accessModes"})));
}

json::Value volume_claim(const json::Value& volume, WallTime) {
  const auto* claim = json::find_path(volume, {"spec", "claimRef"});
  if (claim == nullptr || claim->is_null()) return "";
  return json::Value(json::string_or(*claim, "namespace") + "/" + json::string_or(*claim, "name"));
}

json::Value storage_class(const json::Value& object, WallTime) {
  constexpr std::string_view kOld = "volume.beta.kubernetes.io/storage-class";
  if (has(object, {"metadata", "annotations", kOld})) {
    return json::Value(text_at(object, {"metadata", "annotations", kOld}));
  }
  return json::Value(text_at(object, {"spec", "storageClassName"}));
}

json::Value storage_class_name(const json::Value& object, WallTime) {
  bool is_default = false;
  for (const auto* key :
       {"storageclass.kubernetes.io/is-default-class", "storageclass.beta.kubernetes.io/is-default-class"}) {
    is_default = is_default || text_at(object, {"metadata", "annotations", key}) == "true";
  }
  return json::Value(std::string(text_at(object, {"metadata", "name"})) + (is_default ? " (default)" : ""));
}

json::Value allow_volume_expansion(const json::Value& object, WallTime) {
  return json::Value(json::bool_at(object, "allowVolumeExpansion").value_or(false));
}

constexpr NamedCell kCells[] = {
    {"claim-capacity", claim_capacity},
    {"claim-access-modes", claim_access_modes},
    {"volume-capacity", volume_capacity},
    {"volume-access-modes", volume_access_modes},
    {"volume-claim", volume_claim},
    {"storage-class", storage_class},
    {"storage-class-name", storage_class_name},
    {"allow-volume-expansion", allow_volume_expansion},
};

}  // namespace

std::span<const NamedCell> storage_cells() { return kCells; }

}  // namespace chandler::apiserver
