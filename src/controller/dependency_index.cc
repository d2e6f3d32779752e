#include "controller/dependency_index.h"

#include <algorithm>
#include <functional>
#include <utility>

#include "base/text_hash.h"

namespace chandler::controller {

// Without the group: the same word in two of them is rare.
size_t DependencyIndex::ReadHash::operator()(const ReadView& read) const {
  size_t seed = 0;
  for (const std::string_view part : {read.kind.plural, read.ns, read.name, read.field, read.value}) {
    seed *= 0x9e3779b97f4a7c15ULL;
    if (!part.empty()) seed ^= hash_text(part);
    seed ^= seed >> 32;
  }
  return seed;
}

void DependencyIndex::Readers::add(KeyId key) {
  if (empty()) {
    one_ = key;
    return;
  }
  if (many_ == nullptr) {
    many_ = std::make_unique<boost::unordered_flat_set<KeyId>>();
    many_->insert(std::exchange(one_, 0));
  }
  many_->insert(key);
}

void DependencyIndex::Readers::remove(KeyId key) {
  if (many_ == nullptr) {
    one_ = 0;
    return;
  }
  many_->erase(key);
  if (many_->empty()) many_.reset();
}

void DependencyIndex::Readers::append_to(std::vector<KeyId>& out) const {
  if (many_ != nullptr) {
    out.insert(out.end(), many_->begin(), many_->end());
  } else if (one_ != 0) {
    out.push_back(one_);
  }
}

std::vector<DependencyIndex::Sort>::iterator DependencyIndex::sort_of(const Read& read, std::vector<Sort>& sorts) {
  return std::find_if(sorts.begin(), sorts.end(), [&read](const Sort& sort) {
    return sort.in_namespace != read.ns.empty() && sort.field == read.field;
  });
}

DependencyIndex::Entry* DependencyIndex::entry_for(Read&& given) {
  const auto [entry, is_new] = readers_.try_emplace(std::move(given));
  const Read& read = entry->first;
  if (!is_new || !read.name.empty()) return &*entry;
  auto& sorts = sorts_[read.kind];
  if (const auto known = sort_of(read, sorts); known != sorts.end()) {
    ++known->reads;
  } else {
    sorts.push_back({read.field, !read.ns.empty(), 1});
  }
  return &*entry;
}

void DependencyIndex::remove(KeyId key, Entry& entry) {
  auto& [read, readers] = entry;
  readers.remove(key);
  if (!readers.empty()) return;
  if (read.name.empty()) {
    auto& sorts = sorts_[read.kind];
    const auto known = sort_of(read, sorts);
    if (--known->reads == 0) sorts.erase(known);
  }
  readers_.erase(readers_.find(read));
}

void DependencyIndex::replace(KeyId key, std::vector<Read> reads) {
  const auto known = reads_.find(key);
  if (reads.empty() && known == reads_.end()) return;
  std::vector<Entry*> now;
  now.reserve(reads.size());
  for (auto& read : reads) now.push_back(entry_for(std::move(read)));
  std::sort(now.begin(), now.end(), std::less<>());
  now.erase(std::unique(now.begin(), now.end()), now.end());
  if (known == reads_.end()) {
    for (Entry* entry : now) entry->second.add(key);
    reads_.emplace(key, std::move(now));
    return;
  }
  // From one run to the next most reads are the same; only the others are touched.
  const auto is_in = [](const std::vector<Entry*>& entries, Entry* entry) {
    return std::binary_search(entries.begin(), entries.end(), entry, std::less<>());
  };
  for (Entry* entry : now) {
    if (!is_in(known->second, entry)) entry->second.add(key);
  }
  for (Entry* entry : known->second) {
    if (!is_in(now, entry)) remove(key, *entry);
  }
  if (now.empty()) {
    reads_.erase(known);
  } else {
    known->second = std::move(now);
  }
}

void DependencyIndex::collect(const ReadView& read, std::vector<KeyId>& out) const {
  if (const auto found = readers_.find(read); found != readers_.end()) found->second.append_to(out);
}

std::vector<KeyId> DependencyIndex::concerned(const client::Change& change, const client::State& state) const {
  const client::Object& any = change.now ? change.now : change.before;
  std::vector<KeyId> out;
  collect({change.kind, any.ns(), any.name(), "", ""}, out);
  if (const auto sorts = sorts_.find(change.kind); sorts != sorts_.end()) {
    for (const auto& sort : sorts->second) {
      if (sort.in_namespace && any.ns().empty()) continue;
      ReadView read{change.kind, sort.in_namespace ? any.ns() : "", "", sort.field, ""};
      if (sort.field.empty()) {
        collect(read, out);
        continue;
      }
      const auto value_in = [&](const client::Object& object) { return state.field(change.kind, object, sort.field); };
      if (change.before) {
        read.value = value_in(change.before);
        collect(read, out);
      }
      if (!change.now) continue;
      const auto value = value_in(change.now);
      if (change.before && value == read.value) continue;
      read.value = value;
      collect(read, out);
    }
  }
  std::sort(out.begin(), out.end());
  out.erase(std::unique(out.begin(), out.end()), out.end());
  return out;
}

}  // namespace chandler::controller
