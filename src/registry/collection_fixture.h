// For the tests of collections: one that is written to as the cache does, random objects and selectors, and what the
// selectors plainly mean.
#pragma once

#include <algorithm>
#include <map>
#include <random>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "registry/registry_fixture.h"

namespace chandler::registry::testing {

inline ReadingPtr reading_of(std::vector<SelectableField> fields) {
  auto reading = std::make_shared<Reading>();
  reading->fields = std::move(fields);
  return reading;
}

inline ReadingPtr widget_reading() { return reading_of(widgets()->storage_version().selectable); }

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

inline std::vector<DocumentPtr> scan(const Collection& collection, const Query& wanted, const ObjectKey& start = {},
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
  size_t number(size_t below) { return random_() % below; }
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
    // Many terms are matched another way than few.
    for (int i = 0, more = chance(3) ? 9 : 0; i < more; ++i)
      terms.push_back(pick({"missing!=1", "!missing", "app!=q"}));
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
inline bool selected(const json::Value& object, std::string_view ns, const std::string& labels,
                     const std::string& fields) {
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

inline std::vector<std::string> expected(const State& state, std::string_view ns, const std::string& labels,
                                         const std::string& fields, const ObjectKey& start = {}) {
  std::vector<std::string> out;
  for (const auto& [key, bytes] : state) {
    if (ObjectKey{key.first, key.second} < start) continue;
    if (selected(*json::parse(bytes), ns, labels, fields)) out.push_back(bytes);
  }
  return out;
}

inline std::vector<std::string> stored(const std::vector<DocumentPtr>& documents) {
  std::vector<std::string> out;
  for (const auto& document : documents) out.push_back(document->stored());
  return out;
}

}  // namespace chandler::registry::testing
