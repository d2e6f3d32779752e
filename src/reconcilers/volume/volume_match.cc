#include "reconcilers/volume/volume_match.h"

#include <algorithm>
#include <tuple>

#include <fmt/format.h>

#include "json/writer.h"
#include "meta/selector.h"
#include "reconcilers/catalog/document.h"

namespace chandler::reconcilers {
namespace {

const json::Array& modes_of(const client::Object& object) {
  static const json::Array kNone;
  const auto* modes = json::array_at(spec_of(object), "accessModes");
  return modes == nullptr ? kNone : *modes;
}

std::string volume_mode(const client::Object& object) {
  return json::string_or(spec_of(object), "volumeMode", "Filesystem");
}

meta::Quantity capacity_of(const client::Object& volume) {
  return quantity_at(member(spec_of(volume), {"capacity", "storage"})).value_or(meta::Quantity());
}

bool has_labels(const client::Object& volume, const json::Value& selector) {
  if (!selector.is_object()) return true;
  const auto parsed = meta::LabelSelector::from_json(selector);
  if (!parsed.ok()) return false;
  const auto& labels = member(volume.value(), {"metadata", "labels"});
  return parsed->matches([&](std::string_view key) { return json::string_at(labels, key); });
}

}  // namespace

std::optional<meta::Quantity> quantity_at(const json::Value& value) {
  if (value.is_string()) return meta::parse_quantity(json::view(value.get_string()));
  return value.is_number() ? meta::parse_quantity(json::write(value)) : std::nullopt;
}

const json::Value& requested_storage(const client::Object& claim) {
  return member(spec_of(claim), {"resources", "requests", "storage"});
}

bool is_reserved_for(const client::Object& volume, const client::Object& claim) {
  const auto& reference = member(spec_of(volume), "claimRef");
  if (text_at(reference, "name") != claim.name() || text_at(reference, "namespace") != claim.ns()) return false;
  const auto uid = text_at(reference, "uid");
  return uid.empty() || uid == claim.uid();
}

std::string shortcoming(const client::Object& volume, const client::Object& claim) {
  const auto wanted = quantity_at(requested_storage(claim));
  if (!wanted || capacity_of(volume) < *wanted) {
    return fmt::format("it holds {}, which is less than the claim asks for", capacity_of(volume).str());
  }
  if (volume_mode(volume) != volume_mode(claim)) return fmt::format("its volumeMode is {}", volume_mode(volume));
  if (text_at(spec_of(volume), "volumeAttributesClassName") != text_at(spec_of(claim), "volumeAttributesClassName")) {
    return "it is of another VolumeAttributesClass";
  }
  const auto& has = modes_of(volume);
  for (const auto& mode : modes_of(claim)) {
    if (std::find(has.begin(), has.end(), mode) == has.end()) {
      return fmt::format("it cannot be mounted {}", mode.is_string() ? json::view(mode.get_string()) : "that way");
    }
  }
  return "";
}

client::Object best_match(const client::Object& claim, std::string_view class_name,
                          const std::vector<client::Object>& volumes) {
  const auto rank = [](const client::Object& volume) {
    return std::tuple(modes_of(volume).size(), capacity_of(volume).nanos(), volume.name());
  };
  client::Object best;
  for (const auto& volume : volumes) {
    if (volume.deleting() || member(spec_of(volume), "claimRef").is_object()) continue;
    if (text_at(spec_of(volume), "storageClassName") != class_name) continue;
    if (!shortcoming(volume, claim).empty() || !has_labels(volume, member(spec_of(claim), "selector"))) continue;
    if (!best || rank(volume) < rank(best)) best = volume;
  }
  return best;
}

}  // namespace chandler::reconcilers
