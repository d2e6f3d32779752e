#include "registry/cache.h"

#include <atomic>
#include <future>

#include "registry/registry_fixture.h"

namespace chandler::registry {
namespace {

using testing::CacheOverMemory;
using testing::names;
using testing::notes;
using testing::query;
using testing::widgets;

std::vector<std::string> told(const std::vector<WatchEvent>& events) {
  std::vector<std::string> out;
  for (const auto& event : events) {
    const std::string type = event.type == EventType::kAdded      ? "ADDED "
                             : event.type == EventType::kModified ? "MODIFIED "
                                                                  : "DELETED ";
    out.push_back(type + std::string(event.document->name()) + "@" + std::to_string(event.document->revision()));
  }
  return out;
}

std::vector<std::string> watched(const Cache& cache, const Query& wanted, Revision after = 0) {
  std::vector<WatchEvent> events;
  const auto up_to = cache.changes(*widgets(), wanted, after, 1000, events);
  EXPECT_TRUE(up_to.ok());
  return told(events);
}

class CountingWatcher final : public Watcher {
 public:
  void notify() override { ++count; }
  std::atomic<int> count{0};
};

TEST(SplitKey, TellsPrefixNamespaceAndName) {
  EXPECT_EQ(split_key("core/configmaps/ns/a").prefix, "core/configmaps/");
  EXPECT_EQ(split_key("core/configmaps/ns/a").ns, "ns");
  EXPECT_EQ(split_key("core/configmaps/ns/a").name, "a");
  EXPECT_EQ(split_key("core/namespaces/a").ns, "");
  EXPECT_EQ(split_key("core/namespaces/a").name, "a");
  for (const std::string_view key : {"", "core", "core/namespaces", "/"}) EXPECT_EQ(split_key(key).prefix, "") << key;
}

TEST(Cache, ShowsWhatIsStored) {
  CacheOverMemory world;
  const auto revision = world.put("ns", "a", "spec: {color: red}");
  const auto document = world.cache.get(*widgets(), "ns", "a");
  ASSERT_NE(document, nullptr);
  EXPECT_EQ(document->revision(), revision);
  EXPECT_EQ(world.cache.revision(), revision);
  EXPECT_EQ(world.cache.count(*widgets()), 1u);
  EXPECT_EQ(world.cache.get_key("example.com/widgets/ns/a"), document);
  EXPECT_EQ(world.cache.get(*widgets(), "other", "a"), nullptr);
  EXPECT_EQ(world.cache.get_key("example.com/gadgets/ns/a"), nullptr);
  EXPECT_EQ(world.cache.get_key("nonsense"), nullptr);

  world.erase("ns", "a");
  EXPECT_EQ(world.cache.get(*widgets(), "ns", "a"), nullptr);
  EXPECT_EQ(world.cache.count(*widgets()), 0u);
  EXPECT_NE(document->bytes().find("red"), std::string_view::npos) << "a reader keeps what it holds";
}

TEST(Cache, ListsInPages) {
  CacheOverMemory world;
  for (const char* name : {"a", "b", "c", "d", "e"}) world.put("ns", name, "metadata: {labels: {app: x}}");
  const auto first = world.cache.list(*widgets(), Query(), 2);
  ASSERT_TRUE(first.ok());
  EXPECT_EQ(names(first->items), (std::vector<std::string>{"ns/a", "ns/b"}));
  EXPECT_TRUE(first->more);
  EXPECT_EQ(first->remaining, 3u);
  EXPECT_EQ(first->revision, 5);

  // The next page is of the same state, whatever happens meanwhile.
  world.erase("ns", "d");
  world.put("ns", "bb");
  const std::string behind_b = std::string("b") + '\0';
  const auto second = world.cache.list(*widgets(), Query(), 2, {"ns", behind_b}, first->revision);
  const auto rest = world.cache.list(*widgets(), Query(), 0, {"ns", "c"}, first->revision);
  ASSERT_TRUE(second.ok() && rest.ok());
  EXPECT_EQ(names(second->items), (std::vector<std::string>{"ns/c", "ns/d"}));
  EXPECT_EQ(second->remaining, 1u);
  EXPECT_EQ(names(rest->items), (std::vector<std::string>{"ns/c", "ns/d", "ns/e"}));
  EXPECT_FALSE(rest->more);
  EXPECT_EQ(rest->revision, first->revision);

  const auto selective = world.cache.list(*widgets(), query(*widgets(), "", "app=x"), 2);
  EXPECT_TRUE(selective->more);
  EXPECT_EQ(selective->remaining, std::nullopt) << "a selector makes counting expensive";
  const auto exact = world.cache.list(*widgets(), query(*widgets(), "", "app=x"), 4);
  EXPECT_FALSE(exact->more) << "a page that is exactly full is the last one";
}

TEST(Cache, TellsChangesAsAQuerySeesThem) {
  CacheOverMemory world;
  const auto red = query(*widgets(), "", "", "spec.color=red");
  const auto labelled = query(*widgets(), "", "app=x");
  world.put("ns", "a", "{spec: {color: red}, metadata: {labels: {app: x}}}");   // 1
  world.put("ns", "a", "{spec: {color: blue}, metadata: {labels: {app: x}}}");  // 2: leaves red
  world.put("ns", "b", "spec: {color: blue}");                                  // 3
  world.put("ns", "a", "{spec: {color: red}, metadata: {labels: {app: x}}}");   // 4: comes back
  world.put("ns", "b", "spec: {color: red}");                                   // 5: enters
  world.put("ns", "b", "{spec: {color: red, size: 2}}");                        // 6
  world.erase("ns", "a");                                                       // 7
  EXPECT_EQ(watched(world.cache, Query()),
            (std::vector<std::string>{"ADDED a@1", "MODIFIED a@2", "ADDED b@3", "MODIFIED a@4", "MODIFIED b@5",
                                      "MODIFIED b@6", "DELETED a@7"}));
  EXPECT_EQ(watched(world.cache, red), (std::vector<std::string>{"ADDED a@1", "DELETED a@2", "ADDED a@4", "ADDED b@5",
                                                                 "MODIFIED b@6", "DELETED a@7"}));
  EXPECT_EQ(watched(world.cache, labelled),
            (std::vector<std::string>{"ADDED a@1", "MODIFIED a@2", "MODIFIED a@4", "DELETED a@7"}));
  EXPECT_EQ(watched(world.cache, red, 5), (std::vector<std::string>{"MODIFIED b@6", "DELETED a@7"}));

  // What leaves a selection is told as it was when it was last in it.
  std::vector<WatchEvent> events;
  ASSERT_TRUE(world.cache.changes(*widgets(), red, 1, 1, events).ok());
  ASSERT_EQ(events.size(), 1u);
  EXPECT_EQ(json::string_or(events[0].document->parse().at("spec"), "color"), "red");
}

TEST(Cache, ChangesAreToldInPortionsWithoutGap) {
  CacheOverMemory world;
  for (int i = 0; i < 10; ++i) world.put("ns", "n" + std::to_string(i % 3));
  std::vector<std::string> all;
  Revision after = 0;
  for (int portion = 0; portion < 4; ++portion) {
    std::vector<WatchEvent> events;
    const auto up_to = world.cache.changes(*widgets(), Query(), after, 3, events);
    ASSERT_TRUE(up_to.ok());
    EXPECT_LE(events.size(), 3u);
    for (auto& line : told(events)) all.push_back(std::move(line));
    after = *up_to;
  }
  EXPECT_EQ(after, 10);
  EXPECT_EQ(all, watched(world.cache, Query()));
}

TEST(Cache, ForgottenHistoryIsExpired) {
  CacheOverMemory world;
  for (int i = 0; i < 6; ++i) world.put("ns", "a", "spec: {size: " + std::to_string(i) + "}");
  ASSERT_TRUE(world.store.compact(4).ok());
  EXPECT_EQ(world.cache.floor(), 4);

  std::vector<WatchEvent> events;
  const auto old_watch = world.cache.changes(*widgets(), Query(), 3, 10, events);
  ASSERT_FALSE(old_watch.ok());
  EXPECT_EQ(old_watch.error().reason, Reason::kExpired);
  EXPECT_TRUE(events.empty());
  EXPECT_EQ(watched(world.cache, Query(), 4), (std::vector<std::string>{"MODIFIED a@5", "MODIFIED a@6"}));

  const auto old_list = world.cache.list(*widgets(), Query(), 0, {}, 3);
  ASSERT_FALSE(old_list.ok());
  EXPECT_EQ(old_list.error().reason, Reason::kExpired);
  const auto at_floor = world.cache.list(*widgets(), Query(), 0, {}, 4);
  ASSERT_TRUE(at_floor.ok());
  ASSERT_EQ(at_floor->items.size(), 1u);
  EXPECT_EQ(at_floor->items[0]->revision(), 4);

  // A kind without any object expires just the same: its watchers may have missed a deletion.
  const auto other = world.cache.changes(*notes(), Query(), 3, 10, events);
  EXPECT_FALSE(other.ok());
}

TEST(Cache, ARevisionThatNeverWasIsExpired) {
  CacheOverMemory world;
  world.put("ns", "a");
  const auto ahead = world.cache.list(*widgets(), Query(), 0, {}, 2);
  ASSERT_FALSE(ahead.ok()) << "a token from before a backup was restored";
  EXPECT_EQ(ahead.error().reason, Reason::kExpired);
}

TEST(Cache, HistoryBytesShrinkWhenHistoryIsForgotten) {
  CacheOverMemory world;
  for (int i = 0; i < 6; ++i) world.put("ns", "a", "spec: {size: " + std::to_string(i) + "}");
  EXPECT_GT(world.cache.history_bytes(), 0u);
  ASSERT_TRUE(world.store.compact(6).ok());
  EXPECT_EQ(world.cache.history_bytes(), 0u);
}

TEST(Cache, AServerThatStartsKnowsTheHistoryOfTheStore) {
  CacheOverMemory world(false);
  for (int i = 0; i < 4; ++i) world.put("ns", "a", "spec: {size: " + std::to_string(i) + "}");
  world.put("ns", "gone");
  world.erase("ns", "gone");
  ASSERT_TRUE(world.store.compact(2).ok());

  ASSERT_TRUE(world.cache.follow(world.store).ok());
  EXPECT_EQ(world.cache.revision(), 6);
  EXPECT_EQ(world.cache.floor(), 2);
  EXPECT_EQ(world.cache.count(*widgets()), 1u);
  EXPECT_EQ(watched(world.cache, Query(), 2),
            (std::vector<std::string>{"MODIFIED a@3", "MODIFIED a@4", "ADDED gone@5", "DELETED gone@6"}));
  std::vector<WatchEvent> events;
  EXPECT_FALSE(world.cache.changes(*widgets(), Query(), 1, 10, events).ok());

  world.put("ns", "b");
  EXPECT_EQ(world.cache.count(*widgets()), 2u);
}

TEST(Cache, AnEmptyStoreCanBeWatchedFromItsBeginning) {
  CacheOverMemory world;
  EXPECT_EQ(world.cache.revision(), 0);
  world.put("ns", "a");
  EXPECT_EQ(watched(world.cache, Query(), 0), std::vector<std::string>{"ADDED a@1"});
}

TEST(Cache, KnowsTheDependentsOfAnOwner) {
  CacheOverMemory world;
  const std::string owned = "metadata: {ownerReferences: [{uid: o-1}, {uid: o-2}]}";
  world.put("ns", "a", owned);
  world.put("ns", "b", "metadata: {ownerReferences: [{uid: o-1}]}");
  world.put("ns", "b", "{metadata: {ownerReferences: [{uid: o-1}]}, spec: {size: 2}}");  // of the same owner still
  const auto sorted = [&](std::string_view uid) {
    auto keys = world.cache.dependents(uid);
    std::sort(keys.begin(), keys.end());
    return keys;
  };
  EXPECT_EQ(sorted("o-1"), (std::vector<std::string>{"example.com/widgets/ns/a", "example.com/widgets/ns/b"}));
  EXPECT_EQ(sorted("o-2"), std::vector<std::string>{"example.com/widgets/ns/a"});
  EXPECT_TRUE(sorted("o-3").empty());

  world.put("ns", "a", "metadata: {ownerReferences: [{uid: o-3}]}");
  EXPECT_EQ(sorted("o-1"), std::vector<std::string>{"example.com/widgets/ns/b"});
  EXPECT_TRUE(sorted("o-2").empty());
  EXPECT_EQ(sorted("o-3"), std::vector<std::string>{"example.com/widgets/ns/a"});
  world.erase("ns", "b");
  EXPECT_TRUE(sorted("o-1").empty());
}

TEST(Cache, WatchersHearOfTheirKindAsLongAsTheyLive) {
  CacheOverMemory world;
  auto of_widgets = std::make_shared<CountingWatcher>();
  auto of_notes = std::make_shared<CountingWatcher>();
  world.cache.subscribe(*widgets(), of_widgets);
  world.cache.subscribe(*notes(), of_notes);
  world.put("ns", "a");
  world.erase("ns", "a");
  EXPECT_EQ(of_widgets->count, 2);
  EXPECT_EQ(of_notes->count, 0);
  of_widgets.reset();
  world.put("ns", "a");
}

TEST(Cache, ListenersHearOfAChangeWhenItIsVisibleAndBeforeItsWriterDoes) {
  CacheOverMemory world(false);
  std::vector<std::string> order;  // only touched on the store's thread until the writer is told
  world.cache.listen([&](std::string_view prefix, const Event& event) {
    const auto seen = world.cache.get(*widgets(), event.now->ns(), event.now->name());
    order.push_back("listener of " + std::string(prefix) + (event.deleted == (seen == nullptr) ? "" : ", not visible"));
  });
  ASSERT_TRUE(world.cache.follow(world.store).ok());
  for (const bool put : {true, false}) {
    std::promise<void> done;
    storage::Write write{widgets()->key("ns", "a"), std::nullopt, storage::Write::kAny};
    if (put) write.value = testing::stored_widget("ns", "a");
    world.store.commit(std::move(write), [&](const Result<storage::WriteOutcome>&) {
      order.emplace_back("writer");
      done.set_value();
    });
    done.get_future().get();
  }
  EXPECT_EQ(order, (std::vector<std::string>{"listener of example.com/widgets/", "writer",
                                             "listener of example.com/widgets/", "writer"}));
}

TEST(Cache, ServingAChangedKindReadsItsObjectsAnewAndEndsItsWatches) {
  CacheOverMemory world;
  world.put("ns", "a", "spec: {color: red}");
  ASSERT_TRUE(world.cache.serve(*widgets()).ok());
  EXPECT_EQ(watched(world.cache, Query()).size(), 1u) << "an unchanged kind keeps its history";

  const auto changed = testing::new_widgets();
  changed->crd_uid = "of a custom resource: reading follows its schema";
  changed->versions[0].selectable.pop_back();
  ASSERT_TRUE(world.cache.serve(*changed).ok());
  const auto document = world.cache.get(*changed, "ns", "a");
  ASSERT_NE(document, nullptr);
  EXPECT_EQ(document->field_count(), 1u);
  EXPECT_EQ(document->parse().at("spec").at("size"), json::Value(1));
  std::vector<WatchEvent> events;
  EXPECT_FALSE(world.cache.changes(*changed, Query(), 0, 10, events).ok());
  EXPECT_TRUE(world.cache.changes(*changed, Query(), 1, 10, events).ok());

  world.put("ns", "b", "spec: {color: blue}");
  EXPECT_EQ(world.cache.get(*changed, "ns", "b")->field_count(), 1u);
}

TEST(Cache, ServingAFieldThatFoldsNowReadsTheObjectsAgain) {
  CacheOverMemory world;
  world.put("ns", "a", "spec: {color: Red}");
  const auto changed = testing::new_widgets();
  changed->versions[0].selectable[0].fold = true;
  ASSERT_TRUE(world.cache.serve(*changed).ok());
  EXPECT_EQ(world.cache.get(*changed, "ns", "a")->field(0), "red");
}

TEST(Cache, AValueThatIsNoObjectDoesNotHarmTheOthers) {
  CacheOverMemory world;
  world.commit({widgets()->key("ns", "bad"), "no JSON", storage::Write::kAny});
  world.put("ns", "a");
  EXPECT_EQ(world.cache.count(*widgets()), 1u);
  EXPECT_EQ(world.cache.revision(), 2);
}

}  // namespace
}  // namespace chandler::registry
