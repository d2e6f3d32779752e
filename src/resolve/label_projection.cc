#include "resolve/label_projection.h"

#include <algorithm>
#include <set>

#include <fmt/format.h>

#include "base/text.h"
#include "resolve/label_record.h"

namespace chandler::resolve {
namespace {

using Kind = LabelObstacle::Kind;

json::Value text_value(std::string_view s) { return json::Value(boost::json::string_view(s.data(), s.size())); }

json::Object& object_in(json::Object& parent, std::string_view key) {
  auto& value = parent[key];
  if (!value.is_object()) value.emplace_object();
  return value.get_object();
}

std::string show(const json::Value& value) {
  return value.is_string() ? quoted(json::view(value.get_string())) : fmt::format("of type {}", json::type_name(value));
}

// The object at the first `count` names of the path; null when something is missing or no object.
json::Object* object_at(json::Value& root, const LabelPath& path, size_t count) {
  json::Value* at = &root;
  for (size_t i = 0; i < count && at != nullptr; ++i) at = json::find(*at, path.names()[i]);
  return at == nullptr ? nullptr : at->if_object();
}

struct Loaded {
  LabelRecord record;
  bool readable = true;
};

Loaded load(const json::Value& object) {
  Loaded out;
  const auto* annotations = json::find_path(object, {"metadata", "annotations"});
  if (json::object_at(object, "metadata") == nullptr ||
      (annotations != nullptr && !annotations->is_null() && !annotations->is_object())) {
    out.readable = false;  // there is no place for a record
    return out;
  }
  const auto* stored = annotations == nullptr ? nullptr : json::find(*annotations, kLabelRecord);
  if (stored == nullptr || stored->is_null()) {
    out.record.annotations.kind = annotations == nullptr   ? Former::Kind::kAbsent
                                  : annotations->is_null() ? Former::Kind::kNull
                                                           : Former::Kind::kText;
    return out;
  }
  auto read = stored->is_string() ? LabelRecord::read(json::view(stored->get_string())) : std::nullopt;
  out.readable = read.has_value();
  if (read) out.record = std::move(*read);
  return out;
}

// Puts the record where it belongs, or removes it and the map that was made for it.
void save(json::Value& object, const LabelRecord& record) {
  if (!object.is_object()) return;
  auto& metadata = object_in(object.get_object(), "metadata");
  if (!record.empty()) {
    object_in(metadata, "annotations")[kLabelRecord] = text_value(record.write());
    return;
  }
  auto* annotations = metadata.if_contains("annotations");
  auto* members = annotations == nullptr ? nullptr : annotations->if_object();
  if (members == nullptr) return;
  members->erase(kLabelRecord);
  if (!members->empty() || record.annotations.kind == Former::Kind::kText) return;
  if (record.annotations.kind == Former::Kind::kNull) {
    *annotations = nullptr;
  } else {
    metadata.erase("annotations");
  }
}

void restore(json::Object& labels, const std::string& key, const LabelEntry& entry) {
  auto* current = labels.if_contains(key);
  const bool is_ours = current != nullptr && current->is_string() && json::view(current->get_string()) == entry.value;
  // Somebody else has changed or removed it since: then that is what he wants, unless nobody else has business there.
  if (!is_ours && !(entry.source.empty() && entry.former.kind == Former::Kind::kAbsent)) return;
  switch (entry.former.kind) {
    case Former::Kind::kText:
      *current = text_value(entry.former.text);
      break;
    case Former::Kind::kNull:
      *current = nullptr;
      break;
    case Former::Kind::kAbsent:
      labels.erase(key);
      break;
  }
}

// Maps that were made and are empty again go, from the innermost outwards.
void unmake(json::Value& object, LabelRecord& record) {
  std::vector<std::pair<LabelPath, bool>> made;
  for (const auto& [text, was_null] : record.made) {
    if (auto path = LabelPath::parse(text); path.ok()) made.emplace_back(std::move(*path), was_null);
  }
  std::sort(made.begin(), made.end(),
            [](const auto& a, const auto& b) { return a.first.names().size() > b.first.names().size(); });
  for (const auto& [path, was_null] : made) {
    auto* parent = object_at(object, path, path.names().size() - 1);
    auto* map = parent == nullptr ? nullptr : parent->if_contains(path.names().back());
    const auto* members = map == nullptr ? nullptr : map->if_object();
    if (members != nullptr && !members->empty()) continue;
    if (members != nullptr && was_null) {
      *map = nullptr;
    } else if (members != nullptr) {
      parent->erase(path.names().back());
    }
    record.made.erase(path.str());  // also when somebody else has removed it
  }
}

// Takes the owner off every label for which `keep` does not speak.
template <typename Keep>
void release(json::Value& object, LabelRecord& record, std::string_view owner, Keep keep) {
  for (auto place = record.places.begin(); place != record.places.end();) {
    const auto path = LabelPath::parse(place->first);
    if (!path.ok()) {  // the record was read, so it parses
      ++place;
      continue;
    }
    auto& entries = place->second;
    for (auto entry = entries.begin(); entry != entries.end();) {
      auto& owners = entry->second.owners;
      const auto mine = std::find(owners.begin(), owners.end(), owner);
      if (mine == owners.end() || keep(place->first, entry->first)) {
        ++entry;
        continue;
      }
      owners.erase(mine);
      if (!owners.empty()) {
        ++entry;
        continue;
      }
      if (auto* labels = object_at(object, *path, path->names().size())) restore(*labels, entry->first, entry->second);
      entry = entries.erase(entry);
    }
    place = entries.empty() ? record.places.erase(place) : std::next(place);
  }
  unmake(object, record);
}

// The map at the path, made where it is missing; null when something on the way is no object.
json::Object* make_map(json::Value& object, const LabelPath& path, LabelRecord& record, LabelObstacle& obstacle) {
  json::Value* at = &object;
  for (size_t i = 0; i < path.names().size(); ++i) {
    auto* members = at->if_object();
    if (members == nullptr) {
      obstacle = {
          Kind::kPathBlocked,
          fmt::format("{} is {} and not an object, so there is no place for labels at {}; correct the labelsPath "
                      "of the UsageKind, or the workload",
                      i == 0 ? "the workload" : path.prefix(i), json::type_name(*at), path.str())};
      return nullptr;
    }
    auto* next = members->if_contains(path.names()[i]);
    if (next == nullptr || next->is_null()) {
      record.made.emplace(path.prefix(i + 1), next != nullptr);
      next = &(*members)[path.names()[i]];
      next->emplace_object();
    }
    at = next;
  }
  if (auto* labels = at->if_object()) return labels;
  obstacle = {Kind::kPathBlocked,
              fmt::format("{} is {} and not a map of labels; correct the labelsPath of the UsageKind, or the workload",
                          path.str(), json::type_name(*at))};
  return nullptr;
}

std::string conflict_message(const LabelClaim& claim, const WantedLabel& label, std::string_view has, bool ours) {
  return fmt::format("label {} at {} is {} and would have to be {}; {}", label.key, claim.path.str(), has,
                     quoted(label.value),
                     ours ? "another usage put it there: remove one of the two"
                          : "somebody else set it: remove it from the workload, or do not use this binding here");
}

// The owner has this label from now on, or there is a reason against it.
std::optional<std::string> acquire(json::Object& labels, LabelPlace& place, const LabelClaim& claim,
                                   const WantedLabel& label) {
  const auto found = place.find(label.key);
  if (found == place.end()) {
    LabelEntry entry{label.value, label.source, {claim.owner}, {}};
    const auto* current = labels.if_contains(label.key);
    if (current != nullptr && !label.source.empty()) {
      const auto* there = current->if_string();
      if (current->is_null()) {
        entry.former.kind = Former::Kind::kNull;
      } else if (there == nullptr || json::view(*there) != label.value) {
        return conflict_message(claim, label, show(*current), false);
      } else {
        entry.former = {Former::Kind::kText, label.value};
      }
    }
    place.emplace(label.key, std::move(entry));
  } else {
    auto& entry = found->second;
    auto& owners = entry.owners;
    const auto mine = std::lower_bound(owners.begin(), owners.end(), claim.owner);
    const bool is_mine = mine != owners.end() && *mine == claim.owner;
    const bool alone = is_mine && owners.size() == 1;
    const bool agrees = entry.value == label.value || (entry.source == label.source && !label.source.empty());
    if (!alone && !agrees) return conflict_message(claim, label, quoted(entry.value), true);
    if (!is_mine) owners.insert(mine, claim.owner);
    if (alone && entry.value != label.value) entry.source = label.source;
    entry.value = label.value;
  }
  labels[label.key] = text_value(label.value);
  return std::nullopt;
}

}  // namespace

std::optional<LabelObstacle> project_labels(json::Value& object, const LabelClaim& claim) {
  auto [record, readable] = load(object);
  if (!readable) {
    return LabelObstacle{Kind::kRecordUnreadable,
                         fmt::format("the annotation {} of the workload was changed and cannot be read; remove it, and "
                                     "the labels are put on again",
                                     kLabelRecord)};
  }
  json::Value draft = object;
  const auto here = claim.path.str();
  std::set<std::string_view> wanted;
  for (const auto& label : claim.labels) wanted.insert(label.key);
  release(draft, record, claim.owner,
          [&](const std::string& path, const std::string& key) { return path == here && wanted.contains(key); });
  if (!claim.labels.empty()) {
    LabelObstacle obstacle;
    auto* labels = make_map(draft, claim.path, record, obstacle);
    if (labels == nullptr) return obstacle;
    auto& place = record.places[here];
    for (const auto& label : claim.labels) {
      if (auto why = acquire(*labels, place, claim, label)) return LabelObstacle{Kind::kConflict, std::move(*why)};
    }
  }
  record.notes[claim.owner] = claim.note;
  if (const auto size = record.write().size(); size > kLargestLabelRecord) {
    return LabelObstacle{
        Kind::kRecordTooLarge,
        fmt::format("the record of injected labels would have {} bytes, more than {}; fewer usages fit on one workload",
                    size, kLargestLabelRecord)};
  }
  save(draft, record);
  object = std::move(draft);
  return std::nullopt;
}

bool withdraw_labels(json::Value& object, std::string_view owner, const LabelPath& path,
                     const std::vector<std::string>& own_keys) {
  bool changed = false;
  // Also where the record is lost: nobody else would ever take them off.
  if (auto* labels = object_at(object, path, path.names().size())) {
    for (const auto& key : own_keys) changed = labels->erase(key) > 0 || changed;
  }
  auto [record, readable] = load(object);
  if (readable && holds_labels(object, owner)) {
    release(object, record, owner, [](const std::string&, const std::string&) { return false; });
    record.notes.erase(std::string(owner));
    save(object, record);
    changed = true;
  }
  return changed;
}

bool holds_labels(const json::Value& object, std::string_view owner) {
  const auto [record, readable] = load(object);
  if (!readable) return false;
  if (record.notes.contains(std::string(owner))) return true;
  return std::any_of(record.places.begin(), record.places.end(), [&](const auto& place) {
    return std::any_of(place.second.begin(), place.second.end(), [&](const auto& entry) {
      const auto& owners = entry.second.owners;
      return std::find(owners.begin(), owners.end(), owner) != owners.end();
    });
  });
}

const json::Object* labels_at(const json::Value& object, const LabelPath& path) {
  const json::Value* at = &object;
  for (const auto& name : path.names()) {
    at = json::find(*at, name);
    if (at == nullptr) return nullptr;
  }
  return at->if_object();
}

}  // namespace chandler::resolve
