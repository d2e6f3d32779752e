#include "controller/dependency_index.h"

#include <algorithm>
#include <functional>
#include <utility>

namespace chandler::controller {

size_t DependencyIndex::ReadHash::operator()(const Read& read) const {
  size_t seed = 0;
  for (const std::string_view part :
       {read.kind.group, read.kind.plural, std::string_view(read.ns), std::string_view(read.name),
        std::string_view(read.field), std::string_view(read.value)}) {
    seed ^= std::hash<std::string_view>{}(part) + 0x9e3779b97f4a7c15ULL + (seed << 6) + (seed >> 2);
  }
  return seed;
}

void DependencyIndex::replace(KeyId key, std::vector<Read> reads) {
  std::sort(reads.begin(), reads.end());
  reads.erase(std::unique(reads.begin(), reads.end()), reads.end());
  const auto known = reads_.find(key);
  if (known != reads_.end()) {
    if (known->second == reads) return;  // the usual case: the same object looks at the same things
    for (const auto& read : known->second) {
      const auto readers = readers_.find(read);
      readers->second.erase(key);
      if (readers->second.empty()) readers_.erase(readers);
      if (read.field.empty()) continue;
      auto& of_kind = fields_[read.kind];
      if (const auto field = of_kind.find(read.field); --field->second == 0) of_kind.erase(field);
    }
  }
  for (const auto& read : reads) {
    readers_[read].insert(key);
    if (!read.field.empty()) ++fields_[read.kind][read.field];
  }
  if (reads.empty()) {
    if (known != reads_.end()) reads_.erase(known);
  } else {
    reads_[key] = std::move(reads);
  }
}

void DependencyIndex::collect(const Read& read, std::vector<KeyId>& out) const {
  if (const auto found = readers_.find(read); found != readers_.end())
    out.insert(out.end(), found->second.begin(), found->second.end());
}

std::vector<KeyId> DependencyIndex::concerned(const client::Change& change, const client::State& state) const {
  const client::Object& any = change.now ? change.now : change.before;
  std::vector<KeyId> out;
  Read read{change.kind, std::string(any.ns()), std::string(any.name()), "", ""};
  collect(read, out);
  read.name.clear();

  // Lists were made of one namespace or of all.
  std::vector<std::string> places{""};
  if (!any.ns().empty()) places.emplace_back(any.ns());
  const auto fields = fields_.find(change.kind);
  for (const auto& place : places) {
    read.ns = place;
    read.field.clear();
    read.value.clear();
    collect(read, out);
    if (fields == fields_.end()) continue;
    for (const auto& [field, count] : fields->second) {
      read.field = field;
      for (const client::Object* object : {&change.before, &change.now}) {
        if (!*object) continue;
        read.value = state.field(change.kind, *object, field);
        collect(read, out);
      }
    }
  }
  std::sort(out.begin(), out.end());
  out.erase(std::unique(out.begin(), out.end()), out.end());
  return out;
}

}  // namespace chandler::controller
