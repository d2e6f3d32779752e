// An object as controllers and the command line see it: immutable bytes shared with whoever else holds them, parsed
// when first looked into. Cheap to make and to copy. An Object that was looked into and its copies belong to one
// thread.
#pragma once

#include <memory>
#include <optional>
#include <string>
#include <string_view>
#include <utility>

#include "json/value.h"
#include "registry/document.h"

namespace chandler::client {

// How a kind is named in requests: group and plural. The views must outlive it; they are constants of the program.
struct KindName {
  std::string_view group;
  std::string_view plural;
  auto operator<=>(const KindName&) const = default;
};

class Object {
 public:
  Object() = default;  // no object
  explicit Object(registry::DocumentPtr document) : document_(std::move(document)) {}

  explicit operator bool() const { return document_ != nullptr; }
  std::string_view name() const { return document().name(); }
  std::string_view ns() const { return document().ns(); }
  std::string_view uid() const { return document().uid(); }
  bool deleting() const { return document().deleting(); }
  registry::Revision revision() const { return document().revision(); }
  std::string resource_version() const { return std::to_string(revision()); }
  // The whole document but managedFields, which nobody here reads and an update need not repeat. It lies in memory of
  // its own that only grows: to change a copy, give that another Storage. Copies that are made after this share it, and
  // keep it for who holds the reference.
  const json::Value& value() const;
  // Copies that are made after this share the value, though it is not parsed yet.
  void share_value();
  const registry::Document& document() const { return *document_; }

  bool operator==(const Object& other) const;  // the same state of the same object

 private:
  using Parsed = std::optional<json::Value>;

  registry::DocumentPtr document_;
  mutable std::shared_ptr<Parsed> parsed_;  // most Objects are passed on and never looked into
};

}  // namespace chandler::client
