// What the conformance tests of stores stand on: how one is opened, sinks that record or block, and the fixture.
#pragma once

#include <functional>
#include <map>
#include <memory>
#include <optional>
#include <string>
#include <vector>

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "base/mutex.h"
#include "storage/commit_thread.h"
#include "storage/store.h"

namespace chandler::storage {

// Where one test's store lives. open() gives a store on the same data each time, after the last one was destroyed.
class StoreLab {
 public:
  virtual ~StoreLab() = default;
  virtual std::unique_ptr<Store> open(CommitLimits limits) = 0;
};

struct StoreParam {
  std::string name;
  std::function<std::unique_ptr<StoreLab>()> make;
};

using Model = std::map<std::string, std::string>;

// Follows a store: the state it was told, applied change by change.
class RecordingSink final : public ChangeSink {
 public:
  void on_changes(std::span<const Change> changes) override CH_EXCLUDES(mutex_) {
    MutexLock lock(mutex_);
    for (const auto& change : changes) {
      if (last_ != 0 && change.revision != last_ + 1) gap_ = true;
      last_ = change.revision;
      told_.push_back(change.revision);
      if (change.value) {
        state_[std::string(change.key)] = std::string(*change.value);
      } else {
        state_.erase(std::string(change.key));
      }
    }
  }
  void on_compacted(Revision floor) override CH_EXCLUDES(mutex_) {
    MutexLock lock(mutex_);
    floors_.push_back(floor);
  }
  void take(const Entry& entry) CH_EXCLUDES(mutex_) {
    MutexLock lock(mutex_);
    if (!state_.emplace(entry.key, entry.value).second) repeated_ = true;
  }

  Revision last() const CH_EXCLUDES(mutex_) {
    MutexLock lock(mutex_);
    return last_;
  }
  bool faultless() const CH_EXCLUDES(mutex_) {
    MutexLock lock(mutex_);
    return !gap_ && !repeated_;
  }
  std::vector<Revision> told() const CH_EXCLUDES(mutex_) {
    MutexLock lock(mutex_);
    return told_;
  }
  std::vector<Revision> floors() const CH_EXCLUDES(mutex_) {
    MutexLock lock(mutex_);
    return floors_;
  }
  Model state() const CH_EXCLUDES(mutex_) {
    MutexLock lock(mutex_);
    return state_;
  }

 private:
  mutable Mutex mutex_;
  Model state_ CH_GUARDED_BY(mutex_);
  std::vector<Revision> told_ CH_GUARDED_BY(mutex_);
  std::vector<Revision> floors_ CH_GUARDED_BY(mutex_);
  Revision last_ CH_GUARDED_BY(mutex_) = 0;
  bool gap_ CH_GUARDED_BY(mutex_) = false;
  bool repeated_ CH_GUARDED_BY(mutex_) = false;
};

// A sink that holds the store's thread until it is let go.
class BlockingSink final : public ChangeSink {
 public:
  void on_changes(std::span<const Change>) override CH_EXCLUDES(mutex_) {
    MutexLock lock(mutex_);
    entered_ = true;
    cv_.notify_all();
    while (!open_) cv_.wait(mutex_);
  }
  void wait_until_entered() CH_EXCLUDES(mutex_) {
    MutexLock lock(mutex_);
    while (!entered_) cv_.wait(mutex_);
  }
  void let_go() CH_EXCLUDES(mutex_) {
    MutexLock lock(mutex_);
    open_ = true;
    cv_.notify_all();
  }

 private:
  Mutex mutex_;
  CondVar cv_;
  bool entered_ CH_GUARDED_BY(mutex_) = false;
  bool open_ CH_GUARDED_BY(mutex_) = false;
};

class StoreSuite : public ::testing::TestWithParam<StoreParam> {
 protected:
  void open(CommitLimits limits = {}) {
    store_.reset();
    store_ = lab_->open(limits);
  }
  Store& store() {
    if (!store_) open();
    return *store_;
  }

  WriteOutcome write(const std::string& key, std::optional<std::string> value, Revision expected = Write::kAny) {
    return store().commit_and_wait({key, std::move(value), expected}).value();
  }
  Revision put(const std::string& key, const std::string& value) { return write(key, value).revision; }
  Revision remove(const std::string& key) { return write(key, std::nullopt).revision; }

  std::optional<std::string> value(const std::string& key, Revision at = 0) {
    auto entry = store().get(key, at).value();
    return entry ? std::optional<std::string>(entry->value) : std::nullopt;
  }
  Model all(Revision at = 0) {
    Model model;
    const auto shown = store().range("", "", at, [&](const Entry& entry) {
      EXPECT_TRUE(model.emplace(entry.key, entry.value).second) << entry.key << " shown twice";
      return true;
    });
    EXPECT_TRUE(shown.ok()) << shown.error().message;
    return model;
  }
  std::vector<std::string> keys(std::string_view prefix, std::string_view start, size_t limit = 1000) {
    std::vector<std::string> found;
    EXPECT_TRUE(store()
                    .range(prefix, start, 0,
                           [&](const Entry& entry) {
                             found.push_back(entry.key);
                             return found.size() < limit;
                           })
                    .ok());
    return found;
  }
  void follow(RecordingSink& sink) {
    ASSERT_TRUE(store().attach(sink, [&](const Entry& entry) { sink.take(entry); }).ok());
  }

  std::unique_ptr<StoreLab> lab_ = GetParam().make();
  std::unique_ptr<Store> store_;
};

class DurableStoreSuite : public StoreSuite {};

inline std::string store_param_name(const ::testing::TestParamInfo<StoreParam>& info) { return info.param.name; }

}  // namespace chandler::storage
