#include "storage/embedded/embedded_store.h"

#include <utility>

#include <fmt/format.h>

#include "base/log.h"
#include "storage/embedded/checkpointer.h"
#include "storage/embedded/joining_vfs.h"
#include "storage/embedded/log_writer.h"
#include "storage/embedded/reader.h"
#include "storage/embedded/restore_journal.h"
#include "storage/embedded/schema.h"
#include "storage/embedded/store_failure.h"

namespace chandler::storage {
namespace {

// What an earlier process left in the log goes into the database file before anything is added to it. The log may be
// whole in the system's memory only, if a sync of it has failed; what is appended to such a log and synced would be
// lost with the part before it when the power fails.
Result<void> empty_log(Database& database) {
  const auto copied = database.checkpoint(Database::CheckpointMode::kTruncate);
  if (copied.ok()) return {};
  if (!database.disk_full()) return copied.error();
  log::warn("the disk is full: the write-ahead log stays as it is", {{"error", copied.error().message}});
  return {};
}

}  // namespace

EmbeddedStore::EmbeddedStore(FileLock lock, const EmbeddedOptions& options)
    : lock_(std::move(lock)), failure_(std::make_unique<StoreFailure>(options.on_failure)) {}

EmbeddedStore::~EmbeddedStore() {
  if (commits_) stop();
}

Result<std::unique_ptr<Store>> EmbeddedStore::open(const EmbeddedOptions& options) {
  CH_TRY_LET(lock, lock_directory(options.directory));
  CH_TRY(finish_restore(options.directory));  // one that was interrupted after all its files were there
  std::unique_ptr<EmbeddedStore> store(new EmbeddedStore(std::move(lock), options));
  EmbeddedOptions writing = options;
  if (options.durability == Durability::kFull) {
    CH_TRY_LET(joining, JoiningVfs::make(options.vfs));
    store->joining_ = std::move(joining);
    writing.vfs = store->joining_->name();
  }
  CH_TRY_LET(database, open_or_create(writing));
  CH_TRY(empty_log(database));
  CH_TRY_LET(id, read_store_id(database));
  CH_TRY_LET(side, connect(options));

  auto* metrics = options.metrics;
  if (metrics == nullptr) {
    store->own_metrics_ = std::make_unique<metrics::Registry>();
    metrics = store->own_metrics_.get();
  }
  auto& seconds = metrics->histogram("chandler_store_commit_seconds",
                                     "Time to commit a batch to disk, mostly one sync.", {}, metrics::latency_bounds());
  store->checkpointer_ = std::make_unique<Checkpointer>(
      std::move(side), *store->failure_, options.checkpoint_pages,
      options.durability == Durability::kNormal ? options.sync_every : std::chrono::milliseconds(0));
  CH_TRY_LET(writer, LogWriter::open(std::move(database), *store->checkpointer_, *store->failure_, seconds.with({})));
  store->writer_ = std::move(writer);
  store->readers_ = std::make_unique<ReaderPool>(options);
  store->commits_ = std::make_unique<CommitThread>(*store->writer_, options.limits, store->writer_->newest(), metrics);
  log::info("store opened",
            {{"path", database_path(options)}, {"id", id}, {"revision", store->revision()}, {"floor", store->floor()}});
  return std::unique_ptr<Store>(std::move(store));
}

Revision EmbeddedStore::floor() const { return writer_->floor(); }

std::string EmbeddedStore::failure() const { return failure_->text(); }

void EmbeddedStore::commit(Write write, Callback done) { commits_->commit(std::move(write), std::move(done)); }

Result<std::optional<Entry>> EmbeddedStore::get(std::string_view key, Revision at) {
  CH_TRY_LET(reader, readers_->take());
  return reader->get(key, at);
}

Result<Revision> EmbeddedStore::range(std::string_view prefix, std::string_view start, Revision at,
                                      const std::function<bool(const Entry&)>& visit) {
  CH_TRY_LET(reader, readers_->take());
  return reader->range(prefix, start, at, visit);
}

Result<void> EmbeddedStore::snapshot(SnapshotSink& sink) {
  CH_TRY_LET(reader, readers_->take());
  return reader->snapshot(sink);
}

Result<void> EmbeddedStore::attach(ChangeSink& sink, const std::function<void(const Entry&)>& state) {
  const LogWriter::TrimPause pause(*writer_);
  CH_TRY_LET(reader, readers_->take());
  CH_TRY_LET(told, reader->replay(sink, state));
  Result<void> joined;
  commits_->run([&] {
    // Nothing is committed while this runs: after what came in meanwhile, the sink is up to date.
    joined = reader->replay_after(told.newest, sink);
    if (joined.ok()) joined = reader->check_current();
    if (!joined.ok()) return;
    if (floor() > told.floor) sink.on_compacted(floor());
    commits_->add_sink(sink);
  });
  return joined;
}

void EmbeddedStore::detach(ChangeSink& sink) {
  commits_->run([&] { commits_->remove_sink(sink); });
}

Result<void> EmbeddedStore::compact(Revision floor) {
  Result<void> result;
  commits_->run([&] {
    const auto raised = writer_->raise_floor(floor);
    if (!raised.ok()) {
      result = raised.error();
    } else if (*raised) {
      commits_->tell_compacted(writer_->floor());
    }
  });
  return result;
}

void EmbeddedStore::stop() {
  commits_->stop();
  commits_->run([this] { writer_->finish(); });
}

}  // namespace chandler::storage
