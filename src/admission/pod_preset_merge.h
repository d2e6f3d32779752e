// Puts the content of PodPresets into a pod, or says why the two do not go together. All or nothing for each preset.
// Not thread-safe.
#pragma once

#include <deque>
#include <map>
#include <optional>
#include <string>
#include <string_view>

#include "json/value.h"

namespace chandler::admission {

class PodPresetMerge {
 public:
  // The spec of a pod, which must outlive this and which nobody else changes meanwhile.
  explicit PodPresetMerge(json::Object& pod_spec);

  // The spec of a preset. Volumes are merged by name; into every container and init container go env by name, envFrom
  // by prefix and source, volumeMounts by name and by path. Equal entries are taken as one. An answer is a conflict, in
  // words that name container and entry and no value; then the pod is as it was.
  std::optional<std::string> add(const json::Value& preset_spec);

  // What all presets that are applied may have together, times the containers: as much as a request.
  static constexpr size_t kMostBytes = size_t{3} * 1024 * 1024;
  // The same for all that are compared with the pod, whether they are applied or in conflict with it.
  static constexpr size_t kMostCompared = 16 * kMostBytes;

 private:
  // An entry of a list of the pod, and whether others with the same key differ from it.
  struct Known {
    size_t position = 0;
    bool differs = false;
  };
  // A list that entries go to. What is in it is looked at once, for all presets.
  struct Target {
    json::Object* owner;
    std::string_view list;
    std::optional<std::map<std::string, Known>> known;  // by the keys of entries
  };
  struct Entry;

  static void index(Target& target);
  static bool has(Target& target, const Entry& entry, bool& conflict);
  static std::string conflict_in(const Target& target, const Entry& entry);
  static void append(Target& target, const Entry& entry);

  std::deque<Target> targets_;
  size_t containers_ = 0;
  size_t bytes_ = 0;     // of the presets that were applied, times the containers
  size_t compared_ = 0;  // the same of those that were compared
};

}  // namespace chandler::admission
