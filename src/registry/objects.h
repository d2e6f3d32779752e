// The rules of writing objects, the same for all kinds: system fields, generateName, optimistic locking, generation,
// status isolation, finalizers, no-op detection, dry run. Preparing a write is plain computation on the caller's
// thread; the commit is asynchronous and ends in a callback on the store's thread. Thread-safe.
#pragma once

#include <atomic>
#include <functional>
#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "auth/user.h"
#include "base/clock.h"
#include "registry/admission.h"
#include "registry/cache.h"
#include "registry/kinds.h"
#include "registry/reviewer.h"
#include "storage/keyring.h"
#include "storage/store.h"

namespace chandler::registry {

enum class FieldValidation { kIgnore, kWarn, kStrict };

// A configuration that is to be applied (server-side apply), without what only the server sets, and without status or
// everything but status, as its subresource demands.
struct Application {
  json::Value config;
  bool force = false;  // takes fields from others
};

const std::shared_ptr<const auth::User>& nobody();  // without a name

// Who asks for what; the same for every verb.
struct WriteRequest {
  KindPtr kind;
  const Version* version = nullptr;  // of *kind
  std::string ns;
  std::string name;  // empty on create by generateName
  std::string subresource;
  bool with_status = false;  // a create, or an update without subresource, that writes the status too
  std::shared_ptr<const auth::User> user = nobody();  // who writes; shared, as controllers write much
  bool dry_run = false;
  FieldValidation validation = FieldValidation::kWarn;
  std::vector<std::string> duplicates;  // keys that occurred twice in the body
  KindPtr asked;                        // the kind of the URL when that is stored as another one; its rules apply
  std::string manager;                  // as whom managedFields know the writer; empty: no record is kept
  std::string managed_subresource;      // as managedFields name it: the URL's, also when another part is written
  std::shared_ptr<const Application> application;  // update() applies this instead of calling its transform
  // Asked by an update that would create the object, which is a right of its own; must not wait. Empty: it creates
  // none.
  std::function<Result<void>()> may_create;
  std::optional<MonoTime> due;        // from then on the write goes no further, unless the store has it already
  bool more_follows = false;          // as storage::Write has it
  std::vector<std::string> warnings;  // filled in when the write is refused: what goes with the error
};

struct WriteResult {
  DocumentPtr document;  // as stored now; null on a dry run
  std::string bytes;     // of a dry run: what would have been stored
  std::string uid;
  bool created = false;
  bool removed = false;  // the object is gone (document is its last state)
  std::vector<std::string> warnings;
  std::shared_ptr<const void> remains;  // what the write was made of: best dropped by the thread that asked for it

  std::string_view json() const { return document != nullptr ? document->bytes() : std::string_view(bytes); }
};

struct DeleteOptions {
  std::string uid;  // preconditions; empty: none
  std::string resource_version;
  enum class Propagation { kDefault, kBackground, kForeground, kOrphan } propagation = Propagation::kDefault;
  std::optional<int64_t> grace_seconds;
};

// A state of an object that its writer has parsed (without managedFields) and holds until the call returns.
struct KnownState {
  const Document* document = nullptr;
  const json::Value* value = nullptr;
};

class Objects {
 public:
  using Done = std::function<void(Result<WriteResult>)>;
  // Makes the wanted state out of the current one. Called again after a lost race, unless the wanted state pins the
  // resourceVersion; may be called on the store's thread then, so it must not wait.
  using Transform = std::function<Result<json::Value>(const Document& current)>;

  Objects(storage::Store& store, const Cache& cache, const storage::Keyring* keyring, Admission& admission,
          const Clock& clock);

  void create(std::shared_ptr<WriteRequest> request, json::Value object, Done done);
  // PUT and every kind of PATCH. A missing object is created, if request->may_create agrees, by applying and, where the
  // kind allows it, with `body` (PUT). `known` is taken for the current state if it is that, which then need not be
  // parsed.
  void update(std::shared_ptr<WriteRequest> request, Transform transform, const json::Value* body, Done done,
              KnownState known = {});
  void remove(std::shared_ptr<WriteRequest> request, DeleteOptions options, Done done);

  // For callers that may wait.
  Result<WriteResult> create_and_wait(std::shared_ptr<WriteRequest> request, json::Value object);
  Result<WriteResult> update_and_wait(std::shared_ptr<WriteRequest> request, Transform transform);
  Result<WriteResult> remove_and_wait(std::shared_ptr<WriteRequest> request, DeleteOptions options);

  void end_burst() { store_.end_burst(); }  // of those who wrote with `more_follows`

  const Cache& cache() const { return cache_; }

  // Runs work on another thread, or at once if there is none to run it.
  using RunElsewhere = std::function<void(std::function<void()>)>;
  // Preparing a large object again after a lost race takes too long for the store's thread, which all writes share.
  // Before the first write; without it everything runs on the store's thread.
  void retry_large_objects(RunElsewhere run_elsewhere) { run_elsewhere_ = std::move(run_elsewhere); }

  // From now on `reviewer`, which outlives the last write, is asked about writes. At any time.
  void use(Reviewer& reviewer) { reviewer_.store(&reviewer, std::memory_order_release); }
  // Somebody outside may want to see writes.
  bool is_reviewed() const {
    const auto* reviewer = reviewer_.load(std::memory_order_acquire);
    return reviewer != nullptr && !reviewer->idle();
  }

 private:
  struct Attempt;
  class Stage;
  using Step = void (Objects::*)(const std::shared_ptr<Attempt>& attempt, Stage& stage);
  // Goes on with `next`, at once or when those who want to have a say have had it.
  void pass(const std::shared_ptr<Attempt>& attempt, Stage& stage, Reviewer::Phase phase, Step next) {
    if (fail_if_overdue(attempt)) return;
    auto* reviewer = reviewer_.load(std::memory_order_acquire);
    if (reviewer == nullptr || reviewer->idle()) return (this->*next)(attempt, stage);
    reviewed(attempt, stage, *reviewer, phase, next);
  }
  void reviewed(const std::shared_ptr<Attempt>& attempt, Stage& stage, Reviewer& reviewer, Reviewer::Phase phase,
                Step next);
  // Between two steps: true if the time of the write is over; it has failed then.
  bool fail_if_overdue(const std::shared_ptr<Attempt>& attempt) const;
  // The steps of each verb: prepare the object, check it, store it; between them others may be asked.
  void check_create(const std::shared_ptr<Attempt>& attempt, Stage& stage);
  void store_create(const std::shared_ptr<Attempt>& attempt, Stage& stage);
  void check_update(const std::shared_ptr<Attempt>& attempt, Stage& stage);
  void store_update(const std::shared_ptr<Attempt>& attempt, Stage& stage);
  void check_remove(const std::shared_ptr<Attempt>& attempt, Stage& stage);
  void store_remove(const std::shared_ptr<Attempt>& attempt, Stage& stage);
  void try_create(const std::shared_ptr<Attempt>& attempt);
  void try_update(const std::shared_ptr<Attempt>& attempt, KnownState known = {});
  void create_by_applying(const std::shared_ptr<Attempt>& attempt);
  void try_remove(const std::shared_ptr<Attempt>& attempt);
  // Another write was faster: goes on with what the attempt does then.
  void lose(const std::shared_ptr<Attempt>& attempt);
  void lost_create(const std::shared_ptr<Attempt>& attempt);
  void lost_update(const std::shared_ptr<Attempt>& attempt);
  void lost_remove(const std::shared_ptr<Attempt>& attempt);
  // Stores `object` (or removes it) if the stored state still is `before` (null: none), then answers; `lost` runs when
  // it is not.
  void commit(const std::shared_ptr<Attempt>& attempt, json::Value object, const Document* before, bool remove);
  // Takes what the attempt adds to the objects in memory out of the quota, until it is stored or has failed.
  Result<void> claim_growth(Attempt& attempt, const Document* before) const;
  void give_claim_back(Attempt& attempt) const;
  // The document that answers a write which was committed as `revision`.
  Result<DocumentPtr> shown(Attempt& attempt, bool removed, Revision revision) const;

  storage::Store& store_;
  const Cache& cache_;
  const storage::Keyring* const keyring_;
  Admission& admission_;
  const Clock& clock_;
  RunElsewhere run_elsewhere_;
  std::atomic<Reviewer*> reviewer_{nullptr};
};

}  // namespace chandler::registry
