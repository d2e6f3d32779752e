// For the tests of this folder: kinds as people write them, documents as the store holds them, and a small registry
// over a store in memory.
#pragma once

#include <functional>
#include <initializer_list>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include <gtest/gtest.h>

#include "json/reader.h"
#include "json/writer.h"
#include "json/yaml.h"
#include "registry/cache.h"
#include "registry/kind_loader.h"
#include "registry/objects.h"
#include "storage/memory/memory_store.h"
#include "support/fake_clock.h"

namespace chandler::registry::testing {

inline json::Value yaml(std::string_view text) {
  auto parsed = json::parse_yaml(text);
  if (!parsed.ok()) ADD_FAILURE() << parsed.error().message << "\n" << text;
  return parsed.ok() ? std::move(parsed).value() : json::Value();
}

inline std::string canonical(std::string_view text) { return json::write(yaml(text)); }

inline std::shared_ptr<Kind> load(const json::Value& definition, const json::Value* rules = nullptr) {
  meta::FieldErrors errors;
  auto kind = load_kind(definition, rules, nullptr, errors);
  for (const auto& cause : errors.causes()) ADD_FAILURE() << cause.field << ": " << cause.message;
  return kind;
}

// A custom resource with a status, defaults and two selectable fields; a copy to change.
inline std::shared_ptr<Kind> new_widgets() {
  return load(yaml(R"(
metadata: {name: widgets.example.com}
spec:
  group: example.com
  scope: Namespaced
  names: {plural: widgets, singular: widget, kind: Widget}
  versions:
    - name: v1
      served: true
      storage: true
      subresources: {status: {}}
      selectableFields: [{jsonPath: .spec.color}, {jsonPath: .spec.size}]
      schema:
        openAPIV3Schema:
          type: object
          properties:
            spec:
              type: object
              properties:
                color: {type: string}
                size: {type: integer, default: 1}
            status:
              type: object
              properties:
                phase: {type: string}
)"));
}

inline KindPtr widgets() {
  static const KindPtr kind = new_widgets();
  return kind;
}

// A kind of the program's own, of the easy-going sort: no generation, no status, made and changed by a bare PUT.
inline KindPtr notes() {
  static const json::Value rules = yaml(R"(
apiVersion: chandler.io/v1
kind: KindRules
builtin: true
generation: false
createOnUpdate: true
unconditionalUpdate: true
immutable: [author]
setOnce: [topic]
)");
  static const KindPtr kind = load(yaml(R"(
metadata: {name: notes}
spec:
  group: ""
  scope: Namespaced
  names: {plural: notes, singular: note, kind: Note}
  versions:
    - name: v1
      served: true
      storage: true
      schema:
        openAPIV3Schema:
          type: object
          properties:
            text: {type: string}
            author: {type: string}
            topic: {type: string}
)"),
                                   &rules);
  return kind;
}

// An object of widgets() as the store holds it; `more` is YAML that is merged into it member by member.
inline std::string stored_widget(std::string_view ns, std::string_view name, std::string_view more = "") {
  json::Object metadata{{"name", name}, {"namespace", ns}, {"uid", std::string(ns) + "-" + std::string(name)}};
  json::Object object{{"apiVersion", "example.com/v1"}, {"kind", "Widget"}};
  if (!more.empty()) {
    const auto extra = yaml(more);
    for (const auto& [key, value] : extra.as_object()) {
      if (key != "metadata") {
        object[key] = value;
        continue;
      }
      for (const auto& [name_of_member, member] : value.as_object()) metadata[name_of_member] = member;
    }
  }
  object["metadata"] = std::move(metadata);
  return json::write(object);
}

// Lets everything through, unless a test hooks in.
class FakeAdmission final : public Admission {
 public:
  using Hook = std::function<Result<void>(AdmissionRequest&)>;
  using Check = std::function<Result<void>(const AdmissionRequest&, meta::FieldErrors&)>;
  Hook on_mutate;
  Check on_validate;

  Result<void> mutate(AdmissionRequest& request) override { return on_mutate ? on_mutate(request) : Result<void>(); }
  Result<void> validate(const AdmissionRequest& request, meta::FieldErrors& errors) override {
    return on_validate ? on_validate(request, errors) : Result<void>();
  }
};

// A cache that follows a store in memory. The store goes first, since it calls the cache.
struct CacheOverMemory {
  metrics::Registry metrics;
  Cache cache{nullptr, metrics};
  storage::MemoryStore store;

  explicit CacheOverMemory(bool follow = true) {
    for (const auto& kind : {widgets(), notes()}) EXPECT_TRUE(cache.serve(*kind).ok());
    EXPECT_TRUE(!follow || cache.follow(store).ok());
  }

  Revision put(std::string_view ns, std::string_view name, std::string_view more = "") {
    return commit({widgets()->key(ns, name), stored_widget(ns, name, more), storage::Write::kAny});
  }
  Revision erase(std::string_view ns, std::string_view name) {
    return commit({widgets()->key(ns, name), std::nullopt, storage::Write::kAny});
  }
  Revision commit(storage::Write write) {
    const auto outcome = store.commit_and_wait(std::move(write));
    EXPECT_TRUE(outcome.ok() && outcome->committed);
    return outcome.ok() ? outcome->revision : 0;
  }
};

inline Query query(const Kind& kind, std::string_view ns = "", std::string_view labels = "",
                   std::string_view fields = "") {
  auto label_selector = meta::LabelSelector::parse(labels);
  auto field_selector = meta::FieldSelector::parse(fields);
  EXPECT_TRUE(label_selector.ok()) << labels;
  EXPECT_TRUE(field_selector.ok()) << fields;
  auto made = Query::make(kind, kind.storage_version(), ns, std::move(label_selector).value(), *field_selector);
  EXPECT_TRUE(made.ok()) << fields;
  return std::move(made).value();
}

inline std::vector<std::string> names(const std::vector<DocumentPtr>& documents) {
  std::vector<std::string> out;
  for (const auto& document : documents)
    out.push_back(std::string(document->ns()) + "/" + std::string(document->name()));
  return out;
}

}  // namespace chandler::registry::testing
