// Everything the server knows, in memory: a Collection per kind, fed by the store's change stream. Reads, lists and
// watches are answered from here; nothing is visible before it is durable. Thread-safe: one lock, held for the time of
// a look-up or of collecting pointers, never while bytes are produced.
#pragma once

#include <atomic>
#include <functional>
#include <memory>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "base/metrics.h"
#include "base/mutex.h"
#include "base/result.h"
#include "registry/collection.h"
#include "registry/kinds.h"
#include "registry/quota.h"
#include "storage/keyring.h"
#include "storage/store.h"

namespace chandler::registry {

// Told that a collection has changed. Called on the store's thread: cheap, no call back into the cache.
class Watcher {
 public:
  virtual ~Watcher() = default;
  virtual void notify() = 0;
};

enum class EventType { kAdded, kModified, kDeleted };

// A change as one query sees it: entering the selection is ADDED, leaving it is DELETED.
struct WatchEvent {
  EventType type = EventType::kAdded;
  DocumentPtr document;
};

struct Page {
  std::vector<DocumentPtr> items;
  Revision revision = 0;  // of the state shown
  bool more = false;
  std::optional<size_t> remaining;  // known only without selectors
};

// The parts of a store key: <group>/<plural>/<name> or <group>/<plural>/<namespace>/<name>. Empty prefix: no such key.
struct KeyParts {
  std::string_view prefix;  // "core/configmaps/"
  std::string_view ns;
  std::string_view name;
};
KeyParts split_key(std::string_view key);

class Cache final : public storage::ChangeSink {
 public:
  // `keyring` opens sealed values; null when nothing is sealed (tests).
  Cache(const storage::Keyring* keyring, metrics::Registry& metrics);

  // Makes (or re-indexes) the collection of a kind.
  Result<void> serve(const Kind& kind) CH_EXCLUDES(mutex_);
  // Fills the cache and follows the store from then on.
  Result<void> follow(storage::Store& store);

  Revision revision() const CH_EXCLUDES(mutex_);
  Revision floor() const CH_EXCLUDES(mutex_);
  size_t history_bytes() const CH_EXCLUDES(mutex_);
  // Of all objects that are here, history not included.
  Quota& quota() const { return *quota_; }

  // How documents of the kind are read now; null before serve().
  ReadingPtr reading(const Kind& kind) const CH_EXCLUDES(mutex_);

  DocumentPtr get(const Kind& kind, std::string_view ns, std::string_view name) const CH_EXCLUDES(mutex_);
  size_t count(const Kind& kind) const CH_EXCLUDES(mutex_);
  // How many objects a list for the query looks at: what it costs.
  size_t reach(const Kind& kind, const Query& query) const CH_EXCLUDES(mutex_);

  // Up to `limit` objects (0: all) from `start` on; `at` 0: now. Expired when the history does not reach back to `at`.
  Result<Page> list(const Kind& kind, const Query& query, size_t limit = 0, const ObjectKey& start = {},
                    Revision at = 0) const CH_EXCLUDES(mutex_);

  // Changes after `after` that concern the query, at most about `max` of them; returns the revision up to which all is
  // told. Expired when the history does not reach back.
  Result<Revision> changes(const Kind& kind, const Query& query, Revision after, size_t max,
                           std::vector<WatchEvent>& out) const CH_EXCLUDES(mutex_);

  // While `watcher` lives, its notify() is called after each change of the kind.
  void subscribe(const Kind& kind, const std::shared_ptr<Watcher>& watcher) CH_EXCLUDES(watchers_mutex_);

  // Called on the store's thread with every change, in order, after it is visible and before its writer is told: for
  // what must never lag behind a write (access rules). Quick, no call back into the store. Added before follow().
  using Listener = std::function<void(std::string_view prefix, const Event& event)>;
  void listen(Listener listener) { listeners_.push_back(std::move(listener)); }

  // Store keys of the objects of any kind that name `uid` as owner.
  std::vector<std::string> dependents(std::string_view uid) const CH_EXCLUDES(mutex_);
  // The object behind a store key.
  DocumentPtr get_key(std::string_view key) const CH_EXCLUDES(mutex_);

  void on_changes(std::span<const storage::Change> changes) override CH_EXCLUDES(mutex_);
  void on_compacted(Revision floor) override CH_EXCLUDES(mutex_);

 private:
  struct Prepared;
  Collection& collection(std::string_view prefix) CH_REQUIRES(mutex_);
  const Collection* find(const Kind& kind) const CH_REQUIRES_SHARED(mutex_);
  Result<Prepared> prepare(const storage::Change& change) CH_EXCLUDES(mutex_);
  // What was recorded, which stays while the lock is held and nothing else is applied; null: nothing. `grown` is added
  // to by what all objects have grown.
  const Event* apply(Prepared& prepared, bool keep_history, int64_t& grown) CH_REQUIRES(mutex_);
  void note_owners(std::string_view store_key, const Document* now, const Document* before) CH_REQUIRES(mutex_);
  void notify(const std::vector<std::string_view>& prefixes) CH_EXCLUDES(watchers_mutex_);

  const storage::Keyring* const keyring_;
  const std::unique_ptr<Quota> quota_;
  std::vector<Listener> listeners_;
  std::atomic<bool> replaying_{false};
  std::optional<Error> replay_fault_;  // of the past; only touched by follow() and what it calls

  mutable SharedMutex mutex_;
  TextMap<std::unique_ptr<Collection>> collections_ CH_GUARDED_BY(mutex_);  // once made, they stay
  TextMap<TextSet> dependents_ CH_GUARDED_BY(mutex_);                       // store keys by owner uid
  Revision revision_ CH_GUARDED_BY(mutex_) = 0;
  Revision floor_ CH_GUARDED_BY(mutex_) = 0;

  Mutex watchers_mutex_;
  TextMap<std::vector<std::weak_ptr<Watcher>>> watchers_ CH_GUARDED_BY(watchers_mutex_);
};

}  // namespace chandler::registry
