#include "meta/apply/managed_list.h"

#include <algorithm>
#include <tuple>
#include <utility>

#include "json/text_scan.h"
#include "meta/apply/compare.h"

namespace chandler::meta {
namespace {

using Operation = ManagedEntry::Operation;

// What stands between the quotes; escapes are left to those who read the entry.
std::string_view content(std::string_view text) {
  return text.size() < 2 || text.front() != '"' ? "" : text.substr(1, text.size() - 2);
}

bool has_escapes(std::string_view text) { return text.find('\\') != std::string_view::npos; }

}  // namespace

ManagedList::Entry ManagedList::Entry::of(std::string_view text) {
  Entry out;
  out.text = text;
  json::TextScan scan(text);
  json::TextScan::Member member;
  while (scan.next_member(member)) {
    if (member.key == "apiVersion") out.api_version = content(member.value);
    if (member.key == "fieldsType") out.fields_type = content(member.value);
    if (member.key == "fieldsV1") out.fields = member.value;
    if (member.key == "manager") out.manager = content(member.value);
    if (member.key == "operation") out.operation = content(member.value);
    if (member.key == "subresource") out.subresource = content(member.value);
    if (member.key == "time") out.time = content(member.value);
  }
  return out;
}

ManagedList::Entry ManagedList::Entry::of(ManagedEntry entry) {
  Entry out;
  out.read = std::move(entry);
  return out;
}

bool ManagedList::Entry::is_of(const FieldManager& by) const {
  if (read) {
    return read->operation == Operation::kUpdate && read->manager == by.name && read->api_version == by.api_version &&
           read->subresource == by.subresource;
  }
  return operation == "Update" && manager == by.name && api_version == by.api_version && subresource == by.subresource;
}

// Most entries do not share a top-level member with what was changed.
bool ManagedList::Entry::may_own(const FieldSet& set) const {
  if (set.empty()) return false;
  if (read) return true;
  json::TextScan scan(fields);
  json::TextScan::Member member;
  while (scan.next_member(member)) {
    if (has_escapes(member.key) || set.find(member.key) != nullptr) return true;
  }
  return false;
}

auto ManagedList::Entry::rank() const {
  using View = std::string_view;
  if (!read) return std::tuple<View, View, View, View, View>(operation, time, manager, subresource, api_version);
  const View done = read->operation == Operation::kApply ? "Apply" : "Update";
  return std::tuple<View, View, View, View, View>(done, read->time, read->manager, read->subresource,
                                                  read->api_version);
}

ManagedList::ManagedList(std::string_view text) {
  json::TextScan scan(text);
  std::string_view item;
  while (scan.next_item(item)) {
    entries_.push_back(Entry::of(item));
    auto& entry = entries_.back();
    // A name that is not what it looks like is read at once.
    const bool plain =
        !has_escapes(entry.manager) && !has_escapes(entry.api_version) && !has_escapes(entry.subresource);
    if (!plain && !open(entry, nullptr)) entries_.pop_back();
  }
}

// False: nobody can make sense of it.
bool ManagedList::open(Entry& entry, const SchemaNode* schema) {
  if (!entry.read) {
    const bool applied = entry.operation == "Apply";
    if ((!applied && entry.operation != "Update") || entry.fields_type != "FieldsV1") return false;
    auto fields = FieldSet::parse_text(entry.fields.empty() ? "{}" : entry.fields);
    if (!fields.ok()) return false;
    const auto operation = applied ? Operation::kApply : Operation::kUpdate;
    entry.read = ManagedEntry{json::unescaped(entry.manager),     operation,
                              json::unescaped(entry.api_version), json::unescaped(entry.subresource),
                              json::unescaped(entry.time),        std::move(fields).value()};
  }
  fit_to_schema(schema, entry.read->fields);
  return true;
}

bool ManagedList::record_update(const ApplyRequest& request, const json::Value& old, const json::Value& now) {
  auto changes = compare_fields(request.schema, old, now, request.scope);
  if (changes.empty()) return false;
  FieldSet taken = std::move(changes.added);
  taken.unite(std::move(changes.modified));
  const FieldSet& removed = changes.removed;

  Entry own = Entry::of(entry_of(request.manager, Operation::kUpdate, {}));
  std::vector<Entry> kept;
  kept.reserve(entries_.size() + 1);
  for (Entry& entry : entries_) {
    const bool is_own = entry.is_of(request.manager);
    const bool is_touched = is_own || entry.may_own(taken) || entry.may_own(removed);
    if (is_touched && !open(entry, request.schema)) continue;
    if (is_touched) {
      entry.read->fields.subtract(removed);
      entry.read->fields.subtract(taken);
      if (entry.read->fields.empty()) continue;
    }
    if (is_own) {
      if (taken.empty()) own.read->time = entry.read->time;
      own.read->fields.unite(std::move(entry.read->fields));
    } else {
      kept.push_back(std::move(entry));
    }
  }
  own.read->fields.unite(std::move(taken));
  if (!own.read->fields.empty()) kept.push_back(std::move(own));
  entries_ = std::move(kept);
  if (entries_.size() > kMaxUpdateManagers) cap();
  return true;
}

void ManagedList::cap() {
  ManagedFields all;
  for (auto& entry : entries_) {
    if (open(entry, nullptr)) all.push_back(std::move(*entry.read));
  }
  cap_update_managers(all);
  entries_.clear();
  for (auto& entry : all) entries_.push_back(Entry::of(std::move(entry)));
}

std::string ManagedList::text() const {
  std::vector<const Entry*> order;
  order.reserve(entries_.size());
  for (const auto& entry : entries_) order.push_back(&entry);
  if (order.empty()) return "";
  std::stable_sort(order.begin(), order.end(), [](const Entry* a, const Entry* b) { return a->rank() < b->rank(); });
  std::string out;
  out.reserve(2048);
  for (const auto* entry : order) {
    out += out.empty() ? '[' : ',';
    if (entry->read) {
      write_managed_entry(out, *entry->read);
    } else {
      out += entry->text;
    }
  }
  out += ']';
  return out;
}

}  // namespace chandler::meta
