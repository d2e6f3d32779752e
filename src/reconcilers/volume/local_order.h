// What our own provisioner makes for a claim: decided from claim, class and pools, stored on the claim as JSON before
// anything is made, and turned into a volume object when it has been. Pure.
#pragma once

#include <cstdint>
#include <map>
#include <optional>
#include <string>
#include <vector>

#include "base/result.h"
#include "client/object.h"
#include "reconcilers/volume/volume_kinds.h"
#include "resolve/volume_selector.h"

namespace chandler::reconcilers {

struct LocalOrder {
  std::string pool;
  std::string form;  // directory or image
  uint64_t bytes = 0;
  std::string mode;  // of the directory, in octal
  std::string class_name;
  std::string reclaim_policy;
  std::map<std::string, std::string> labels;  // of the volume: what was chosen

  std::string text() const;  // canonical JSON
  static std::optional<LocalOrder> read(const std::string& text);
  bool operator==(const LocalOrder&) const = default;
};

// What our provisioner says about keys for claims of this class: zones are those of the pools that the class may use.
resolve::ProvisionerProfile local_profile(const VolumeSettings& settings, const resolve::TunableClass& storage_class);

struct OrderDecision {
  std::optional<LocalOrder> order;
  std::string reason;  // why there is none, in a word: a SelectorFault, or "NotSupported"
  std::string message;
  bool reschedule = false;  // it would be possible on another node
};
OrderDecision decide_order(const VolumeSettings& settings, const client::Object& claim,
                           const client::Object& storage_class, const client::Object& node);

// "pvc-" and the claim's UID: the same for every attempt.
std::string volume_name(const client::Object& claim);
json::Value local_volume(const VolumeSettings& settings, const client::Object& claim, const LocalOrder& order,
                         const std::string& path);

}  // namespace chandler::reconcilers
