// The default store: one SQLite file in a directory of its own, which one process at a time may use. Nothing of the
// data is held in memory. Parts: LogWriter (all writes) driven by CommitThread, ReaderPool (all reads), Checkpointer.
// The file is described in docs/formats/database.md. Thread-safe as Store says; stop() leaves all data in the database
// file, the destructor closes it and gives the directory free.
#pragma once

#include <memory>

#include "base/file.h"
#include "storage/embedded/embedded_options.h"
#include "storage/store.h"

namespace chandler::storage {

class Checkpointer;
class JoiningVfs;
class LogWriter;
class ReaderPool;
class StoreFailure;

class EmbeddedStore final : public Store {
 public:
  static Result<std::unique_ptr<Store>> open(const EmbeddedOptions& options);
  ~EmbeddedStore() override;

  Revision revision() const override { return commits_->revision(); }
  Revision floor() const override;
  void commit(Write write, Callback done) override;
  void end_burst() override { commits_->end_burst(); }
  Result<std::optional<Entry>> get(std::string_view key, Revision at) override;
  Result<Revision> range(std::string_view prefix, std::string_view start, Revision at,
                         const std::function<bool(const Entry&)>& visit) override;
  Result<void> snapshot(SnapshotSink& sink) override;
  Result<void> attach(ChangeSink& sink, const std::function<void(const Entry&)>& state) override;
  void detach(ChangeSink& sink) override;
  Result<void> compact(Revision floor) override;
  std::string failure() const override;
  void stop() override;

 private:
  EmbeddedStore(FileLock lock, const EmbeddedOptions& options);

  FileLock lock_;
  std::unique_ptr<metrics::Registry> own_metrics_;
  std::unique_ptr<JoiningVfs> joining_;  // before the connections that use it; null without a sync per commit
  std::unique_ptr<StoreFailure> failure_;
  std::unique_ptr<Checkpointer> checkpointer_;
  std::unique_ptr<LogWriter> writer_;
  std::unique_ptr<ReaderPool> readers_;
  std::unique_ptr<CommitThread> commits_;  // last: its thread uses the rest
};

}  // namespace chandler::storage
