// What every Store must do. An implementation instantiates StoreSuite (and DurableStoreSuite, if it keeps its data over
// a restart) with a StoreLab that opens it; see src/storage/store_conformance_test.cc. Include in one test file only.
#pragma once

#include <atomic>
#include <functional>
#include <map>
#include <memory>
#include <optional>
#include <random>
#include <string>
#include <thread>
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

class StoreSuite : public testing::TestWithParam<StoreParam> {
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

TEST_P(StoreSuite, AnEmptyStoreIsAtRevisionZero) {
  EXPECT_EQ(store().revision(), 0);
  EXPECT_EQ(store().floor(), 0);
  EXPECT_EQ(store().failure(), "");
  EXPECT_EQ(value("a"), std::nullopt);
  EXPECT_EQ(store().range("", "", 0, [](const Entry&) { return true; }).value(), 0);
}

TEST_P(StoreSuite, EveryWriteTakesTheNextRevision) {
  EXPECT_EQ(put("a", "1"), 1);
  EXPECT_EQ(put("b", "1"), 2);
  EXPECT_EQ(put("a", "2"), 3);
  EXPECT_EQ(remove("b"), 4);
  EXPECT_EQ(store().revision(), 4);
  const auto entry = store().get("a").value();
  ASSERT_TRUE(entry);
  EXPECT_EQ(entry->key, "a");
  EXPECT_EQ(entry->value, "2");
  EXPECT_EQ(entry->revision, 3);
  EXPECT_EQ(value("b"), std::nullopt);
}

TEST_P(StoreSuite, AWriteHappensOnlyIfItsExpectationHolds) {
  ASSERT_EQ(put("there", "old"), 1);
  struct Row {
    const char* name;
    const char* reason;
    Write input;
    WriteOutcome want;
  };
  const Row rows[] = {
      {"create existing", "create must not overwrite", {"there", "x", Write::kAbsent}, {false, 1}},
      {"stale update", "someone else wrote since", {"there", "x", 7}, {false, 1}},
      {"update missing", "there is nothing to update", {"missing", "x", 1}, {false, 0}},
      {"stale delete", "someone else wrote since", {"there", std::nullopt, 7}, {false, 1}},
      {"delete missing", "nothing happens, so no revision is used up", {"missing", std::nullopt}, {false, 0}},
      {"delete missing, expected", "as without", {"missing", std::nullopt, Write::kAbsent}, {false, 0}},
      {"update", "the revision fits", {"there", "new", 1}, {true, 2}},
      {"create", "the key is absent", {"fresh", "x", Write::kAbsent}, {true, 3}},
      {"delete", "the revision fits", {"there", std::nullopt, 2}, {true, 4}},
      {"create again", "a deleted key is absent", {"there", "again", Write::kAbsent}, {true, 5}},
  };
  for (const auto& row : rows) {
    SCOPED_TRACE(std::string(row.name) + ": " + row.reason);
    const auto got = store().commit_and_wait(row.input).value();
    EXPECT_EQ(got.committed, row.want.committed);
    EXPECT_EQ(got.revision, row.want.revision);
  }
  EXPECT_EQ(all(), (Model{{"fresh", "x"}, {"there", "again"}}));
}

TEST_P(StoreSuite, AnEmptyValueIsAValue) {
  put("a", "");
  EXPECT_EQ(value("a"), "");
  RecordingSink sink;
  follow(sink);
  EXPECT_EQ(sink.state(), (Model{{"a", ""}}));
  store().detach(sink);
}

TEST_P(StoreSuite, KeysAndValuesAreBytes) {
  const std::string key("k\0\xff\xfe'\"\n", 7);
  const std::string body("\0\x01{}\xff\0", 6);
  put(key, body);
  EXPECT_EQ(value(key), body);
  EXPECT_EQ(value("k"), std::nullopt);
  EXPECT_EQ(all(), (Model{{key, body}}));
}

TEST_P(StoreSuite, LargeValuesComeBackWhole) {
  const std::string large(3 << 20, 'v');
  put("large", large);
  EXPECT_EQ(value("large"), large);
}

TEST_P(StoreSuite, OfManyWhoExpectTheSameRevisionOneWins) {
  constexpr int kThreads = 8;
  constexpr int kRounds = 20;
  Revision last = put("k", "start");
  for (int round = 0; round < kRounds; ++round) {
    std::atomic<int> winners{0};
    std::vector<std::thread> threads;
    for (int t = 0; t < kThreads; ++t) {
      threads.emplace_back([&, t] {
        if (store().commit_and_wait({"k", std::to_string(t), last}).value().committed) ++winners;
      });
    }
    for (auto& thread : threads) thread.join();
    ASSERT_EQ(winners, 1);
    ASSERT_EQ(store().revision(), last + 1);
    last = store().revision();
  }
}

TEST_P(StoreSuite, RangeIsInKeyOrderFromStartAndStopsWhenTold) {
  for (const auto* key : {"/b/2", "/a/1", "/b/10", "/b", "/b/1", "/c", "/b0"}) put(key, "v");
  EXPECT_THAT(keys("/b/", ""), testing::ElementsAre("/b/1", "/b/10", "/b/2"));
  EXPECT_THAT(keys("/b/", "/b/10"), testing::ElementsAre("/b/10", "/b/2"));
  EXPECT_THAT(keys("/b/", std::string("/b/10\0", 6)), testing::ElementsAre("/b/2"));
  EXPECT_THAT(keys("/b/", "/c"), testing::ElementsAre());
  EXPECT_THAT(keys("/b/", "", 2), testing::ElementsAre("/b/1", "/b/10"));
  EXPECT_THAT(keys("", ""), testing::SizeIs(7));
}

TEST_P(StoreSuite, TheVisitorOfARangeMayReadTheStore) {
  put("a", "1");
  put("b", "2");
  std::vector<std::optional<std::string>> read;
  ASSERT_TRUE(store()
                  .range("", "", 0,
                         [&](const Entry& entry) {
                           read.push_back(value(entry.key));
                           return true;
                         })
                  .ok());
  EXPECT_THAT(read, testing::ElementsAre("1", "2"));
}

TEST_P(StoreSuite, AReadAtARevisionShowsTheStateOfThen) {
  put("kept", "1");     // 1
  put("changed", "1");  // 2
  put("removed", "1");  // 3
  put("changed", "2");  // 4
  remove("removed");    // 5
  put("added", "1");    // 6
  put("removed", "2");  // 7
  remove("changed");    // 8

  const std::vector<Model> want = {
      {},
      {{"kept", "1"}},
      {{"kept", "1"}, {"changed", "1"}},
      {{"kept", "1"}, {"changed", "1"}, {"removed", "1"}},
      {{"kept", "1"}, {"changed", "2"}, {"removed", "1"}},
      {{"kept", "1"}, {"changed", "2"}},
      {{"kept", "1"}, {"changed", "2"}, {"added", "1"}},
      {{"kept", "1"}, {"changed", "2"}, {"added", "1"}, {"removed", "2"}},
      {{"kept", "1"}, {"added", "1"}, {"removed", "2"}},
  };
  for (Revision at = 1; at <= 8; ++at) {
    SCOPED_TRACE(at);
    const auto& model = want[static_cast<size_t>(at)];
    EXPECT_EQ(all(at), model);
    for (const auto* key : {"kept", "changed", "removed", "added", "never"}) {
      const auto found = model.find(key);
      EXPECT_EQ(value(key, at), found == model.end() ? std::nullopt : std::optional(found->second)) << key;
    }
  }
}

TEST_P(StoreSuite, ARevisionThatDoesNotExistYetIsABadRequest) {
  put("a", "1");
  EXPECT_EQ(store().get("a", 2).error().reason, Reason::kBadRequest);
  EXPECT_EQ(store().get("a", -1).error().reason, Reason::kBadRequest);
  EXPECT_EQ(store().range("", "", 2, [](const Entry&) { return true; }).error().reason, Reason::kBadRequest);
}

TEST_P(StoreSuite, BelowTheFloorEverythingIsExpired) {
  for (int i = 0; i < 5; ++i) put("a", std::to_string(i));
  ASSERT_TRUE(store().compact(3).ok());
  EXPECT_EQ(store().floor(), 3);
  EXPECT_EQ(store().get("a", 2).error().reason, Reason::kExpired);
  EXPECT_EQ(store().range("", "", 2, [](const Entry&) { return true; }).error().reason, Reason::kExpired);
  EXPECT_EQ(value("a", 3), "2");
  EXPECT_EQ(value("a", 4), "3");
  EXPECT_EQ(value("a"), "4");
}

TEST_P(StoreSuite, TheFloorNeverSinksAndNeverPassesTheNewestRevision) {
  put("a", "1");
  put("a", "2");
  ASSERT_TRUE(store().compact(2).ok());
  ASSERT_TRUE(store().compact(1).ok());
  EXPECT_EQ(store().floor(), 2);
  ASSERT_TRUE(store().compact(99).ok());
  EXPECT_EQ(store().floor(), 2);
  EXPECT_EQ(put("b", "1"), 3);
}

TEST_P(StoreSuite, SinksHearOfARaisedFloorOnce) {
  RecordingSink sink;
  follow(sink);
  put("a", "1");
  put("a", "2");
  ASSERT_TRUE(store().compact(1).ok());
  ASSERT_TRUE(store().compact(1).ok());
  ASSERT_TRUE(store().compact(99).ok());
  EXPECT_THAT(sink.floors(), testing::ElementsAre(1, 2));
  store().detach(sink);
}

TEST_P(StoreSuite, RevisionsGoOnAfterEverythingWasDeletedAndForgotten) {
  put("a", "1");
  remove("a");
  ASSERT_TRUE(store().compact(2).ok());
  EXPECT_EQ(store().revision(), 2);
  EXPECT_EQ(all(2), Model{});
  EXPECT_EQ(put("b", "1"), 3);
}

TEST_P(StoreSuite, AttachTellsTheStateAtTheFloorAndThenTheHistory) {
  put("old", "1");      // 1
  put("changed", "1");  // 2
  put("gone", "1");     // 3
  remove("gone");       // 4
  put("changed", "2");  // 5
  put("late", "1");     // 6
  remove("old");        // 7
  ASSERT_TRUE(store().compact(5).ok());

  RecordingSink sink;
  Model at_floor;
  ASSERT_TRUE(store()
                  .attach(sink,
                          [&](const Entry& entry) {
                            EXPECT_EQ(sink.last(), 0) << "state comes before history";
                            EXPECT_EQ(entry.revision, entry.key == "old" ? 1 : 5);
                            at_floor.emplace(entry.key, entry.value);
                          })
                  .ok());
  EXPECT_EQ(at_floor, (Model{{"old", "1"}, {"changed", "2"}}));
  EXPECT_THAT(sink.told(), testing::ElementsAre(6, 7));
  put("next", "1");
  EXPECT_THAT(sink.told(), testing::ElementsAre(6, 7, 8));
  store().detach(sink);
}

TEST_P(StoreSuite, ADetachedSinkHearsNoMore) {
  RecordingSink gone;
  RecordingSink stays;
  follow(gone);
  follow(stays);
  put("a", "1");
  store().detach(gone);
  put("a", "2");
  EXPECT_EQ(gone.last(), 1);
  EXPECT_EQ(stays.last(), 2);
  store().detach(stays);
}

TEST_P(StoreSuite, AWriterIsToldAfterTheSinks) {
  RecordingSink sink;
  follow(sink);
  for (int i = 0; i < 100; ++i) {
    const auto revision = put("a", std::to_string(i));
    ASSERT_EQ(sink.last(), revision);
  }
  store().detach(sink);
}

TEST_P(StoreSuite, WritesOfOneThreadKeepTheirOrder) {
  constexpr int kThreads = 4;
  constexpr int kWrites = 200;
  open();
  std::vector<std::vector<Revision>> revisions(kThreads);
  std::vector<std::thread> threads;
  for (int t = 0; t < kThreads; ++t) {
    threads.emplace_back([&, t] {
      auto& mine = revisions[static_cast<size_t>(t)];
      for (int i = 0; i < kWrites; ++i) {
        store().commit({"k" + std::to_string(t), std::to_string(i)},
                       [&mine](Result<WriteOutcome> outcome) { mine.push_back(outcome.value().revision); });
      }
    });
  }
  for (auto& thread : threads) thread.join();
  store().stop();
  EXPECT_EQ(store().revision(), kThreads * kWrites);
  for (int t = 0; t < kThreads; ++t) {
    const auto& mine = revisions[static_cast<size_t>(t)];
    EXPECT_EQ(mine.size(), static_cast<size_t>(kWrites));
    EXPECT_TRUE(std::is_sorted(mine.begin(), mine.end()));
    EXPECT_EQ(value("k" + std::to_string(t)), std::to_string(kWrites - 1));
  }
}

TEST_P(StoreSuite, AttachHasNoGapWhileOthersWriteAndCompact) {
  constexpr int kWriters = 4;
  constexpr int kSinks = 8;
  std::atomic<bool> done{false};
  open();
  std::vector<std::thread> threads;
  for (int t = 0; t < kWriters; ++t) {
    threads.emplace_back([&, t] {
      for (int i = 0; !done; ++i) {
        const auto key = std::to_string(t) + "/" + std::to_string(i % 7);
        const bool removes = i % 5 == 4;
        ASSERT_TRUE(store().commit_and_wait({key, removes ? std::nullopt : std::optional(std::to_string(i))}).ok());
      }
    });
  }
  threads.emplace_back([&] {
    while (!done) ASSERT_TRUE(store().compact(store().revision() - 20).ok());
  });
  std::vector<std::unique_ptr<RecordingSink>> sinks;
  for (int i = 0; i < kSinks; ++i) {
    sinks.push_back(std::make_unique<RecordingSink>());
    follow(*sinks.back());
    const Revision attached_at = store().revision();
    while (store().revision() < attached_at + 50) std::this_thread::yield();
  }
  done = true;
  for (auto& thread : threads) thread.join();
  const Model want = all();
  for (const auto& sink : sinks) {
    EXPECT_TRUE(sink->faultless());
    EXPECT_EQ(sink->last(), store().revision());
    EXPECT_EQ(sink->state(), want);
    store().detach(*sink);
  }
}

// Random writes against a plain model of every revision, with compactions in between.
TEST_P(StoreSuite, TellsEveryRevisionFromTheFloorOnLikeAModel) {
  std::mt19937 random(20240615);
  const auto pick = [&](int below) { return static_cast<int>(random() % static_cast<unsigned>(below)); };
  std::vector<Model> history(1);
  for (int step = 0; step < 600; ++step) {
    const auto key = "k" + std::to_string(pick(12));
    Model next = history.back();
    if (pick(4) == 0) {
      const bool there = next.erase(key) > 0;
      ASSERT_EQ(write(key, std::nullopt).committed, there);
      if (!there) continue;
    } else {
      next[key] = std::to_string(step);
      ASSERT_TRUE(write(key, next[key]).committed);
    }
    history.push_back(std::move(next));
    if (pick(40) == 0) {
      ASSERT_TRUE(store().compact(store().revision() - pick(30)).ok());
    }
    if (pick(30) == 0) {
      const auto span = store().revision() - store().floor() + 1;
      const Revision at = std::max<Revision>(1, store().floor() + pick(static_cast<int>(span)));
      ASSERT_EQ(all(at), history[static_cast<size_t>(at)]) << "at " << at;
      ASSERT_EQ(value(key, at), history[static_cast<size_t>(at)].contains(key)
                                    ? std::optional(history[static_cast<size_t>(at)].at(key))
                                    : std::nullopt);
    }
  }
  ASSERT_EQ(static_cast<size_t>(store().revision()), history.size() - 1);
  RecordingSink sink;
  Model at_floor;
  ASSERT_TRUE(store()
                  .attach(sink, [&](const Entry& entry) { sink.take(entry), at_floor.emplace(entry.key, entry.value); })
                  .ok());
  EXPECT_EQ(at_floor, history[static_cast<size_t>(store().floor())]);
  EXPECT_EQ(sink.state(), history.back());
  EXPECT_TRUE(sink.faultless());
  store().detach(sink);
}

TEST_P(StoreSuite, AFullQueueRefusesAtOnce) {
  CommitLimits limits;
  limits.queue_writes = 3;
  open(limits);
  BlockingSink sink;
  ASSERT_TRUE(store().attach(sink, [](const Entry&) {}).ok());
  std::atomic<int> committed{0};
  const auto count = [&](Result<WriteOutcome> outcome) { committed += outcome.ok() ? 1 : 0; };
  store().commit({"first", "1"}, count);
  sink.wait_until_entered();
  for (int i = 0; i < 3; ++i) store().commit({"queued" + std::to_string(i), "1"}, count);
  const auto refused = store().commit_and_wait({"refused", "1"});
  ASSERT_FALSE(refused.ok());
  EXPECT_EQ(refused.error().reason, Reason::kTooManyRequests);
  EXPECT_TRUE(refused.error().retry_after_seconds);
  sink.let_go();
  store().detach(sink);
  EXPECT_EQ(committed, 4);
  EXPECT_EQ(value("refused"), std::nullopt);
  EXPECT_TRUE(write("later", "1").committed);
}

TEST_P(StoreSuite, StopFinishesWhatIsQueuedRefusesMoreAndReadsGoOn) {
  std::atomic<int> committed{0};
  for (int i = 0; i < 100; ++i) {
    store().commit({"k" + std::to_string(i), "v"},
                   [&](Result<WriteOutcome> outcome) { committed += outcome.ok() ? 1 : 0; });
  }
  store().stop();
  EXPECT_EQ(committed, 100);
  const auto refused = store().commit_and_wait({"late", "v"});
  ASSERT_FALSE(refused.ok());
  EXPECT_EQ(refused.error().reason, Reason::kServiceUnavailable);
  EXPECT_EQ(all().size(), 100u);
  RecordingSink sink;
  follow(sink);
  EXPECT_EQ(sink.state().size(), 100u);
  store().detach(sink);
  store().stop();
}

TEST_P(DurableStoreSuite, ARestartKeepsStateHistoryFloorAndRevision) {
  put("a", "1");  // 1
  put("a", "2");  // 2
  put("b", "1");  // 3
  remove("b");    // 4
  put("c", "1");  // 5
  ASSERT_TRUE(store().compact(2).ok());
  open();
  EXPECT_EQ(store().revision(), 5);
  EXPECT_EQ(store().floor(), 2);
  EXPECT_EQ(all(), (Model{{"a", "2"}, {"c", "1"}}));
  EXPECT_EQ(all(3), (Model{{"a", "2"}, {"b", "1"}}));
  EXPECT_EQ(store().get("a", 1).error().reason, Reason::kExpired);
  RecordingSink sink;
  follow(sink);
  EXPECT_THAT(sink.told(), testing::ElementsAre(3, 4, 5));
  EXPECT_EQ(sink.state(), all());
  store().detach(sink);
  EXPECT_FALSE(write("a", "x", Write::kAbsent).committed);
  EXPECT_EQ(put("d", "1"), 6);
}

TEST_P(DurableStoreSuite, RevisionsDoNotGoBackWhenTheNewestWriteWasADeleteAndForgotten) {
  for (int restart = 1; restart <= 3; ++restart) {
    put("a", "1");
    const Revision last = remove("a");
    ASSERT_EQ(last, 2 * restart);
    ASSERT_TRUE(store().compact(last).ok());
    open();
    ASSERT_EQ(store().revision(), last);
  }
}

GTEST_ALLOW_UNINSTANTIATED_PARAMETERIZED_TEST(DurableStoreSuite);

inline std::string store_param_name(const testing::TestParamInfo<StoreParam>& info) { return info.param.name; }

}  // namespace chandler::storage
