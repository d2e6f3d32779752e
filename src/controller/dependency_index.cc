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

void DependencyIndex::add(KeyId key, const Read& read) {
  readers_[read].insert(key);
  if (!read.field.empty()) ++fields_[read.kind][read.field];
}

void DependencyIndex::remove(KeyId key, const Read& read) {
  const auto readers = readers_.find(read);
  readers->second.erase(key);
  if (readers->second.empty()) readers_.erase(readers);
  if (read.field.empty()) return;
  auto& of_kind = fields_[read.kind];
  if (const auto field = of_kind.find(read.field); --field->second == 0) of_kind.erase(field);
}

void DependencyIndex::replace(KeyId key, std::vector<Read> reads) {
  std::sort(reads.begin(), reads.end());
  reads.erase(std::unique(reads.begin(), reads.end()), reads.end());
  const auto known = reads_.find(key);
  if (known == reads_.end()) {
    for (const auto& read : reads) add(key, read);
    if (!reads.empty()) reads_.emplace(key, std::move(reads));
    return;
  }
  // From one run to the next most reads are the same; only the others are touched. Both lists are in order.
  auto old = known->second.begin();
  for (const auto& read : reads) {
    while (old != known->second.end() && *old < read) remove(key, *old++);
    if (old != known->second.end() && *old == read) {
      ++old;
    } else {
      add(key, read);
    }
  }
  while (old != known->second.end()) remove(key, *old++);
  if (reads.empty()) {
    reads_.erase(known);
  } else {
    known->second = std::move(reads);
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
