// For tests: a store that hands everything on to the one behind it, for those that change a part of that.
#pragma once

#include <utility>

#include "storage/store.h"

namespace chandler::storage {

class PassingStore : public Store {
 public:
  explicit PassingStore(Store& behind) : behind_(behind) {}

  Revision revision() const override { return behind_.revision(); }
  Revision floor() const override { return behind_.floor(); }
  void commit(Write write, Callback done) override { behind_.commit(std::move(write), std::move(done)); }
  void end_burst() override { behind_.end_burst(); }
  Result<std::optional<Entry>> get(std::string_view key, Revision at) override { return behind_.get(key, at); }
  Result<Revision> range(std::string_view prefix, std::string_view start, Revision at,
                         const std::function<bool(const Entry&)>& visit) override {
    return behind_.range(prefix, start, at, visit);
  }
  Result<void> snapshot(SnapshotSink& sink) override { return behind_.snapshot(sink); }
  Result<void> attach(ChangeSink& sink, const std::function<void(const Entry&)>& state) override {
    return behind_.attach(sink, state);
  }
  void detach(ChangeSink& sink) override { behind_.detach(sink); }
  Result<void> compact(Revision floor) override { return behind_.compact(floor); }
  void stop() override { behind_.stop(); }

 protected:
  Store& behind_;
};

}  // namespace chandler::storage
