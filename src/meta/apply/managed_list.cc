#include "meta/apply/managed_list.h"

#include <algorithm>
#include <tuple>
#include <utility>

#include "json/text_scan.h"
#include "meta/apply/compare.h"
#include "meta/apply/fields_edit.h"

namespace chandler::meta {
namespace {

using Operation = ManagedEntry::Operation;

constexpr std::string_view kApply = "Apply";
constexpr std::string_view kUpdate = "Update";
constexpr std::string_view kFieldsV1 = "FieldsV1";
constexpr std::string_view kNoFields = "{}";

// What stands between the quotes.
std::string_view content(std::string_view text) {
  return text.size() < 2 || text.front() != '"' ? "" : text.substr(1, text.size() - 2);
}

bool has_escapes(std::string_view text) { return text.find('\\') != std::string_view::npos; }

}  // namespace

ManagedList::Entry ManagedList::Entry::of(const FieldManager& manager) {
  Entry out;
  out.api_version = manager.api_version;
  out.fields_type = kFieldsV1;
  out.manager = manager.name;
  out.operation = kUpdate;
  out.subresource = manager.subresource;
  out.time = manager.now;
  return out;
}

bool ManagedList::Entry::is_of(const FieldManager& by) const {
  return operation == kUpdate && manager == by.name && api_version == by.api_version && subresource == by.subresource;
}

// As far as can be told without looking at the fields.
bool ManagedList::Entry::is_readable() const {
  return (operation == kApply || operation == kUpdate) && fields_type == kFieldsV1;
}

// Most entries do not share a top-level member with what was changed. Both are in order.
bool ManagedList::Entry::may_own(const Changes& changes) const {
  auto rest = changes.nodes();
  json::TextScan scan(fields());
  json::TextScan::Member member;
  while (scan.next_member(member)) {
    if (has_escapes(member.key)) return true;
    if (member.key.size() < 2) continue;
    if (!changes.seek(rest, member.key).empty()) return true;
  }
  return false;
}

auto ManagedList::Entry::rank() const { return std::tie(operation, time, manager, subresource, api_version); }

ManagedList::ManagedList(std::string_view text) {
  size_t at = 1;
  while (at < text.size() && text[at] == '{') {
    entries_.push_back(next_entry(text.substr(at)));
    at += entries_.back().text.size() + 1;
  }
}

// The one at the beginning of `list`.
ManagedList::Entry ManagedList::next_entry(std::string_view list) {
  Entry out;
  json::TextScan scan(list);
  json::TextScan::Member member;
  while (scan.next_member(member)) {
    if (member.key == "fieldsV1") out.text_fields = member.value;
    if (member.key == "apiVersion") out.api_version = content(member.value);
    if (member.key == "fieldsType") out.fields_type = content(member.value);
    if (member.key == "manager") out.manager = content(member.value);
    if (member.key == "operation") out.operation = content(member.value);
    if (member.key == "subresource") out.subresource = content(member.value);
    if (member.key == "time") out.time = content(member.value);
  }
  out.text = list.substr(0, scan.end());
  if (out.text_fields.empty()) out.text_fields = kNoFields;
  for (auto* name : {&out.manager, &out.api_version, &out.subresource, &out.time}) {
    if (has_escapes(*name)) *name = keep(json::unescaped(*name));
  }
  return out;
}

std::string_view ManagedList::keep(std::string text) { return kept_.emplace_front(std::move(text)); }

bool ManagedList::record_update(const ApplyRequest& request, const json::Value& old, const json::Value& now) {
  const auto changes = Changes::between(request.schema, old, now, request.scope);
  if (changes.empty()) return false;

  Entry own = Entry::of(request.manager);  // has no fields until they are known
  std::vector<Entry> kept;
  kept.reserve(entries_.size() + 1);
  for (Entry& entry : entries_) {
    const bool is_own = own.new_fields.empty() && entry.is_of(request.manager);
    if (!is_own && !entry.may_own(changes)) {
      kept.push_back(std::move(entry));
      continue;
    }
    // What nobody can make sense of goes.
    if (!entry.is_readable()) continue;
    auto fields = edit_fields(entry.fields(), request.schema, changes, is_own);
    if (!fields) continue;
    if (is_own) {
      own.new_fields = std::move(*fields);
      if (!changes.any(Changes::kTaken)) own.time = entry.time;
    } else if (*fields != kNoFields) {
      entry.new_fields = std::move(*fields);
      entry.text = {};
      kept.push_back(std::move(entry));
    }
  }
  if (own.new_fields.empty()) own.new_fields = edit_fields(kNoFields, request.schema, changes, true).value_or("{}");
  if (own.new_fields != kNoFields) kept.push_back(std::move(own));
  entries_ = std::move(kept);
  const auto is_update = [](const Entry& entry) { return entry.operation == kUpdate; };
  const auto updates = static_cast<size_t>(std::count_if(entries_.begin(), entries_.end(), is_update));
  if (updates > kMaxUpdateManagers) cap();
  return true;
}

void ManagedList::cap() {
  ManagedFields all;
  for (const auto& entry : entries_) {
    auto fields = FieldSet::parse_text(entry.fields());
    if (!entry.is_readable() || !fields.ok()) continue;
    fit_to_schema(nullptr, *fields);
    all.push_back(entry_of({entry.manager, entry.api_version, entry.subresource, entry.time},
                           entry.operation == kApply ? Operation::kApply : Operation::kUpdate,
                           std::move(fields).value()));
  }
  cap_update_managers(all);
  entries_.clear();
  for (auto& entry : all) {
    entries_.push_back(Entry::of({keep(std::move(entry.manager)), keep(std::move(entry.api_version)),
                                  keep(std::move(entry.subresource)), keep(std::move(entry.time))}));
    if (entry.operation == Operation::kApply) entries_.back().operation = kApply;
    entry.fields.write_to(entries_.back().new_fields);
  }
}

std::string ManagedList::text() const {
  if (entries_.empty()) return "";
  std::vector<const Entry*> order;
  order.reserve(entries_.size());
  size_t size = 0;
  for (const auto& entry : entries_) {
    order.push_back(&entry);
    size += entry.text.empty() ? entry.new_fields.size() + 256 : entry.text.size() + 1;
  }
  const auto before = [](const Entry* a, const Entry* b) { return a->rank() < b->rank(); };
  // Who wrote last is at the end already.
  if (!std::is_sorted(order.begin(), order.end(), before)) std::stable_sort(order.begin(), order.end(), before);
  std::string out;
  out.reserve(size + 1);
  for (const auto* entry : order) {
    out += out.empty() ? '[' : ',';
    if (!entry->text.empty()) {
      out += entry->text;
      continue;
    }
    write_managed_entry(out, {entry->manager, entry->api_version, entry->subresource, entry->time},
                        entry->operation == kApply ? Operation::kApply : Operation::kUpdate, entry->new_fields);
  }
  out += ']';
  return out;
}

}  // namespace chandler::meta
