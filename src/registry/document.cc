#include "registry/document.h"

#include <algorithm>
#include <array>
#include <charconv>
#include <cstdlib>
#include <cstring>
#include <forward_list>
#include <new>

#include <boost/container/small_vector.hpp>

#include "base/check.h"
#include "base/find_text.h"
#include "base/spare_text.h"
#include "base/text.h"
#include "json/reader.h"
#include "json/text_scan.h"

namespace chandler::registry {
namespace {

constexpr size_t kSearchedBytes = 8 * 1024;
constexpr std::string_view kRevisionBegin = "\"resourceVersion\":\"";
constexpr std::string_view kRevisionEnd = "\",";

template <typename T>
using Few = boost::container::small_vector<T, 8>;

class Digits {
 public:
  explicit Digits(Revision revision)
      : size_(static_cast<size_t>(std::to_chars(text_.data(), text_.data() + text_.size(), revision).ptr -
                                  text_.data())) {}
  std::string_view view() const { return {text_.data(), size_}; }

 private:
  std::array<char, 24> text_;
  size_t size_;
};

// `made` keeps what does not stand in the value as a text.
std::string_view scalar_text(const json::Value& value, std::forward_list<std::string>& made) {
  if (value.is_string()) return json::view(value.get_string());
  if (value.is_bool()) return value.get_bool() ? "true" : "false";
  if (value.is_int64()) return made.emplace_front(std::to_string(value.get_int64()));
  if (value.is_uint64()) return made.emplace_front(std::to_string(value.get_uint64()));
  return {};
}

bool is_upper(char c) { return c >= 'A' && c <= 'Z'; }

// Most texts have nothing to fold and stay where they are.
std::string_view folded(std::string_view text, std::forward_list<std::string>& made) {
  return std::any_of(text.begin(), text.end(), is_upper) ? made.emplace_front(to_lower(text)) : text;
}

}  // namespace

// What is read off the parsed value, as views of it and of the selectable fields.
struct Document::Extract {
  std::string_view name, ns, uid;
  bool deleting = false;
  bool has_finalizers = false;
  bool in_foreground = false;
  Few<std::pair<std::string_view, std::string_view>> labels;
  Few<std::string_view> fields;
  Few<std::string_view> owners;
  std::forward_list<std::string> made;  // texts of fields that differ from the text in the value

  static Result<Extract> read(const json::Value& value, std::span<const SelectableField> selectable) {
    Extract out;
    const auto* metadata = json::find(value, "metadata");
    if (metadata == nullptr || !metadata->is_object()) return internal_error("a stored object has no metadata");
    out.name = json::string_at(*metadata, "name").value_or("");
    out.ns = json::string_at(*metadata, "namespace").value_or("");
    out.uid = json::string_at(*metadata, "uid").value_or("");
    out.deleting = json::string_at(*metadata, "deletionTimestamp").has_value();
    if (const auto* finalizers = json::array_at(*metadata, "finalizers")) {
      out.has_finalizers = !finalizers->empty();
      out.in_foreground = std::any_of(finalizers->begin(), finalizers->end(), [](const json::Value& item) {
        return item.is_string() && json::view(item.get_string()) == kForegroundFinalizer;
      });
    }
    if (const auto* labels = json::object_at(*metadata, "labels")) {
      for (const auto& [key, label] : *labels) {
        if (label.is_string()) out.labels.emplace_back(key, json::view(label.get_string()));
      }
    }
    if (const auto* owners = json::array_at(*metadata, "ownerReferences")) {
      for (const auto& owner : *owners) {
        if (const auto uid = json::string_at(owner, "uid"); uid && !uid->empty()) out.owners.push_back(*uid);
      }
    }
    out.fields.reserve(selectable.size());
    for (const auto& field : selectable) {
      const json::Value* at = &value;
      for (const auto& name : field.path) {
        at = json::find(*at, name);
        if (at == nullptr) break;
      }
      auto text = at == nullptr ? std::string_view() : scalar_text(*at, out.made);
      if (text.empty()) text = field.fallback;
      out.fields.push_back(field.fold ? folded(text, out.made) : text);
    }
    return out;
  }
};

void intrusive_ptr_release(const Document* d) {
  if (d->references_.fetch_sub(1, std::memory_order_acq_rel) == 1) {
    d->~Document();
    std::free(const_cast<Document*>(d));  // NOLINT: allocated with malloc in build()
  }
}

Result<DocumentPtr> Document::from_stored(std::string_view stored, Revision revision,
                                          std::span<const SelectableField> fields) {
  unsigned char arena[16 * 1024];
  boost::json::monotonic_resource resource(arena, sizeof(arena));
  json::ReadOptions options;
  options.storage = &resource;
  CH_TRY_LET(value, json::parse(stored, options));
  return from_stored(stored, value, revision, fields);
}

Result<DocumentPtr> Document::from_stored(std::string_view stored, const json::Value& value, Revision revision,
                                          std::span<const SelectableField> fields) {
  CH_TRY_LET(made, draft(stored, value, revision, fields));
  return DocumentPtr(std::move(made));
}

Result<DraftPtr> Document::draft(std::string_view stored, const json::Value& value, Revision likely,
                                 std::span<const SelectableField> fields) {
  CH_TRY_LET(extract, Extract::read(value, fields));
  return build(stored, extract, likely);
}

bool Document::finish(Revision revision) {
  const Digits digits(revision);
  if (digits.view().size() + kRevisionBegin.size() + kRevisionEnd.size() != resource_version_.size) return false;
  revision_ = revision;
  char* place = mutable_buffer() + resource_version_.offset + kRevisionBegin.size();
  std::memcpy(place, digits.view().data(), digits.view().size());
  return true;
}

DocumentPtr Document::at_revision(Revision revision, std::span<const SelectableField> fields) const {
  auto made = from_stored(stored(), revision, fields);
  CH_CHECK(made.ok());  // these bytes were a document already
  return std::move(made).value();
}

Result<DraftPtr> Document::build(std::string_view stored, const Extract& extract, Revision revision) {
  json::TextScan scan(stored);
  json::TextScan::Member member;
  Slice api_version, kind, managed;
  size_t metadata_begin = 0;
  size_t metadata_end = 0;
  // A member with the comma behind it.
  const auto whole = [](const json::TextScan::Member& of, size_t base = 0) {
    return Slice{static_cast<uint32_t>(base + of.begin), static_cast<uint32_t>(of.end - of.begin + 1)};
  };
  // Members are sorted: metadata comes behind the other two, and its uid behind managedFields.
  while (scan.next_member(member)) {
    if (member.key == "apiVersion") api_version = whole(member);
    if (member.key == "kind") kind = whole(member);
    if (member.key != "metadata") continue;
    metadata_begin = member.begin;
    metadata_end = member.end;
    const size_t base = member.end - member.value.size();
    json::TextScan inner(member.value);
    while (managed.size == 0 && inner.next_member(member)) {
      if (member.key == "managedFields") managed = whole(member, base);
    }
    if (api_version.size > 0 && kind.size > 0) break;  // what is behind does not matter here
  }
  const size_t uid_member = extract.uid.size() + 9;  // "uid":"…"}, the last member of metadata
  if (extract.uid.empty() || metadata_end < uid_member + 1) return internal_error("a stored object has no uid");
  const size_t insert_at = metadata_end - uid_member;
  if (!stored.substr(insert_at).starts_with("\"uid\":\"") || metadata_end < kind.offset ||
      metadata_end < api_version.offset) {
    return internal_error("a stored object is not in canonical form");
  }

  const Digits digits(revision);
  const size_t inserted = kRevisionBegin.size() + digits.view().size() + kRevisionEnd.size();
  const size_t json_size = stored.size() + inserted;

  // A value that occurs anywhere in the stored bytes is a view of that place (never of the revision, which may still
  // change); those that do not are kept behind them, and so are those of large objects, where looking for many values
  // would take long.
  const bool small = json_size <= kSearchedBytes;
  std::string behind;
  const size_t likely = std::max<size_t>(metadata_begin, managed.offset + managed.size);
  const auto slice = [&](std::string_view text) {
    if (text.empty()) return Slice{};
    const auto size = static_cast<uint32_t>(text.size());
    // Most are behind managedFields, labels before them.
    size_t at = small ? find_text(stored, text, likely) : std::string_view::npos;
    if (small && at == std::string_view::npos && likely > metadata_begin) {
      const auto before = stored.substr(0, managed.offset);
      at = find_text(before, text, metadata_begin);
    }
    if (at != std::string_view::npos && at >= insert_at) return Slice{static_cast<uint32_t>(at + inserted), size};
    if (at != std::string_view::npos && at + text.size() <= insert_at) return Slice{static_cast<uint32_t>(at), size};
    behind.append(text);
    return Slice{static_cast<uint32_t>(json_size + behind.size() - text.size()), size};
  };
  Few<Slice> slices;
  slices.reserve(2 * extract.labels.size() + extract.fields.size() + extract.owners.size());
  for (const auto& [key, value] : extract.labels) {
    slices.push_back(slice(key));
    slices.push_back(slice(value));
  }
  for (const auto& field : extract.fields) slices.push_back(slice(field));
  for (const auto& owner : extract.owners) slices.push_back(slice(owner));
  const Slice name = slice(extract.name);
  const Slice ns = slice(extract.ns);
  const Slice uid = slice(extract.uid);

  const size_t buffer_size = json_size + behind.size();
  void* memory = std::malloc(sizeof(Document) + slices.size() * sizeof(Slice) + buffer_size);
  CH_CHECK(memory != nullptr);
  auto* document = new (memory) Document();
  document->size_ = static_cast<uint32_t>(json_size);
  document->buffer_size_ = static_cast<uint32_t>(buffer_size);
  document->revision_ = revision;
  document->name_ = name;
  document->ns_ = ns;
  document->uid_ = uid;
  document->resource_version_ = {static_cast<uint32_t>(insert_at), static_cast<uint32_t>(inserted)};
  document->api_version_ = api_version;
  document->kind_ = kind;
  document->managed_fields_ = managed;
  document->labels_ = static_cast<uint32_t>(extract.labels.size());
  document->fields_ = static_cast<uint32_t>(extract.fields.size());
  document->owners_ = static_cast<uint32_t>(extract.owners.size());
  document->deleting_ = extract.deleting;
  document->has_finalizers_ = extract.has_finalizers;
  document->in_foreground_ = extract.in_foreground;
  auto* out = reinterpret_cast<Slice*>(document + 1);
  if (!slices.empty()) std::memcpy(out, slices.data(), slices.size() * sizeof(Slice));
  char* to = document->mutable_buffer();
  for (const std::string_view part : {stored.substr(0, insert_at), kRevisionBegin, digits.view(), kRevisionEnd,
                                      stored.substr(insert_at), std::string_view(behind)}) {
    if (part.empty()) continue;
    std::memcpy(to, part.data(), part.size());
    to += part.size();
  }
  return DraftPtr(document);
}

std::optional<std::string_view> Document::label(std::string_view key) const {
  for (size_t i = 0; i < labels_; ++i) {
    if (view(slices()[2 * i]) == key) return view(slices()[2 * i + 1]);
  }
  return std::nullopt;
}

std::pair<std::string_view, std::string_view> Document::label_at(size_t i) const {
  return {view(slices()[2 * i]), view(slices()[2 * i + 1])};
}

void Document::append_untyped(std::string& out) const {
  const Slice first = api_version_.offset < kind_.offset ? api_version_ : kind_;
  const Slice second = api_version_.offset < kind_.offset ? kind_ : api_version_;
  const auto all = bytes();
  out.append(all.substr(0, first.offset));
  out.append(all.substr(first.offset + first.size, second.offset - first.offset - first.size));
  out.append(all.substr(second.offset + second.size));
}

size_t Document::untyped_size() const { return size_ - api_version_.size - kind_.size; }

std::string Document::stored() const {
  std::string out(bytes().substr(0, resource_version_.offset));
  out.append(bytes().substr(resource_version_.offset + resource_version_.size));
  return out;
}

bool Document::stored_equals(std::string_view stored) const {
  const size_t before = resource_version_.offset;
  return stored.size() + resource_version_.size == size_ && stored.substr(0, before) == bytes().substr(0, before) &&
         stored.substr(before) == bytes().substr(before + resource_version_.size);
}

json::Value Document::parse(json::Storage storage) const {
  json::ReadOptions options;
  options.storage = std::move(storage);
  auto value = json::parse(bytes(), options);
  CH_CHECK(value.ok());  // our own writer wrote them
  return std::move(value).value();
}

std::string_view Document::managed_fields() const {
  constexpr std::string_view kBefore = "\"managedFields\":";
  const auto member = view(managed_fields_);
  return member.empty() ? member : member.substr(kBefore.size(), member.size() - kBefore.size() - 1);
}

json::Value Document::parse_unmanaged(json::Storage storage) const {
  if (managed_fields_.size == 0) return parse(std::move(storage));
  std::string rest = take_spare_text();
  rest.append(bytes().substr(0, managed_fields_.offset));
  rest.append(bytes().substr(managed_fields_.offset + managed_fields_.size));
  json::ReadOptions options;
  options.storage = std::move(storage);
  auto value = json::parse(rest, options);
  give_spare_text(std::move(rest));
  CH_CHECK(value.ok());
  return std::move(value).value();
}

}  // namespace chandler::registry
