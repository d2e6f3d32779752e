// Reading and changing parts of documents. What is missing or of another type counts as empty.
#pragma once

#include <optional>
#include <string>
#include <string_view>

#include "base/clock.h"
#include "base/cut_text.h"
#include "client/api.h"
#include "client/object.h"
#include "json/value.h"
#include "resolve/abandonment.h"

namespace chandler::reconcilers {

// The member, or null when there is none.
const json::Value& member(const json::Value& parent, std::string_view key);
const json::Value& member(const json::Object& parent, std::string_view key);
const json::Value& member(const json::Value& parent, std::initializer_list<std::string_view> path);
std::string text_at(const json::Value& parent, std::string_view key);
bool true_at(const json::Value& parent, std::string_view key);
int64_t number_at(const json::Value& parent, std::string_view key);
std::optional<WallTime> time_at(const json::Value& parent, std::string_view key);

// As JSON takes texts; it borrows them, so it is for assigning and not for keeping.
inline boost::json::string_view text(std::string_view s) { return {s.data(), s.size()}; }
json::Object& object_in(json::Object& parent, std::string_view key);  // made when absent

const json::Value& spec_of(const client::Object& object);
const json::Value& status_of(const client::Object& object);
int64_t generation_of(const client::Object& object);
std::string annotation_of(const client::Object& object, std::string_view key);
bool has_finalizer(const client::Object& object, std::string_view finalizer = resolve::kCatalogFinalizer);

// Memory for one of many documents, in a few pieces that are freed as a whole. Where there are few, json::arena() is
// better.
json::Storage document_memory(size_t first_bytes);

// An object that is going to be written: starts as a copy of what is stored, with its resourceVersion. The copy is made
// when it is first touched: many drafts are made in case that something has to be told, and nothing has.
class Draft {
 public:
  Draft(const client::KindName& kind, client::Object object) : kind_(kind), original_(std::move(object)) {}
  // In the memory of another one: what is moved from the one to the other is not copied.
  Draft beside() { return Draft(kind_, original_, root().storage()); }

  json::Object& root();
  json::Object& metadata() { return object_in(root(), "metadata"); }
  json::Object& spec() { return object_in(root(), "spec"); }
  json::Object& status() { return object_in(root(), "status"); }
  void set_annotation(std::string_view key, std::optional<std::string_view> value);  // nullopt removes
  void add_finalizer(std::string_view finalizer);
  void remove_finalizer(std::string_view finalizer);

  bool changed() const;  // differs from what is stored
  client::Write update() &&;
  client::Write update_status() &&;

 private:
  Draft(const client::KindName& kind, client::Object object, json::Storage memory)
      : kind_(kind), original_(std::move(object)), memory_(std::move(memory)) {}
  client::Write write(client::Write::Verb verb) &&;

  client::KindName kind_;
  client::Object original_;
  std::optional<json::Storage> memory_;  // none: of its own
  std::optional<json::Value> root_;
};

// Where no admission does it: the finalizer and an external ID, before any effect outside. nullopt: all is there.
std::optional<Draft> prepare(const client::KindName& kind, const client::Object& object);

client::Write delete_of(const client::KindName& kind, const client::Object& object);  // of exactly this state's uid

}  // namespace chandler::reconcilers
