// An object in memory: its canonical JSON bytes as they are sent (resourceVersion included), and what was read off them
// once, when they were written: name, uid, labels, values of the selectable fields, owners. One allocation; all strings
// are views into it. Immutable and reference-counted, so readers on any thread share it.
#pragma once

#include <atomic>
#include <cstdint>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include <boost/smart_ptr/intrusive_ptr.hpp>

#include "base/result.h"
#include "json/value.h"
#include "registry/kind.h"
#include "storage/store.h"

namespace chandler::registry {

using storage::Revision;

class Document;
using DocumentPtr = boost::intrusive_ptr<const Document>;
using DraftPtr = boost::intrusive_ptr<Document>;  // not finished: one owner, not shown to anybody

// What an owner has that is deleted after its dependents.
inline constexpr std::string_view kForegroundFinalizer = "foregroundDeletion";

// A piece of the document's buffer.
struct Slice {
  uint32_t offset = 0;
  uint32_t size = 0;
};

class Document {
 public:
  // From the bytes in the store (without resourceVersion). `fields` are the selectable fields of the collection.
  static Result<DocumentPtr> from_stored(std::string_view stored, Revision revision,
                                         std::span<const SelectableField> fields);
  // The same when the parsed value is at hand.
  static Result<DocumentPtr> from_stored(std::string_view stored, const json::Value& value, Revision revision,
                                         std::span<const SelectableField> fields);
  // All but the revision, which only the commit knows: it will probably have as many digits as `likely`. So the thread
  // that commits for all neither reads nor allocates.
  static Result<DraftPtr> draft(std::string_view stored, const json::Value& value, Revision likely,
                                std::span<const SelectableField> fields);
  // Puts the revision into a draft. False: it has another number of digits; make the document from stored() instead.
  bool finish(Revision revision);
  // The last state of a deleted object, with the revision of its deletion.
  DocumentPtr at_revision(Revision revision, std::span<const SelectableField> fields) const;

  std::string_view bytes() const { return {buffer(), size_}; }
  Revision revision() const { return revision_; }
  std::string_view name() const { return view(name_); }
  std::string_view ns() const { return view(ns_); }
  std::string_view uid() const { return view(uid_); }
  bool deleting() const { return deleting_; }
  bool has_finalizers() const { return has_finalizers_; }
  bool in_foreground() const { return in_foreground_; }  // kForegroundFinalizer is one of its finalizers

  std::optional<std::string_view> label(std::string_view key) const;
  size_t label_count() const { return labels_; }
  std::pair<std::string_view, std::string_view> label_at(size_t i) const;
  // The value of the i-th selectable field of its collection.
  std::string_view field(size_t i) const { return i < fields_ ? view(slices()[2 * labels_ + i]) : std::string_view(); }
  size_t field_count() const { return fields_; }
  // uids of the owners.
  size_t owner_count() const { return owners_; }
  std::string_view owner(size_t i) const { return view(slices()[2 * labels_ + fields_ + i]); }

  // The bytes without the apiVersion and kind members, as items of built-in lists are sent: appended to `out`.
  void append_untyped(std::string& out) const;
  size_t untyped_size() const;

  // Bytes as they are in the store: without resourceVersion.
  std::string stored() const;
  bool stored_equals(std::string_view stored) const;
  // Parsed anew; for the paths that change or convert an object.
  json::Value parse(json::Storage storage = {}) const;
  // The same without metadata.managedFields: as much text as all the rest in many objects, and few want to know.
  json::Value parse_unmanaged(json::Storage storage = {}) const;
  // metadata.managedFields as written; empty when there are none.
  std::string_view managed_fields() const;

  size_t memory() const { return sizeof(Document) + slice_count() * sizeof(Slice) + buffer_size_; }

 private:
  friend void intrusive_ptr_add_ref(const Document* d) { d->references_.fetch_add(1, std::memory_order_relaxed); }
  friend void intrusive_ptr_release(const Document* d);
  struct Extract;

  Document() = default;
  static Result<DraftPtr> build(std::string_view stored, const Extract& extract, Revision revision);

  size_t slice_count() const { return 2 * labels_ + fields_ + owners_; }
  const Slice* slices() const { return reinterpret_cast<const Slice*>(this + 1); }
  char* mutable_buffer() { return const_cast<char*>(buffer()); }
  const char* buffer() const { return reinterpret_cast<const char*>(slices() + slice_count()); }
  std::string_view view(Slice s) const { return {buffer() + s.offset, s.size}; }

  mutable std::atomic<uint32_t> references_{0};
  uint32_t size_ = 0;         // of the JSON
  uint32_t buffer_size_ = 0;  // of the JSON and of values that do not occur in it literally
  Revision revision_ = 0;
  Slice name_, ns_, uid_;
  Slice resource_version_;    // the whole member with its comma
  Slice api_version_, kind_;  // the whole members with one comma
  Slice managed_fields_;      // likewise; empty when there are none
  uint32_t labels_ = 0;
  uint32_t fields_ = 0;
  uint32_t owners_ = 0;
  bool deleting_ = false;
  bool has_finalizers_ = false;
  bool in_foreground_ = false;
};

// Where objects stand in lists: by namespace, then name, in byte order.
struct ObjectKey {
  std::string_view ns;
  std::string_view name;
  auto operator<=>(const ObjectKey&) const = default;
};
inline ObjectKey key_of(const Document& d) { return {d.ns(), d.name()}; }

}  // namespace chandler::registry
