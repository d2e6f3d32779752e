// All reading: one connection with its statements. A read is one transaction, hence one consistent state, whatever is
// committed meanwhile. Used by one thread at a time; ReaderPool hands readers out.
//
// A read at an earlier revision costs as much as what has changed since: a key not touched since has its value through
// `cur`; for one that was, the first later row of `log` names the revision it replaced.
#pragma once

#include <functional>
#include <memory>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "base/mutex.h"
#include "storage/embedded/embedded_options.h"
#include "storage/embedded/schema.h"
#include "storage/embedded/sqlite.h"
#include "storage/store.h"

namespace chandler::storage {

class Reader {
 public:
  static Result<std::unique_ptr<Reader>> open(const EmbeddedOptions& options);

  Result<std::optional<Entry>> get(std::string_view key, Revision at);
  Result<Revision> range(std::string_view prefix, std::string_view start, Revision at,
                         const std::function<bool(const Entry&)>& visit);

  // As Store::snapshot(): one transaction, in order of revision, which is the order on the disk. Verifies every row.
  Result<void> snapshot(SnapshotSink& sink);

  // Hands the state at the floor to `state` and the changes after it to `sink`, verifying every row. Returns the marks
  // it saw: the floor, and the newest revision, up to which it told.
  Result<Marks> replay(ChangeSink& sink, const std::function<void(const Entry&)>& state);
  // The changes after `after`.
  Result<void> replay_after(Revision after, ChangeSink& sink);
  // Compares the table of current revisions with the log; nothing may be committed meanwhile.
  Result<void> check_current() { return storage::check_current(database_); }

 private:
  explicit Reader(Database database) : database_(std::move(database)) {}
  Result<void> prepare();

  Result<Entry> entry(std::string_view key, Revision revision);
  Result<Revision> revision_of(std::string_view key, Revision at);  // 0: absent
  // The rows from the one that `rows` stands on; `last` is the revision before it.
  Result<void> tell_changes(Query& rows, Revision last, ChangeSink& sink);
  Result<std::vector<Revision>> dead_at_floor(const Marks& marks);

  Database database_;
  Statement marks_;
  Statement row_;
  Statement current_;
  Statement next_change_;
  Statement range_;
  Statement rows_after_;
  Statement untrimmed_;
  Statement live_rows_;
};

// A few idle readers are kept; more are opened when many threads read at once. Thread-safe.
class ReaderPool {
 public:
  class Lease {
   public:
    Lease(ReaderPool& pool, std::unique_ptr<Reader> reader) : pool_(&pool), reader_(std::move(reader)) {}
    Lease(Lease&&) noexcept = default;
    Lease& operator=(Lease&&) = delete;
    ~Lease() {
      if (reader_) pool_->give_back(std::move(reader_));
    }
    Reader* operator->() const { return reader_.get(); }

   private:
    ReaderPool* pool_;
    std::unique_ptr<Reader> reader_;
  };

  explicit ReaderPool(EmbeddedOptions options) : options_(std::move(options)) {}
  Result<Lease> take() CH_EXCLUDES(mutex_);

 private:
  void give_back(std::unique_ptr<Reader> reader) CH_EXCLUDES(mutex_);

  const EmbeddedOptions options_;
  Mutex mutex_;
  std::vector<std::unique_ptr<Reader>> idle_ CH_GUARDED_BY(mutex_);
};

}  // namespace chandler::storage
