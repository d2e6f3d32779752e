// Puts labels onto an object on behalf of several owners and takes them off again without a trace. What was put there
// by whom, and what was there before, stands in a record on the object itself (an annotation), so it survives whatever
// happens to those who put it there:
//   - A label belongs to all owners that want it and goes with the last of them; the value from before comes back.
//   - A label of somebody else with another value is a conflict, and then nothing is touched.
//   - Maps along the path that are missing (null counts as missing) are made, and unmade when they are empty again.
// Knows nothing of the API that drives it. Pure, thread-safe.
#pragma once

#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "json/value.h"
#include "resolve/label_path.h"

namespace chandler::resolve {

// The annotation that holds the record.
inline constexpr std::string_view kLabelRecord = "servicecatalog.kyma-project.io/injected-labels";
// Most bytes of the record; annotations of an object have 256 KiB together.
inline constexpr size_t kLargestLabelRecord = 192 * 1024;

struct WantedLabel {
  std::string key;
  std::string value;
  // Who says that the value be this. Owners who follow the same source do not contradict each other: when the source
  // changes its mind, the first that notices changes the value for all. Empty: the key is this owner's alone, by
  // construction.
  std::string source;
  bool operator==(const WantedLabel&) const = default;
};

struct LabelClaim {
  std::string owner;  // unique over time, as a uid
  LabelPath path;
  std::vector<WantedLabel> labels;
  json::Object note;  // kept in the record beside the owner, for whoever has to clean up
};

struct LabelObstacle {
  enum class Kind { kPathBlocked, kConflict, kRecordUnreadable, kRecordTooLarge };
  Kind kind = Kind::kConflict;
  std::string message;  // names field or label, and what to do
};

// Makes the object hold exactly what the owner claims, wherever it held something for the owner before; what somebody
// else changed or removed meanwhile is put right. An obstacle leaves the object as it is.
std::optional<LabelObstacle> project_labels(json::Value& object, const LabelClaim& claim);

// Takes off everything of the owner. True: the object has changed. Where the record cannot be read, `own_keys` at
// `path` (keys that are the owner's by construction) are taken off, and the rest is left alone.
bool withdraw_labels(json::Value& object, std::string_view owner, const LabelPath& path,
                     const std::vector<std::string>& own_keys);

// The record says that the object holds something for the owner.
bool holds_labels(const json::Value& object, std::string_view owner);

// Labels at the path; null when there are none.
const json::Object* labels_at(const json::Value& object, const LabelPath& path);

}  // namespace chandler::resolve
