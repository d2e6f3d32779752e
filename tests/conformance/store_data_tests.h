// What every Store must do with single writes and reads: expectations, revisions, ranges, states of earlier revisions.
#pragma once

#include <atomic>
#include <random>
#include <thread>

#include "conformance/store_lab.h"

namespace chandler::storage {

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
  EXPECT_THAT(keys("/b/", ""), ::testing::ElementsAre("/b/1", "/b/10", "/b/2"));
  EXPECT_THAT(keys("/b/", "/b/10"), ::testing::ElementsAre("/b/10", "/b/2"));
  EXPECT_THAT(keys("/b/", std::string("/b/10\0", 6)), ::testing::ElementsAre("/b/2"));
  EXPECT_THAT(keys("/b/", "/c"), ::testing::ElementsAre());
  EXPECT_THAT(keys("/b/", "", 2), ::testing::ElementsAre("/b/1", "/b/10"));
  EXPECT_THAT(keys("", ""), ::testing::SizeIs(7));
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
  EXPECT_THAT(read, ::testing::ElementsAre("1", "2"));
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

// A snapshot as it is told.
class RecordingSnapshot final : public SnapshotSink {
 public:
  Result<void> begin(const SnapshotHead& told) override {
    head = told;
    return between ? between() : Result<void>();
  }
  Result<void> entry(Revision revision, std::string_view key, std::string_view value) override {
    EXPECT_GT(revision, last) << "in order of revision";
    last = revision;
    state[std::string(key)] = value;
    revisions[std::string(key)] = revision;
    return {};
  }
  SnapshotHead head;
  Model state;
  std::map<std::string, Revision> revisions;
  Revision last = 0;
  std::function<Result<void>()> between;
};

TEST_P(StoreSuite, ASnapshotIsOneStateWhateverIsWrittenMeanwhile) {
  put("a", "1");
  put("b", "1");
  remove("b");
  put("a", "2");
  put("c", "1");
  const Model before = all();
  RecordingSnapshot snapshot;
  snapshot.between = [&]() -> Result<void> {
    put("a", "3");
    put("d", "1");
    remove("c");
    return {};
  };
  ASSERT_TRUE(store().snapshot(snapshot).ok());
  EXPECT_EQ(snapshot.head.revision, 5);
  EXPECT_EQ(snapshot.head.entries, 2);
  EXPECT_NE(snapshot.head.store, "");
  EXPECT_EQ(snapshot.state, before);
  EXPECT_EQ(snapshot.revisions, (std::map<std::string, Revision>{{"a", 4}, {"c", 5}}));
  EXPECT_EQ(all(), (Model{{"a", "3"}, {"d", "1"}}));
}

TEST_P(StoreSuite, ASnapshotEndsWithTheErrorOfItsTaker) {
  put("a", "1");
  RecordingSnapshot snapshot;
  snapshot.between = []() -> Result<void> { return unavailable("no room"); };
  const auto ended = store().snapshot(snapshot);
  ASSERT_FALSE(ended.ok());
  EXPECT_EQ(ended.error().message, "no room");
  EXPECT_EQ(put("b", "1"), 2) << "nothing is left behind";
}

}  // namespace chandler::storage
