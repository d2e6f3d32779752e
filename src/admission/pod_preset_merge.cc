#include "admission/pod_preset_merge.h"

#include <algorithm>
#include <array>
#include <utility>
#include <vector>

#include <fmt/format.h>

#include "admission/fields.h"
#include "base/text.h"
#include "json/writer.h"

namespace chandler::admission {
namespace {

constexpr std::string_view kVolumes = "volumes";  // of the pod; the others are of containers
constexpr std::array<std::string_view, 4> kLists = {kVolumes, "env", "envFrom", "volumeMounts"};

// Entries that share one of these must not differ.
std::vector<std::string> keys_of(std::string_view list, const json::Value& entry) {
  const auto name = json::write(member(entry, "name"));
  if (list == "volumeMounts") return {"name " + name, "path " + json::write(member(entry, "mountPath"))};
  if (list != "envFrom") return {name};
  return {fmt::format("{} {} {}", quoted(json::string_or(entry, "prefix")),
                      json::write(member(member(entry, "configMapRef"), "name")),
                      json::write(member(member(entry, "secretRef"), "name")))};
}

std::string label_of(const json::Value& entry) {
  if (filled(entry, "name")) return quoted(json::string_or(entry, "name"));
  const auto& secret = member(entry, "secretRef");
  return quoted(json::string_or(filled(&secret) ? secret : member(entry, "configMapRef"), "name"));
}

}  // namespace

// Of a preset.
struct PodPresetMerge::Entry {
  const json::Value* value;
  std::vector<std::string> keys;
};

PodPresetMerge::PodPresetMerge(json::Object& pod_spec) {
  targets_.push_back({&pod_spec, kVolumes, {}});
  for (const std::string_view containers : {"initContainers", "containers"}) {
    each(pod_spec, containers, [&](json::Object& container) {  // what is no object is a fault that the schema reports
      ++containers_;
      for (const auto list : kLists) {
        if (list != kVolumes) targets_.push_back({&container, list, {}});
      }
    });
  }
}

void PodPresetMerge::index(Target& target) {
  target.known.emplace();
  const auto* list = target.owner->if_contains(target.list);
  if (list == nullptr || !list->is_array()) return;
  const auto& entries = list->get_array();
  for (size_t i = 0; i < entries.size(); ++i) {
    for (auto& key : keys_of(target.list, entries[i])) {
      const auto [place, first] = target.known->try_emplace(std::move(key), Known{i, false});
      auto& known = place->second;
      if (!first && !known.differs) known.differs = !json::equal(entries[known.position], entries[i]);
    }
  }
}

bool PodPresetMerge::has(Target& target, const Entry& entry, bool& conflict) {
  if (!target.known) index(target);
  bool found = false;
  for (const auto& key : entry.keys) {
    const auto known = target.known->find(key);
    if (known == target.known->end()) continue;
    found = true;
    const auto& there = target.owner->at(target.list).get_array()[known->second.position];
    conflict = conflict || known->second.differs || !json::equal(there, *entry.value);
  }
  return found;
}

void PodPresetMerge::append(Target& target, const Entry& entry) {
  auto& list = (*target.owner)[target.list];
  if (!list.is_array()) list.emplace_array();
  for (const auto& key : entry.keys) target.known->try_emplace(key, Known{list.get_array().size(), false});
  list.get_array().push_back(*entry.value);
}

std::string PodPresetMerge::conflict_in(const Target& target, const Entry& entry) {
  auto why = fmt::format("{} {} is there with another content", target.list, label_of(*entry.value));
  if (target.list == kVolumes) return why;
  const auto* name = target.owner->if_contains("name");
  return fmt::format("container {}: {}",
                     quoted(name != nullptr && name->is_string() ? json::view(name->get_string()) : ""), why);
}

std::optional<std::string> PodPresetMerge::add(const json::Value& preset_spec) {
  const size_t size = json::write(preset_spec).size();
  const size_t cost = size * std::max<size_t>(containers_, 1);
  if (cost > kMostBytes - bytes_) {
    return fmt::format("it has {} bytes for each of {} containers, and all presets together may have {}", size,
                       containers_, kMostBytes);
  }
  if (cost > kMostCompared - compared_) {
    return fmt::format("{} bytes of presets have been compared with this pod, and the server compares no more",
                       compared_);
  }
  compared_ += cost;
  std::map<std::string_view, std::vector<Entry>> wanted;
  for (const auto list : kLists) {
    each(preset_spec, list, meta::Path(), [&](const json::Value& entry, const meta::Path&) {
      wanted[list].push_back({&entry, keys_of(list, entry)});
    });
  }
  std::vector<std::pair<Target*, const Entry*>> missing;
  for (auto& target : targets_) {
    std::map<std::string_view, const json::Value*> fresh;  // of this preset, by key
    for (const auto& entry : wanted[target.list]) {
      bool conflict = false;
      bool there = has(target, entry, conflict);
      for (const auto& key : entry.keys) {
        const auto [place, first] = fresh.try_emplace(key, entry.value);
        there = there || !first;
        conflict = conflict || !json::equal(*place->second, *entry.value);
      }
      if (conflict) return conflict_in(target, entry);
      if (!there) missing.emplace_back(&target, &entry);
    }
  }
  bytes_ += cost;
  for (const auto& [target, entry] : missing) append(*target, *entry);
  return std::nullopt;
}

}  // namespace chandler::admission
