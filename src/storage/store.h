// The storage seam: revisioned keys with a change stream. It knows bytes, not kinds. Implementations: memory/ (tests,
// no durability), embedded/ (SQLite, the default), later etcd/. tests/conformance/store_suite.h says what each must do.
//
// One counter of revisions per store; every successful write takes the next one, so revisions are the order of commits.
// The floor is the oldest revision whose state can still be told: state at the floor plus all changes after it are
// kept, over restarts too; compact() raises it.
#pragma once

#include <cstdint>
#include <functional>
#include <memory>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "base/result.h"

namespace chandler::storage {

using Revision = int64_t;  // first write: 1; 0: nothing was ever written

struct Entry {
  std::string key;
  std::string value;
  Revision revision = 0;  // of the write that put this value
};

// What a writer hands to the sinks of its own process beside the bytes, so that they need not read these again. It is
// never stored: a sink must do without it, as history has none. Belongs to the store's thread while the write is
// queued.
class Attachment {
 public:
  virtual ~Attachment() = default;

  // The write's own memory, given back by the store before the writer is told, so that the writer can see to it that
  // the thread that allocated it frees it. That is what an allocator with a cache per thread is quick at.
  std::string spent_key;
  std::optional<std::string> spent_value;
};

// One write: a put, or a delete when `value` is empty. Single-key on purpose: nothing in the API needs more, and every
// back end can do it.
struct Write {
  static constexpr Revision kAny = -1;
  static constexpr Revision kAbsent = 0;

  std::string key;
  std::optional<std::string> value;
  // What the key's revision must be: kAny, kAbsent (must not exist), or exactly this.
  Revision expected = kAny;
  std::shared_ptr<Attachment> attachment = nullptr;  // optional
  bool more_follows = false;                         // a hint: its writer is about to write more, then ends its burst
};

// What a write came to. `committed` false: the expectation did not hold, nothing was written, `revision` is the key's
// current one (0: absent). A delete of an absent key with kAny is not committed either.
struct WriteOutcome {
  bool committed = false;
  Revision revision = 0;
};

// One change, valid only during the call that hands it over.
struct Change {
  Revision revision = 0;
  std::string_view key;
  std::optional<std::string_view> value;  // nullopt: deleted
  Attachment* attachment = nullptr;       // of its write, if it had one
};

// Takes the changes in revision order, without gaps, each after it is durable and before its writer is told. Called on
// the store's own thread: quick, no waiting, no call back into the store.
class ChangeSink {
 public:
  virtual ~ChangeSink() = default;
  virtual void on_changes(std::span<const Change> changes) = 0;
  virtual void on_compacted(Revision /*floor*/) {}
};

// Takes the state of one revision, for a backup: begin() first, then every entry in order of revision. An error of its
// own ends the telling and comes back from snapshot(). Called on the caller's thread; may take its time.
struct SnapshotHead {
  Revision revision = 0;
  int64_t entries = 0;
  std::string store;  // id of the store
};
class SnapshotSink {
 public:
  virtual ~SnapshotSink() = default;
  virtual Result<void> begin(const SnapshotHead& head) = 0;
  virtual Result<void> entry(Revision revision, std::string_view key, std::string_view value) = 0;
};

// Store failures: an I/O error, a full disk, a stopped store come back as ServiceUnavailable with a message for the
// operator; nothing of the write is then visible, now or after a restart, or (only if the machine failed during commit)
// it is unknown and the store refuses further writes until restarted. Reads go on.
class Store {
 public:
  using Callback = std::function<void(Result<WriteOutcome>)>;

  virtual ~Store() = default;

  virtual Revision revision() const = 0;  // of the last committed write
  virtual Revision floor() const = 0;

  // Queues the write; `done` runs once, on the store's thread, after the change sinks have seen it (or never saw it).
  // Writes are committed in the order of the calls of one thread. A write that is refused at once runs `done` inside
  // this call: TooManyRequests when the queue is full, ServiceUnavailable when the store has stopped.
  virtual void commit(Write write, Callback done) = 0;
  // The same for those who can wait; never on the store's thread.
  Result<WriteOutcome> commit_and_wait(Write write);
  // Who wrote with `more_follows` has no more for now. Until then a commit may wait for what follows, but not for long.
  virtual void end_burst() {}

  // The key's value as of revision `at` (0: now). nullopt: absent. Expired below the floor, BadRequest above
  // revision().
  virtual Result<std::optional<Entry>> get(std::string_view key, Revision at = 0) = 0;

  // Every entry whose key starts with `prefix` and is >= `start`, in key order, as of revision `at` (0: now), until
  // `visit` returns false. Returns the revision of the state shown. Expired below the floor.
  virtual Result<Revision> range(std::string_view prefix, std::string_view start, Revision at,
                                 const std::function<bool(const Entry&)>& visit) = 0;

  // Tells the present state, whatever is written meanwhile; writers go on.
  virtual Result<void> snapshot(SnapshotSink& sink) = 0;

  // Hands the whole state as of the floor (in any order) to `state`, then all changes after it, and from then on each
  // new change, to `sink`, without gap. This is how a cache is filled at start. Returns when the past is told, most of
  // it on the caller's thread. The sink must outlive the store or be removed with detach().
  virtual Result<void> attach(ChangeSink& sink, const std::function<void(const Entry&)>& state) = 0;
  virtual void detach(ChangeSink& sink) = 0;

  // Forgets history up to `floor` (clamped to the current revision). Space is reused in the background.
  virtual Result<void> compact(Revision floor) = 0;

  // Why the store takes no more writes until it is restarted; empty while all is well.
  virtual std::string failure() const { return {}; }

  // Refuses further writes and finishes what is queued; reads go on. Idempotent.
  virtual void stop() = 0;
};

}  // namespace chandler::storage
