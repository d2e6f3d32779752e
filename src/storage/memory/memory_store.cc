#include "storage/memory/memory_store.h"

#include <algorithm>
#include <utility>

#include "base/ids.h"
#include "storage/revision_window.h"

namespace chandler::storage {

MemoryStore::MemoryStore(CommitLimits limits, metrics::Registry* metrics)
    : id_(new_uuid()), commits_(*this, limits, 0, metrics) {}

MemoryStore::~MemoryStore() = default;

Revision MemoryStore::floor() const {
  ReadLock lock(mutex_);
  return floor_;
}

void MemoryStore::commit(Write write, Callback done) { commits_.commit(std::move(write), std::move(done)); }

Result<std::vector<WriteOutcome>> MemoryStore::apply(std::span<const Write> batch) {
  std::vector<WriteOutcome> outcomes;
  outcomes.reserve(batch.size());
  WriteLock lock(mutex_);
  for (const auto& write : batch) outcomes.push_back(apply_one(write));
  return outcomes;
}

WriteOutcome MemoryStore::apply_one(const Write& write) {
  const auto found = keys_.find(write.key);
  const bool present = found != keys_.end() && found->second.back().value != nullptr;
  const Revision current = present ? found->second.back().revision : 0;
  if (write.expected != Write::kAny && write.expected != current) return {false, current};
  if (!write.value && !present) return {false, 0};

  auto value = write.value ? std::make_shared<const std::string>(*write.value) : nullptr;
  ++newest_;
  keys_[write.key].push_back({newest_, value});
  log_.push_back({newest_, write.key, std::move(value)});
  return {true, newest_};
}

const MemoryStore::Version* MemoryStore::version_at(const Versions& versions, Revision at) {
  const auto after = std::upper_bound(versions.begin(), versions.end(), at,
                                      [](Revision revision, const Version& v) { return revision < v.revision; });
  if (after == versions.begin()) return nullptr;
  const auto& version = *std::prev(after);
  return version.value ? &version : nullptr;
}

Result<std::optional<Entry>> MemoryStore::get(std::string_view key, Revision at) {
  ReadLock lock(mutex_);
  CH_TRY_LET(shown, readable_revision(at, floor_, newest_));
  const auto found = keys_.find(key);
  const auto* version = found == keys_.end() ? nullptr : version_at(found->second, shown);
  if (version == nullptr) return std::optional<Entry>();
  return std::optional<Entry>(Entry{found->first, *version->value, version->revision});
}

Result<Revision> MemoryStore::range(std::string_view prefix, std::string_view start, Revision at,
                                    const std::function<bool(const Entry&)>& visit) {
  struct Hit {
    std::string key;
    Value value;
    Revision revision;
  };
  std::vector<Hit> hits;  // visited without the lock, so that `visit` may read the store
  Revision shown = 0;
  {
    ReadLock lock(mutex_);
    CH_TRY_LET(checked, readable_revision(at, floor_, newest_));
    shown = checked;
    for (auto it = keys_.lower_bound(std::max(prefix, start)); it != keys_.end() && it->first.starts_with(prefix);
         ++it) {
      if (const auto* version = version_at(it->second, shown)) {
        hits.push_back({it->first, version->value, version->revision});
      }
    }
  }
  for (auto& hit : hits) {
    if (!visit({std::move(hit.key), *hit.value, hit.revision})) break;
  }
  return shown;
}

Result<void> MemoryStore::snapshot(SnapshotSink& sink) {
  struct Live {
    Revision revision;
    std::string key;
    Value value;
  };
  std::vector<Live> live;  // told without the lock
  SnapshotHead head;
  head.store = id_;
  {
    ReadLock lock(mutex_);
    head.revision = newest_;
    for (const auto& [key, versions] : keys_) {
      if (versions.back().value) live.push_back({versions.back().revision, key, versions.back().value});
    }
  }
  std::sort(live.begin(), live.end(), [](const Live& a, const Live& b) { return a.revision < b.revision; });
  head.entries = static_cast<int64_t>(live.size());
  CH_TRY(sink.begin(head));
  for (const auto& entry : live) CH_TRY(sink.entry(entry.revision, entry.key, *entry.value));
  return {};
}

void MemoryStore::tell_past(ChangeSink& sink, const std::function<void(const Entry&)>& state) {
  std::vector<Entry> entries;
  std::deque<LogRow> history;
  {
    ReadLock lock(mutex_);
    for (const auto& [key, versions] : keys_) {
      if (const auto* version = version_at(versions, floor_)) {
        entries.push_back({key, *version->value, version->revision});
      }
    }
    history = log_;
  }
  for (const auto& entry : entries) state(entry);
  std::vector<Change> changes;
  changes.reserve(history.size());
  for (const auto& row : history) {
    changes.push_back({row.revision, row.key, row.value ? std::optional<std::string_view>(*row.value) : std::nullopt});
  }
  if (!changes.empty()) sink.on_changes(changes);
}

Result<void> MemoryStore::attach(ChangeSink& sink, const std::function<void(const Entry&)>& state) {
  // Wholly on the commit thread: nothing can be committed between the past and the future.
  commits_.run([&] {
    tell_past(sink, state);
    commits_.add_sink(sink);
  });
  return {};
}

void MemoryStore::detach(ChangeSink& sink) {
  commits_.run([&] { commits_.remove_sink(sink); });
}

Result<void> MemoryStore::compact(Revision floor) {
  commits_.run([&] {
    Revision raised = 0;
    {
      WriteLock lock(mutex_);
      raised = std::min(floor, newest_);
      if (raised <= floor_) return;
      forget_below(raised);
    }
    commits_.tell_compacted(raised);
  });
  return {};
}

void MemoryStore::forget_below(Revision floor) {
  floor_ = floor;
  while (!log_.empty() && log_.front().revision <= floor) {
    // Of each key only what was live at the floor stays; a key that is in no log row up to here has nothing to forget.
    const auto found = keys_.find(log_.front().key);
    if (found != keys_.end()) {
      auto& versions = found->second;
      auto first = std::upper_bound(versions.begin(), versions.end(), floor,
                                    [](Revision revision, const Version& v) { return revision < v.revision; });
      if (first != versions.begin() && std::prev(first)->value) --first;
      versions.erase(versions.begin(), first);
      if (versions.empty()) keys_.erase(found);
    }
    log_.pop_front();
  }
}

}  // namespace chandler::storage
