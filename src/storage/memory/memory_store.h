// The store without a disk: all versions since the floor, in memory. For tests and for servers that may forget. It
// keeps the whole contract of Store but durability. Thread-safe; reads share a lock that the commit thread takes per
// batch.
#pragma once

#include <deque>
#include <map>
#include <vector>

#include "base/mutex.h"
#include "storage/commit_thread.h"
#include "storage/store.h"

namespace chandler::storage {

class MemoryStore final : public Store, private CommitEngine {
 public:
  // `metrics`, if given, must outlive the store.
  explicit MemoryStore(CommitLimits limits = {}, metrics::Registry* metrics = nullptr);
  ~MemoryStore() override;

  Revision revision() const override { return commits_.revision(); }
  Revision floor() const override CH_EXCLUDES(mutex_);
  void commit(Write write, Callback done) override;
  void end_burst() override { commits_.end_burst(); }
  Result<std::optional<Entry>> get(std::string_view key, Revision at) override CH_EXCLUDES(mutex_);
  Result<Revision> range(std::string_view prefix, std::string_view start, Revision at,
                         const std::function<bool(const Entry&)>& visit) override CH_EXCLUDES(mutex_);
  Result<void> snapshot(SnapshotSink& sink) override CH_EXCLUDES(mutex_);
  Result<void> attach(ChangeSink& sink, const std::function<void(const Entry&)>& state) override CH_EXCLUDES(mutex_);
  void detach(ChangeSink& sink) override;
  Result<void> compact(Revision floor) override CH_EXCLUDES(mutex_);
  void stop() override { commits_.stop(); }

 private:
  using Value = std::shared_ptr<const std::string>;  // null: deleted
  struct Version {
    Revision revision = 0;
    Value value;
  };
  using Versions = std::vector<Version>;  // ascending; never empty
  struct LogRow {
    Revision revision = 0;
    std::string key;
    Value value;
  };

  Result<std::vector<WriteOutcome>> apply(std::span<const Write> batch) override CH_EXCLUDES(mutex_);
  WriteOutcome apply_one(const Write& write) CH_REQUIRES(mutex_);
  void forget_below(Revision floor) CH_REQUIRES(mutex_);
  static const Version* version_at(const Versions& versions, Revision at);  // null: absent then
  void tell_past(ChangeSink& sink, const std::function<void(const Entry&)>& state) CH_EXCLUDES(mutex_);

  const std::string id_;
  mutable SharedMutex mutex_;
  std::map<std::string, Versions, std::less<>> keys_ CH_GUARDED_BY(mutex_);
  std::deque<LogRow> log_ CH_GUARDED_BY(mutex_);  // the changes after the floor
  Revision newest_ CH_GUARDED_BY(mutex_) = 0;
  Revision floor_ CH_GUARDED_BY(mutex_) = 0;
  CommitThread commits_;  // last: its thread uses all the rest
};

}  // namespace chandler::storage
