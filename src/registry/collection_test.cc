#include "registry/collection.h"

#include "registry/collection_fixture.h"

namespace chandler::registry {
namespace {

using testing::expected;
using testing::names;
using testing::query;
using testing::RandomWorld;
using testing::reading_of;
using testing::scan;
using testing::State;
using testing::stored;
using testing::stored_widget;
using testing::widget_reading;
using testing::widgets;
using testing::Writer;

TEST(Collection, KeepsObjectsInTheOrderOfNamespaceAndName) {
  Collection collection(widget_reading());
  Writer writer(collection);
  for (const auto& [ns, name] : std::vector<std::pair<std::string, std::string>>{
           {"b", "a"}, {"a", "b"}, {"a-b", "a"}, {"a", "b-c"}, {"a", "a"}, {"b", "A"}}) {
    writer.put(ns, name);
  }
  EXPECT_EQ(names(scan(collection, Query())), (std::vector<std::string>{"a/a", "a/b", "a/b-c", "a-b/a", "b/A", "b/a"}));
  EXPECT_EQ(names(scan(collection, Query(), {"a", "b-"})), (std::vector<std::string>{"a/b-c", "a-b/a", "b/A", "b/a"}));
  EXPECT_EQ(names(scan(collection, query(*widgets(), "a"), {"a", "b"})), (std::vector<std::string>{"a/b", "a/b-c"}));
  EXPECT_EQ(collection.size(), 6u);
}

TEST(Collection, StopsWhenTheVisitorHasEnough) {
  Collection collection(widget_reading());
  Writer writer(collection);
  for (const char* name : {"a", "b", "c"}) writer.put("ns", name, "metadata: {labels: {app: x}}");
  const auto then = writer.revision();
  writer.erase("ns", "c");
  for (const auto& [wanted, at] : std::vector<std::pair<Query, Revision>>{{Query(), 0},
                                                                          {query(*widgets(), "", "app=x"), 0},
                                                                          {Query(), then},
                                                                          {query(*widgets(), "", "app=x"), then}}) {
    int visits = 0;
    collection.scan(wanted, {}, at, [&](const DocumentPtr&) { return ++visits < 2; });
    EXPECT_EQ(visits, 2);
  }
}

TEST(Collection, IndexesAnswerAsAScanWould) {
  for (unsigned seed = 1; seed <= 8; ++seed) {
    SCOPED_TRACE("seed " + std::to_string(seed));
    RandomWorld world(seed);
    Collection collection(widget_reading());
    Writer writer(collection);
    State state;
    for (int step = 0; step < 250; ++step) {
      const auto ns = world.ns();
      const auto name = world.name();
      if (world.chance(4)) {
        writer.erase(ns, name);
        state.erase({ns, name});
      } else {
        const auto object = world.object();
        writer.put(ns, name, object);
        state[{ns, name}] = stored_widget(ns, name, object);
      }
      const std::string in = world.chance(2) ? "" : world.ns();
      const auto labels = world.labels();
      const auto fields = world.fields();
      const auto start_ns = world.ns();
      const auto start_name = world.name();
      const ObjectKey start = world.chance(3) ? ObjectKey{start_ns, start_name} : ObjectKey{};
      ASSERT_EQ(stored(scan(collection, query(*widgets(), in, labels, fields), start)),
                expected(state, in, labels, fields, start))
          << "namespace '" << in << "' labels '" << labels << "' fields '" << fields << "'";
      ASSERT_EQ(collection.size(), state.size());
    }
  }
}

// Objects change by little, as they mostly do, so that an update leaves some terms, moves some and drops some.
TEST(Collection, EveryTermFindsItsObjectsHoweverTheyChanged) {
  const std::vector<std::string> keys = {"app", "env", "tier"};
  const std::vector<std::string> values = {"", "x", "y"};
  const std::vector<std::string> colors = {"blue", "red"};
  for (unsigned seed = 1; seed <= 2; ++seed) {
    SCOPED_TRACE("seed " + std::to_string(seed));
    RandomWorld world(200 + seed);
    Collection collection(widget_reading());
    Writer writer(collection);
    std::map<std::pair<std::string, std::string>, json::Object> labels;
    std::vector<State> states(1);  // by revision
    for (int step = 0; step < 120; ++step) {
      const std::pair key(world.pick({"a", "b"}), world.pick({"n1", "n2", "n3", "n4"}));
      auto next = states.back();
      if (world.chance(4)) {
        writer.erase(key.first, key.second);
        labels.erase(key);
        next.erase(key);
      } else {
        auto& own = labels[key];
        const auto changed = world.pick(keys);
        if (world.chance(3)) {
          own.erase(changed);
        } else if (!world.chance(3)) {
          own[changed] = world.pick(values);
        }
        const auto object =
            json::write(json::Object{{"metadata", json::Object{{"labels", own}}},
                                     {"spec", json::Object{{"color", world.pick(colors)}, {"size", step}}}});
        writer.put(key.first, key.second, object);
        next[key] = stored_widget(key.first, key.second, object);
      }
      states.push_back(std::move(next));
      if (world.chance(40)) {
        ASSERT_TRUE(collection.reindex(widget_reading(), 0).ok());
      }
      const size_t then = 1 + world.number(states.size() - 1);
      const auto check = [&](const std::string& label, const std::string& field) {
        const auto wanted = query(*widgets(), "", label, field);
        const auto found = expected(states.back(), "", label, field);
        ASSERT_EQ(stored(scan(collection, wanted)), found) << label << field;
        ASSERT_EQ(collection.reach(wanted), found.size()) << label << field << ": nothing else is in the index";
        ASSERT_EQ(stored(scan(collection, wanted, {}, static_cast<Revision>(then))),
                  expected(states[then], "", label, field))
            << label << field << " at " << then;
      };
      for (const auto& name : keys) {
        for (const auto& value : values) ASSERT_NO_FATAL_FAILURE(check(name + "=" + value, ""));
      }
      for (const auto& color : colors) ASSERT_NO_FATAL_FAILURE(check("", "spec.color=" + color));
      ASSERT_NO_FATAL_FAILURE(check("", "spec.size=" + std::to_string(step)));
    }
  }
}

TEST(Collection, WhatIsMadeAnewHasNothingOfWhatWasDeleted) {
  Collection collection(widget_reading());
  Writer writer(collection);
  writer.put("ns", "b", "{metadata: {labels: {app: x}}, spec: {color: red}}");
  const auto then = writer.put("ns", "d", "{metadata: {labels: {app: x}}, spec: {color: red}}");
  writer.erase("ns", "b");
  writer.put("ns", "e", "{metadata: {labels: {app: x}}, spec: {color: blue}}");
  writer.put("ns", "b", "{metadata: {labels: {app: w}}, spec: {color: blue}}");
  writer.put("ns", "a", "{metadata: {labels: {app: w}}, spec: {color: blue}}");
  const auto found = [&](std::string_view labels, std::string_view fields, Revision at = 0) {
    return names(scan(collection, query(*widgets(), "", labels, fields), {}, at));
  };
  using Names = std::vector<std::string>;
  EXPECT_EQ(found("", ""), (Names{"ns/a", "ns/b", "ns/d", "ns/e"}));
  EXPECT_EQ(found("app=x", ""), (Names{"ns/d", "ns/e"}));
  EXPECT_EQ(found("app=w", ""), (Names{"ns/a", "ns/b"}));
  EXPECT_EQ(found("", "spec.color=red"), Names{"ns/d"});
  EXPECT_EQ(found("", "spec.color=blue"), (Names{"ns/a", "ns/b", "ns/e"}));
  EXPECT_EQ(found("app=x", "spec.color=red", then), (Names{"ns/b", "ns/d"}));
  EXPECT_EQ(collection.get("ns", "b")->revision(), 5);
}

TEST(Collection, ShowsTheStateOfAnyRevisionInItsHistory) {
  for (unsigned seed = 1; seed <= 5; ++seed) {
    SCOPED_TRACE("seed " + std::to_string(seed));
    RandomWorld world(100 + seed);
    Collection collection(widget_reading());
    Writer writer(collection);
    std::vector<State> states(1);  // by revision
    for (int step = 0; step < 120; ++step) {
      const auto ns = world.ns();
      const auto name = world.name();
      auto next = states.back();
      if (world.chance(3)) {
        writer.erase(ns, name);
        next.erase({ns, name});
      } else {
        const auto object = world.object();
        writer.put(ns, name, object);
        next[{ns, name}] = stored_widget(ns, name, object);
      }
      states.push_back(std::move(next));
    }
    for (size_t at = 1; at < states.size(); ++at) {
      const std::string in = world.chance(2) ? "" : world.ns();
      const auto labels = world.labels();
      const auto fields = world.fields();
      const auto start_ns = world.ns();
      const auto start_name = world.name();
      const ObjectKey start = world.chance(2) ? ObjectKey{start_ns, start_name} : ObjectKey{};
      ASSERT_EQ(stored(scan(collection, query(*widgets(), in, labels, fields), start, static_cast<Revision>(at))),
                expected(states[at], in, labels, fields, start))
          << "revision " << at << " namespace '" << in << "' labels '" << labels << "' fields '" << fields << "'";
    }
  }
}

TEST(Collection, TellsChangesOldestFirst) {
  Collection collection(widget_reading());
  Writer writer(collection);
  writer.put("ns", "a", "spec: {size: 1}");
  writer.put("ns", "a", "spec: {size: 2}");
  writer.erase("ns", "a");
  writer.erase("ns", "a");  // nothing there: nothing to tell
  std::vector<Event> events;
  collection.changes(0, [&](const Event& event) {
    events.push_back(event);
    return true;
  });
  ASSERT_EQ(events.size(), 3u);
  EXPECT_EQ(events[0].before, nullptr);
  EXPECT_EQ(events[1].before, events[0].now);
  EXPECT_TRUE(events[2].deleted);
  EXPECT_EQ(events[2].now->revision(), 3);
  EXPECT_EQ(events[2].now->stored(), events[1].now->stored());

  std::vector<Revision> later;
  collection.changes(1, [&](const Event& event) {
    later.push_back(event.revision);
    return false;
  });
  EXPECT_EQ(later, std::vector<Revision>{2});
}

TEST(Collection, ForgetsHistoryAndItsBytes) {
  Collection collection(widget_reading());
  Writer writer(collection);
  for (int i = 0; i < 4; ++i) writer.put("ns", "a", "spec: {size: " + std::to_string(i) + "}");
  writer.erase("ns", "a");
  const auto before = collection.history_bytes();
  EXPECT_GT(before, 0u);
  EXPECT_EQ(collection.bytes(), 0u);

  collection.forget(3);
  EXPECT_EQ(collection.history_floor(), 3);
  EXPECT_LT(collection.history_bytes(), before);
  std::vector<Revision> kept;
  collection.changes(0, [&](const Event& event) {
    kept.push_back(event.revision);
    return true;
  });
  EXPECT_EQ(kept, (std::vector<Revision>{4, 5}));
  EXPECT_EQ(scan(collection, Query(), {}, 3).size(), 1u) << "the state at the floor itself is still known";

  collection.forget(5);
  EXPECT_EQ(collection.history_bytes(), 0u);
  collection.forget(2);
  EXPECT_EQ(collection.history_floor(), 5) << "a floor never sinks";
}

TEST(Collection, ReindexReadsEveryObjectTheNewWay) {
  Collection collection(reading_of({}));
  Writer writer(collection);
  writer.put("ns", "a", "spec: {color: red}");
  writer.put("ns", "b", "spec: {color: blue}");
  ASSERT_EQ(collection.get("ns", "a")->field_count(), 0u);

  ASSERT_TRUE(collection.reindex(widget_reading(), writer.revision()).ok());
  EXPECT_EQ(names(scan(collection, query(*widgets(), "", "", "spec.color=red"))), std::vector<std::string>{"ns/a"});
  EXPECT_EQ(collection.get("ns", "a")->revision(), 1) << "reading anew is no change";
  EXPECT_EQ(collection.history_floor(), 2);
  EXPECT_EQ(collection.history_bytes(), 0u);
  EXPECT_EQ(collection.bytes(), collection.get("ns", "a")->memory() + collection.get("ns", "b")->memory());

  // The old index is gone with the old documents.
  writer.put("ns", "a", "spec: {color: green}");
  EXPECT_TRUE(scan(collection, query(*widgets(), "", "", "spec.color=red")).empty());
  EXPECT_EQ(names(scan(collection, query(*widgets(), "", "", "spec.color=green"))), std::vector<std::string>{"ns/a"});

  ASSERT_TRUE(collection.reindex(reading_of({}), writer.revision()).ok());
  EXPECT_EQ(collection.reach(query(*widgets(), "", "", "spec.color=green")), 0u);
}

TEST(Collection, FindsFoldedValuesByTheirIndex) {
  const auto kind = testing::new_widgets();
  kind->versions[0].selectable.push_back({"spec.color.folded", {"spec", "color"}, "", true});
  Collection collection(reading_of(kind->storage_version().selectable));
  Writer writer(collection);
  writer.put("ns", "a", "spec: {color: Red}");
  writer.put("ns", "b", "spec: {color: red}");
  writer.put("ns", "c", "spec: {color: blue}");
  using Names = std::vector<std::string>;
  const auto folded = query(*kind, "", "", "spec.color.folded=red");
  EXPECT_EQ(names(scan(collection, folded)), (Names{"ns/a", "ns/b"}));
  EXPECT_EQ(collection.reach(folded), 2u) << "only what is found is looked at";
  EXPECT_EQ(names(scan(collection, query(*kind, "", "", "spec.color=red"))), Names{"ns/b"});
  writer.put("ns", "b", "spec: {color: BLUE}");
  EXPECT_EQ(names(scan(collection, folded)), Names{"ns/a"});
  EXPECT_EQ(names(scan(collection, query(*kind, "", "", "spec.color.folded=blue"))), (Names{"ns/b", "ns/c"}));
}

TEST(Reading, FollowsASchemaThatWasChangedLater) {
  Reading reading;
  reading.fields = widgets()->storage_version().selectable;
  reading.schema = widgets()->storage_version().schema;
  const auto document = reading.read(stored_widget("ns", "a", "spec: {color: red, forgotten: 1}"), 3);
  ASSERT_TRUE(document.ok());
  EXPECT_EQ(json::find((*document)->parse().at("spec"), "forgotten"), nullptr);
  EXPECT_EQ((*document)->parse().at("spec").at("size"), json::Value(1));
  EXPECT_EQ((*document)->field(1), "1");
}

TEST(Collection, KeepsABoundedPast) {
  constexpr size_t kBytes = 20'000;
  Collection collection(widget_reading(), kBytes);
  Writer writer(collection);
  for (int i = 0; i < 1000; ++i) {
    writer.put("ns", "lease", "{spec: {color: c" + std::to_string(i) + "}}");
    ASSERT_LE(collection.history_bytes(), kBytes);
  }
  const Revision floor = collection.history_floor();
  EXPECT_GT(floor, 0);
  EXPECT_LT(floor, writer.revision()) << "the newest changes are kept";
  std::vector<Revision> told;
  collection.changes(floor, [&](const Event& event) {
    told.push_back(event.revision);
    return true;
  });
  ASSERT_FALSE(told.empty());
  EXPECT_EQ(told.front(), floor + 1) << "no gap after the floor";
  EXPECT_EQ(told.back(), writer.revision());
}

}  // namespace
}  // namespace chandler::registry
