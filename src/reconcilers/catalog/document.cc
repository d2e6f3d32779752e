#include "reconcilers/catalog/document.h"

#include <algorithm>

#include "base/time_text.h"

namespace chandler::reconcilers {
namespace {

const json::Value kNull;

}  // namespace

const json::Value& member(const json::Value& parent, std::string_view key) {
  return parent.is_object() ? member(parent.get_object(), key) : kNull;
}

const json::Value& member(const json::Object& parent, std::string_view key) {
  const auto* value = parent.if_contains(key);
  return value == nullptr ? kNull : *value;
}

const json::Value& member(const json::Value& parent, std::initializer_list<std::string_view> path) {
  const json::Value* at = &parent;
  for (const auto key : path) at = &member(*at, key);
  return *at;
}

std::string text_at(const json::Value& parent, std::string_view key) { return json::string_or(parent, key); }

bool true_at(const json::Value& parent, std::string_view key) { return json::bool_at(parent, key).value_or(false); }

int64_t number_at(const json::Value& parent, std::string_view key) { return json::int_at(parent, key).value_or(0); }

std::optional<WallTime> time_at(const json::Value& parent, std::string_view key) {
  const auto value = json::string_at(parent, key);
  return value ? parse_rfc3339(*value) : std::nullopt;
}

json::Object& object_in(json::Object& parent, std::string_view key) {
  auto& value = parent[key];
  if (!value.is_object()) value.emplace_object();
  return value.get_object();
}

const json::Value& spec_of(const client::Object& object) { return member(object.value(), "spec"); }

const json::Value& status_of(const client::Object& object) { return member(object.value(), "status"); }

int64_t generation_of(const client::Object& object) {
  return number_at(member(object.value(), "metadata"), "generation");
}

std::string annotation_of(const client::Object& object, std::string_view key) {
  return text_at(member(object.value(), {"metadata", "annotations"}), key);
}

bool has_finalizer(const client::Object& object, std::string_view finalizer) {
  const auto* list = json::array_at(member(object.value(), "metadata"), "finalizers");
  return list != nullptr && std::any_of(list->begin(), list->end(), [&](const json::Value& value) {
           return value.is_string() && json::view(value.get_string()) == finalizer;
         });
}

json::Storage document_memory(size_t first_bytes) {
  return boost::json::make_shared_resource<boost::json::monotonic_resource>(first_bytes);
}

json::Object& Draft::root() {
  if (!root_) {
    // As much as it takes with what is going to be added. Thousands may wait to be written, so not more.
    constexpr size_t kValuePerByte = 4;
    constexpr size_t kMore = 2 * 1024;
    const auto& document = original_.document();
    const size_t bytes = document.bytes().size() - document.managed_fields().size();
    root_.emplace(original_.value(), memory_ ? *memory_ : document_memory(kValuePerByte * bytes + kMore));
    if (!root_->is_object()) root_->emplace_object();
  }
  return root_->get_object();
}

void Draft::set_annotation(std::string_view key, std::optional<std::string_view> value) {
  auto& annotations = object_in(metadata(), "annotations");
  if (value) {
    annotations[key] = text(*value);
  } else {
    annotations.erase(key);
  }
}

void Draft::add_finalizer(std::string_view finalizer) {
  auto& list = metadata()["finalizers"];
  if (!list.is_array()) list.emplace_array();
  list.get_array().push_back(text(finalizer));
}

void Draft::remove_finalizer(std::string_view finalizer) {
  auto& list = metadata()["finalizers"];
  if (!list.is_array()) return;
  json::Array kept;
  for (const auto& entry : list.get_array()) {
    if (!entry.is_string() || json::view(entry.get_string()) != finalizer) kept.push_back(entry);
  }
  list = std::move(kept);
}

bool Draft::changed() const { return root_ && !json::equal(*root_, original_.value()); }

client::Write Draft::write(client::Write::Verb verb) && {
  root();
  // The object is handed over and not assigned, so that it stays in its memory.
  return {.verb = verb,
          .kind = kind_,
          .ns = std::string(original_.ns()),
          .name = std::string(original_.name()),
          .object = std::move(*root_),
          .uid = {},
          .resource_version = {},
          .base = std::move(original_)};
}

client::Write Draft::update() && { return std::move(*this).write(client::Write::Verb::kUpdate); }

client::Write Draft::update_status() && { return std::move(*this).write(client::Write::Verb::kUpdateStatus); }

std::optional<Draft> prepare(const client::KindName& kind, const client::Object& object) {
  const bool finalizer = has_finalizer(object);
  const bool id = !text_at(spec_of(object), "externalID").empty();
  if (finalizer && id) return std::nullopt;
  Draft draft(kind, object);
  if (!finalizer) draft.add_finalizer(resolve::kCatalogFinalizer);
  if (!id) draft.spec()["externalID"] = text(object.uid());
  return draft;
}

client::Write delete_of(const client::KindName& kind, const client::Object& object) {
  client::Write write;
  write.verb = client::Write::Verb::kDelete;
  write.kind = kind;
  write.ns = object.ns();
  write.name = object.name();
  write.uid = object.uid();
  return write;
}

}  // namespace chandler::reconcilers
