// For tests: a store that hands everything on to the one behind it, for those that change a part of that.
#pragma once

#include <utility>

#include "storage/store.h"

namespace chandler::registry::testing {

class PassingStore : public storage::Store {
 public:
  explicit PassingStore(storage::Store& behind) : behind_(behind) {}

  storage::Revision revision() const override { return behind_.revision(); }
  storage::Revision floor() const override { return behind_.floor(); }
  void commit(storage::Write write, Callback done) override { behind_.commit(std::move(write), std::move(done)); }
  void end_burst() override { behind_.end_burst(); }
  Result<std::optional<storage::Entry>> get(std::string_view key, storage::Revision at) override {
    return behind_.get(key, at);
  }
  Result<storage::Revision> range(std::string_view prefix, std::string_view start, storage::Revision at,
                                  const std::function<bool(const storage::Entry&)>& visit) override {
    return behind_.range(prefix, start, at, visit);
  }
  Result<void> snapshot(storage::SnapshotSink& sink) override { return behind_.snapshot(sink); }
  Result<void> attach(storage::ChangeSink& sink, const std::function<void(const storage::Entry&)>& state) override {
    return behind_.attach(sink, state);
  }
  void detach(storage::ChangeSink& sink) override { behind_.detach(sink); }
  Result<void> compact(storage::Revision floor) override { return behind_.compact(floor); }
  void stop() override { behind_.stop(); }

 protected:
  storage::Store& behind_;
};

}  // namespace chandler::registry::testing
