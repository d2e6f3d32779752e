// The record of label_projection.h: read from and written to its annotation. Plain data. Pure.
#pragma once

#include <map>
#include <optional>
#include <string>
#include <vector>

#include "json/value.h"

namespace chandler::resolve {

// What stood in a place before something was put there.
struct Former {
  enum class Kind { kAbsent, kNull, kText };
  Kind kind = Kind::kAbsent;
  std::string text;
  bool operator==(const Former&) const = default;
};

struct LabelEntry {
  std::string value;
  std::string source;
  std::vector<std::string> owners;  // sorted
  Former former;
  bool operator==(const LabelEntry&) const = default;
};

using LabelPlace = std::map<std::string, LabelEntry>;  // by key

struct LabelRecord {
  std::map<std::string, LabelPlace> places;  // by the path's text
  // Maps that were missing and had to be made, by path: true when null stood there. They are nobody's: places can lie
  // in one another, and what one of them made another may need longer.
  std::map<std::string, bool> made;
  std::map<std::string, json::Value> notes;  // by owner
  Former annotations;                        // whether there were any; kText: yes

  bool empty() const { return places.empty() && notes.empty(); }
  // nullopt: it is none, or somebody has damaged it.
  static std::optional<LabelRecord> read(std::string_view text);
  std::string write() const;  // canonical
};

}  // namespace chandler::resolve
