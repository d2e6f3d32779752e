// All objects of one kind: ordered by namespace and name, found by label or selectable field through inverted indexes,
// and the recent changes. Plain data structure, not thread-safe: Cache guards it.
#pragma once

#include <deque>
#include <functional>
#include <memory>
#include <string>
#include <string_view>
#include <vector>

#include <absl/container/btree_set.h>

#include "registry/document.h"
#include "registry/query.h"
#include "registry/text_map.h"

namespace chandler::registry {

// How stored bytes become documents of a kind: which fields are extracted, and the schema that they follow though it
// was changed after an object was written (custom resources only): what it no longer knows goes, new defaults come.
// Immutable.
struct Reading {
  std::vector<SelectableField> fields;
  meta::SchemaPtr schema;

  Result<DocumentPtr> read(std::string_view stored, Revision revision) const;
};
using ReadingPtr = std::shared_ptr<const Reading>;

// One change as watchers see it. `now` of a deletion is the last state carrying the revision of the deletion.
struct Event {
  Revision revision = 0;
  DocumentPtr now;
  DocumentPtr before;  // null: created
  bool deleted = false;
};

class Collection {
 public:
  // What one kind may keep of the past: an object that is renewed every second (a Lease) must not push the history of
  // all other kinds out.
  static constexpr size_t kHistoryBytes = 64 << 20;

  explicit Collection(ReadingPtr reading, size_t history_bytes = kHistoryBytes)
      : reading_(std::move(reading)), max_history_bytes_(history_bytes) {}
  Collection(const Collection&) = delete;
  Collection& operator=(const Collection&) = delete;

  // How the documents of this collection were read; another pointer means they must be read anew.
  const ReadingPtr& reading() const { return reading_; }
  size_t size() const { return objects_.size(); }
  size_t bytes() const { return bytes_; }  // held by current objects

  DocumentPtr get(std::string_view ns, std::string_view name) const;

  // Applies one change; `now` null deletes. History is kept when asked.
  // Returns what was recorded, null when nothing was. `replaced`, if given, becomes what was there before.
  const Event* apply(DocumentPtr now, std::string_view ns, std::string_view name, Revision revision, bool keep_history,
                     DocumentPtr* replaced = nullptr);
  // How many objects a scan for the query would look at.
  size_t reach(const Query& query) const;
  // Objects in order from `start` on that match, until `visit` returns false. `at` 0: now; else the state of then,
  // which the caller knows to be within the history.
  void scan(const Query& query, const ObjectKey& start, Revision at,
            const std::function<bool(const DocumentPtr&)>& visit) const;
  // Changes after `after`, oldest first, until `visit` returns false.
  void changes(Revision after, const std::function<bool(const Event&)>& visit) const;
  void forget(Revision floor);  // history up to and including it; apply() does so when it grows beyond its bound
  size_t history_bytes() const { return history_bytes_; }
  // Changes are known after this revision only.
  Revision history_floor() const { return history_floor_; }

  // Reads every object anew, another way; history up to `revision` is dropped (watchers start over).
  Result<void> reindex(ReadingPtr reading, Revision revision);

 private:
  // Where an object is kept through all its states. What orders slots, namespace and name, never changes; so whoever
  // points at one need not know that the object was updated.
  using Slot = DocumentPtr;
  struct Less {
    using is_transparent = void;
    bool operator()(const Slot* a, const Slot* b) const { return key_of(**a) < key_of(**b); }
    bool operator()(const Slot* a, const ObjectKey& b) const { return key_of(**a) < b; }
    bool operator()(const ObjectKey& a, const Slot* b) const { return a < key_of(**b); }
  };
  using SlotSet = absl::btree_set<Slot*, Less>;

  Slot* new_slot(DocumentPtr document);
  void add(std::string_view term, Slot& slot);
  void take_out(std::string_view term, Slot& slot);
  // Gives the slot the terms of `now` instead of those of `before`; null: none.
  void update_index(Slot& slot, const Document* before, const Document* now);
  // The shortest list of candidates that the indexes give for the query: all objects, when none applies; null: there
  // are none.
  const SlotSet* candidates(const Query& query) const;
  void scan_now(const Query& query, const ObjectKey& start, const std::function<bool(const DocumentPtr&)>& visit) const;

  void forget_oldest();

  ReadingPtr reading_;
  const size_t max_history_bytes_;
  std::deque<Slot> slots_;     // they never move, and take less room here than one by one
  std::vector<Slot*> vacant_;  // of those, to be used again
  SlotSet objects_;
  TextMap<SlotSet> index_;
  std::deque<Event> history_;
  Revision history_floor_ = 0;
  size_t history_bytes_ = 0;  // of superseded states
  size_t bytes_ = 0;
};

}  // namespace chandler::registry
