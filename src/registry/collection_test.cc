#include "registry/collection.h"

#include <algorithm>
#include <map>
#include <random>

#include "registry/registry_fixture.h"

namespace chandler::registry {
namespace {

using testing::names;
using testing::query;
using testing::stored_widget;
using testing::widgets;

ReadingPtr reading_of(std::vector<SelectableField> fields) {
  auto reading = std::make_shared<Reading>();
  reading->fields = std::move(fields);
  return reading;
}

ReadingPtr widget_reading() { return reading_of(widgets()->storage_version().selectable); }

// Writes into a collection the way the cache does.
class Writer {
 public:
  explicit Writer(Collection& collection) : collection_(collection) {}

  Revision put(std::string_view ns, std::string_view name, std::string_view more = "") {
    auto document = collection_.reading()->read(stored_widget(ns, name, more), ++revision_);
    EXPECT_TRUE(document.ok());
    collection_.apply(std::move(document).value(), ns, name, revision_, true);
    return revision_;
  }
  Revision erase(std::string_view ns, std::string_view name) {
    collection_.apply(nullptr, ns, name, ++revision_, true);
    return revision_;
  }
  Revision revision() const { return revision_; }

 private:
  Collection& collection_;
  Revision revision_ = 0;
};

std::vector<DocumentPtr> scan(const Collection& collection, const Query& wanted, const ObjectKey& start = {},
                              Revision at = 0) {
  std::vector<DocumentPtr> found;
  collection.scan(wanted, start, at, [&](const DocumentPtr& document) {
    found.push_back(document);
    return true;
  });
  return found;
}

// Random objects of a few namespaces, names, labels and fields, so that selectors meet often.
class RandomWorld {
 public:
  explicit RandomWorld(unsigned seed) : random_(seed) {}

  std::string pick(const std::vector<std::string>& from) { return from[random_() % from.size()]; }
  bool chance(unsigned one_in) { return random_() % one_in == 0; }
  std::string ns() { return pick({"a", "b", "ba"}); }
  std::string name() { return "n" + std::to_string(random_() % 8); }

  std::string object() {
    json::Object labels;
    for (const std::string key : {"app", "tier", "env"}) {
      if (!chance(3)) labels[key] = pick({"x", "y", "z", ""});
    }
    json::Object spec{{"size", random_() % 3}};
    if (!chance(4)) spec["color"] = pick({"red", "blue", "sky\"blue", ""});
    return json::write(
        json::Object{{"metadata", json::Object{{"labels", std::move(labels)}}}, {"spec", std::move(spec)}});
  }

  std::string labels() {
    std::vector<std::string> terms;
    const std::vector<std::string> known = {"app=x",      "app!=x",   "tier in (x,y)", "tier in (z)", "tier notin (x)",
                                            "env",        "!env",     "env=",          "app==y",      "missing=1",
                                            "missing!=1", "!missing", "env in (,x)"};
    while (chance(2)) terms.push_back(pick(known));
    return join(terms, ",");
  }
  std::string fields() {
    std::vector<std::string> terms;
    const std::vector<std::string> known = {
        "spec.color=red",        "spec.color!=red",      "spec.color=",       "spec.size=1",
        "spec.size!=2",          "metadata.name=n1",     "metadata.name!=n2", "metadata.namespace=b",
        "metadata.namespace!=a", "spec.color=sky\"blue", "metadata.name="};
    while (chance(2)) terms.push_back(pick(known));
    return join(terms, ",");
  }

 private:
  static std::string join(const std::vector<std::string>& terms, std::string_view separator) {
    std::string out;
    for (const auto& term : terms) out.append(out.empty() ? "" : separator).append(term);
    return out;
  }
  std::mt19937 random_;
};

// The plain meaning of the selectors, off the parsed object alone.
bool selected(const json::Value& object, std::string_view ns, const std::string& labels, const std::string& fields) {
  const auto& metadata = object.at("metadata");
  if (!ns.empty() && json::string_or(metadata, "namespace") != ns) return false;
  const auto label_selector = meta::LabelSelector::parse(labels);
  const auto lookup = [&](std::string_view key) {
    const auto* all = json::find(metadata, "labels");
    return all == nullptr ? std::nullopt : json::string_at(*all, key);
  };
  if (!label_selector->empty() && !label_selector->matches(lookup)) return false;
  const auto field_selector = meta::FieldSelector::parse(fields);
  for (const auto& term : field_selector->terms()) {
    const json::Value* at = &object;
    size_t begin = 0;
    while (at != nullptr && begin < term.field.size()) {
      const size_t dot = std::min(term.field.find('.', begin), term.field.size());
      at = json::find(*at, std::string_view(term.field).substr(begin, dot - begin));
      begin = dot + 1;
    }
    std::string value;
    if (at != nullptr) value = at->is_string() ? std::string(json::view(at->get_string())) : json::write(*at);
    if ((value == term.value) != term.equals) return false;
  }
  return true;
}

using State = std::map<std::pair<std::string, std::string>, std::string>;  // stored bytes by namespace and name

std::vector<std::string> expected(const State& state, std::string_view ns, const std::string& labels,
                                  const std::string& fields, const ObjectKey& start = {}) {
  std::vector<std::string> out;
  for (const auto& [key, bytes] : state) {
    if (ObjectKey{key.first, key.second} < start) continue;
    if (selected(*json::parse(bytes), ns, labels, fields)) out.push_back(bytes);
  }
  return out;
}

std::vector<std::string> stored(const std::vector<DocumentPtr>& documents) {
  std::vector<std::string> out;
  for (const auto& document : documents) out.push_back(document->stored());
  return out;
}

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
