#include "reconcilers/volume/volume_match.h"

#include <algorithm>
#include <optional>
#include <tuple>

#include <fmt/format.h>

#include "json/writer.h"
#include "meta/label_matcher.h"
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

// The selector of a claim, read once for all volumes.
class VolumeSelector {
 public:
  explicit VolumeSelector(const json::Value& selector) {
    if (!selector.is_object()) return;
    const auto parsed = meta::LabelSelector::from_json(selector);
    is_valid_ = parsed.ok();
    if (is_valid_) labels_.emplace(*parsed);
  }
  bool selects(const client::Object& volume) const {
    const auto& document = volume.document();
    return is_valid_ &&
           (!labels_ || labels_->matches(document.label_count(), [&](size_t i) { return document.label_at(i); }));
  }

 private:
  bool is_valid_ = true;
  std::optional<meta::LabelMatcher> labels_;  // none: every volume
};

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
  const VolumeSelector selector(member(spec_of(claim), "selector"));
  client::Object best;
  for (const auto& volume : volumes) {
    if (volume.deleting() || member(spec_of(volume), "claimRef").is_object()) continue;
    if (text_at(spec_of(volume), "storageClassName") != class_name) continue;
    if (!shortcoming(volume, claim).empty() || !selector.selects(volume)) continue;
    if (!best || rank(volume) < rank(best)) best = volume;
  }
  return best;
}

}  // namespace chandler::reconcilers
