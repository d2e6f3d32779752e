#include "registry/cache.h"

#include <algorithm>
#include <bit>
#include <utility>

#include <fmt/format.h>

#include "base/log.h"
#include "registry/draft.h"

namespace chandler::registry {
namespace {

bool same_owners(const Document& a, const Document& b) {
  if (a.owner_count() != b.owner_count()) return false;
  for (size_t i = 0; i < a.owner_count(); ++i) {
    if (a.owner(i) != b.owner(i)) return false;
  }
  return true;
}

}  // namespace

KeyParts split_key(std::string_view key) {
  const size_t group = key.find('/');
  const size_t plural = key.find('/', group + 1);
  if (group == std::string_view::npos || plural == std::string_view::npos) return {};
  const auto rest = key.substr(plural + 1);
  const size_t slash = rest.find('/');
  if (slash == std::string_view::npos) return {key.substr(0, plural + 1), "", rest};
  return {key.substr(0, plural + 1), rest.substr(0, slash), rest.substr(slash + 1)};
}

// A change with its document read, ready to be put in place.
struct Cache::Prepared {
  std::string_view store_key;
  KeyParts key;
  Revision revision = 0;
  DocumentPtr document;  // null: deleted
  Collection* target = nullptr;
  ReadingPtr reading;  // how the document was read
  size_t claimed = 0;  // of the quota, by the write
};

Cache::Cache(const storage::Keyring* keyring, metrics::Registry& metrics)
    : keyring_(keyring), quota_(std::make_unique<Quota>(metrics)) {
  metrics.gauge_function("chandler_cache_objects", "Objects held in memory.", [this] {
    ReadLock lock(mutex_);
    size_t count = 0;
    for (const auto& [prefix, collection] : collections_) count += collection->size();
    return static_cast<int64_t>(count);
  });
  metrics.gauge_function("chandler_cache_bytes", "Bytes of the objects held in memory.",
                         [this] { return static_cast<int64_t>(quota_->used()); });
  metrics.gauge_function("chandler_cache_history_bytes", "Bytes of superseded states kept for watches.",
                         [this] { return static_cast<int64_t>(history_bytes()); });
}

Collection& Cache::collection(std::string_view prefix) {
  if (const auto it = collections_.find(prefix); it != collections_.end()) return *it->second;
  return *collections_.try_emplace(std::string(prefix), std::make_unique<Collection>(std::make_shared<Reading>()))
              .first->second;
}

const Collection* Cache::find(const Kind& kind) const {
  const auto it = collections_.find(kind.prefix());
  return it == collections_.end() ? nullptr : it->second.get();
}

Result<void> Cache::serve(const Kind& kind) {
  auto reading = std::make_shared<Reading>();
  reading->fields = kind.storage_version().selectable;
  if (!kind.crd_uid.empty()) reading->schema = kind.storage_version().schema;
  int64_t grown = 0;
  Result<void> read;
  {
    WriteLock lock(mutex_);
    auto& target = collection(kind.prefix());
    const auto& before = *target.reading();
    if (before.schema == reading->schema && before.fields == reading->fields) return {};
    const size_t bytes = target.bytes();
    read = target.reindex(std::move(reading), revision_);
    grown = static_cast<int64_t>(target.bytes()) - static_cast<int64_t>(bytes);
  }
  quota_->settle(grown, 0);
  return read;
}

Result<void> Cache::follow(storage::Store& store) {
  {
    WriteLock lock(mutex_);
    floor_ = store.floor();
    revision_ = floor_;
  }
  Result<void> failed;
  const auto state = [&](const storage::Entry& entry) {
    auto prepared = prepare({entry.revision, entry.key, std::string_view(entry.value)});
    if (!prepared.ok()) {
      if (failed.ok()) failed = fail(std::move(prepared).error());
      return;
    }
    int64_t grown = 0;
    {
      WriteLock lock(mutex_);
      apply(*prepared, false, grown);
    }
    quota_->settle(grown, 0);
  };
  replaying_ = true;
  auto attached = store.attach(*this, state);
  replaying_ = false;
  CH_TRY(std::move(attached));
  CH_TRY(std::move(failed));
  if (replay_fault_) return *replay_fault_;
  WriteLock lock(mutex_);
  revision_ = std::max(revision_, store.revision());
  return {};
}

Revision Cache::revision() const {
  ReadLock lock(mutex_);
  return revision_;
}

Revision Cache::floor() const {
  ReadLock lock(mutex_);
  return floor_;
}

size_t Cache::history_bytes() const {
  ReadLock lock(mutex_);
  size_t bytes = 0;
  for (const auto& [prefix, collection] : collections_) bytes += collection->history_bytes();
  return bytes;
}

ReadingPtr Cache::reading(const Kind& kind) const {
  ReadLock lock(mutex_);
  const auto* objects = find(kind);
  return objects == nullptr ? nullptr : objects->reading();
}

DocumentPtr Cache::get(const Kind& kind, std::string_view ns, std::string_view name) const {
  ReadLock lock(mutex_);
  const auto* objects = find(kind);
  return objects == nullptr ? nullptr : objects->get(kind.namespaced ? ns : "", name);
}

size_t Cache::count(const Kind& kind) const {
  ReadLock lock(mutex_);
  const auto* objects = find(kind);
  return objects == nullptr ? 0 : objects->size();
}

size_t Cache::reach(const Kind& kind, const Query& query) const {
  ReadLock lock(mutex_);
  const auto* objects = find(kind);
  return objects == nullptr ? 0 : objects->reach(query);
}

Result<Page> Cache::list(const Kind& kind, const Query& query, size_t limit, const ObjectKey& start,
                         Revision at) const {
  Page page;
  ReadLock lock(mutex_);
  page.revision = at == 0 ? revision_ : at;
  const auto* objects = find(kind);
  const Revision known_after = objects == nullptr ? floor_ : std::max(floor_, objects->history_floor());
  if (at > revision_) {  // of a history that was rolled back, by restoring a backup
    return expired(fmt::format("The provided continue parameter is ahead of this server: {} ({})", at, revision_));
  }
  if (at != 0 && at < known_after) {
    return expired(
        fmt::format("The provided continue parameter or resourceVersion is too old: {} ({})", at, known_after));
  }
  if (objects == nullptr) return page;
  size_t remaining = 0;
  objects->scan(query, start, at, [&](const DocumentPtr& document) {
    if (limit == 0 || page.items.size() < limit) {
      page.items.push_back(document);
      return true;
    }
    page.more = true;
    ++remaining;
    return !query.selective();  // counting on is cheap only without selectors
  });
  if (page.more && !query.selective()) page.remaining = remaining;
  return page;
}

Result<Revision> Cache::changes(const Kind& kind, const Query& query, Revision after, size_t max,
                                std::vector<WatchEvent>& out) const {
  ReadLock lock(mutex_);
  const auto* objects = find(kind);
  const Revision known_after = objects == nullptr ? floor_ : std::max(floor_, objects->history_floor());
  if (after < known_after) return expired(fmt::format("too old resource version: {} ({})", after, known_after));
  if (objects == nullptr) return revision_;
  Revision told = std::max(revision_, after);
  objects->changes(after, [&](const Event& event) {
    const bool was = event.before != nullptr && query.matches(*event.before);
    const bool is = !event.deleted && query.matches(*event.now);
    if (was && !is) {
      auto last = event.deleted ? event.now : event.before->at_revision(event.revision, objects->reading()->fields);
      out.push_back({EventType::kDeleted, std::move(last)});
    } else if (is) {
      out.push_back({was ? EventType::kModified : EventType::kAdded, event.now});
    }
    if (out.size() < max) return true;
    told = event.revision;
    return false;
  });
  return told;
}

void Cache::subscribe(const Kind& kind, const std::shared_ptr<Watcher>& watcher) {
  MutexLock lock(watchers_mutex_);
  auto& list = watchers_[kind.prefix()];
  // Those that are gone are dropped by the next change; where nothing changes, whenever the list has doubled.
  if (std::has_single_bit(list.size())) std::erase_if(list, [](const auto& weak) { return weak.expired(); });
  list.push_back(watcher);
}

void Cache::notify(const std::vector<std::string_view>& prefixes) {
  MutexLock lock(watchers_mutex_);
  const auto tell = [this](std::string_view prefix) CH_REQUIRES(watchers_mutex_) {
    const auto it = watchers_.find(prefix);
    if (it == watchers_.end()) return;
    std::erase_if(it->second, [](const std::weak_ptr<Watcher>& weak) {
      const auto watcher = weak.lock();
      if (watcher != nullptr) watcher->notify();
      return watcher == nullptr;
    });
  };
  for (const auto prefix : prefixes) tell(prefix);
}

std::vector<std::string> Cache::dependents(std::string_view uid) const {
  ReadLock lock(mutex_);
  const auto it = dependents_.find(uid);
  if (it == dependents_.end()) return {};
  return {it->second.begin(), it->second.end()};
}

DocumentPtr Cache::get_key(std::string_view key) const {
  const auto parts = split_key(key);
  ReadLock lock(mutex_);
  const auto it = collections_.find(parts.prefix);
  return it == collections_.end() ? nullptr : it->second->get(parts.ns, parts.name);
}

Result<Cache::Prepared> Cache::prepare(const storage::Change& change) {
  Prepared prepared;
  prepared.store_key = change.key;
  prepared.key = split_key(change.key);
  prepared.revision = change.revision;
  if (prepared.key.prefix.empty()) return internal_error(fmt::format("unexpected key {} in the store", change.key));
  {
    ReadLock lock(mutex_);
    if (const auto it = collections_.find(prepared.key.prefix); it != collections_.end()) {
      prepared.target = it->second.get();
      prepared.reading = prepared.target->reading();
    }
  }
  if (prepared.target == nullptr) {
    WriteLock lock(mutex_);
    prepared.target = &collection(prepared.key.prefix);
    prepared.reading = prepared.target->reading();
  }
  if (!change.value.has_value()) return prepared;
  auto* draft = dynamic_cast<Draft*>(change.attachment);
  if (draft != nullptr && draft->reading == prepared.reading) {
    if (auto document = std::exchange(draft->document, nullptr);
        document != nullptr && document->finish(change.revision)) {
      prepared.document = std::move(document);
      draft->published = prepared.document;
      prepared.claimed = std::exchange(draft->claimed, 0);
      return prepared;
    }
  }
  std::string opened;
  std::string_view bytes = *change.value;
  if (storage::Keyring::is_sealed(bytes)) {
    if (keyring_ == nullptr) return internal_error(fmt::format("no key to read {}", change.key));
    CH_TRY_LET(plain, keyring_->open_sealed(bytes, change.key));
    opened = std::move(plain);
    bytes = opened;
  }
  CH_TRY_LET(document, prepared.reading->read(bytes, change.revision));
  prepared.document = std::move(document);
  if (draft != nullptr) {
    draft->published = prepared.document;
    prepared.claimed = std::exchange(draft->claimed, 0);
  }
  return prepared;
}

void Cache::note_owners(std::string_view store_key, const Document* now, const Document* before) {
  if (now != nullptr && before != nullptr && same_owners(*now, *before)) return;
  for (size_t i = 0; before != nullptr && i < before->owner_count(); ++i) {
    const auto it = dependents_.find(before->owner(i));
    if (it == dependents_.end()) continue;
    it->second.erase(store_key);
    if (it->second.empty()) dependents_.erase(it);
  }
  for (size_t i = 0; now != nullptr && i < now->owner_count(); ++i) {
    dependents_[std::string(now->owner(i))].emplace(store_key);
  }
}

const Event* Cache::apply(Prepared& prepared, bool keep_history, int64_t& grown) {
  auto& target = *prepared.target;
  const size_t bytes = target.bytes();
  if (prepared.document != nullptr && prepared.reading != target.reading()) {
    // The kind changed between reading and now.
    auto anew = target.reading()->read(prepared.document->stored(), prepared.revision);
    if (anew.ok()) prepared.document = std::move(anew).value();
  }
  DocumentPtr before;
  const auto* event =
      target.apply(prepared.document, prepared.key.ns, prepared.key.name, prepared.revision, keep_history, &before);
  grown += static_cast<int64_t>(target.bytes()) - static_cast<int64_t>(bytes);
  note_owners(prepared.store_key, prepared.document.get(), before.get());
  revision_ = std::max(revision_, prepared.revision);
  return event;
}

void Cache::on_changes(std::span<const storage::Change> changes) {
  std::vector<Prepared> batch;
  batch.reserve(changes.size());
  for (const auto& change : changes) {
    auto prepared = prepare(change);
    if (!prepared.ok()) {
      // The past must be complete, or the server does not start.
      if (replaying_ && !replay_fault_) replay_fault_ = prepared.error();
      // Nothing of ours writes such a value; leaving it out keeps the rest of the catalog served.
      log::error("a change could not be read", {{"key", change.key}, {"error", prepared.error().message}});
      continue;
    }
    batch.push_back(std::move(prepared).value());
  }
  std::vector<std::string_view> prefixes;
  std::vector<std::pair<std::string_view, Event>> events;
  events.reserve(batch.size());
  int64_t grown = 0;
  size_t claimed = 0;
  {
    WriteLock lock(mutex_);
    for (auto& prepared : batch) {
      claimed += prepared.claimed;
      if (const auto* event = apply(prepared, true, grown)) events.emplace_back(prepared.key.prefix, *event);
      if (std::find(prefixes.begin(), prefixes.end(), prepared.key.prefix) == prefixes.end()) {
        prefixes.push_back(prepared.key.prefix);
      }
    }
    if (!changes.empty()) revision_ = std::max(revision_, changes.back().revision);
  }
  quota_->settle(grown, claimed);
  for (const auto& listener : listeners_) {
    for (const auto& [prefix, event] : events) listener(prefix, event);
  }
  notify(prefixes);
}

void Cache::on_compacted(Revision floor) {
  WriteLock lock(mutex_);
  floor_ = std::max(floor_, floor);
  for (const auto& [prefix, collection] : collections_) collection->forget(floor_);
}

}  // namespace chandler::registry
