#include "meta/apply/managed_fields.h"

#include <algorithm>
#include <iterator>
#include <map>
#include <tuple>
#include <utility>

#include <fmt/format.h>

#include "json/writer.h"

namespace chandler::meta {
namespace {

constexpr std::string_view kFieldsV1 = "FieldsV1";

std::string_view operation_name(ManagedEntry::Operation operation) {
  return operation == ManagedEntry::Operation::kApply ? "Apply" : "Update";
}

json::Value entry_json(const ManagedEntry& entry) {
  json::Object out;
  out["apiVersion"] = entry.api_version;
  out["fieldsType"] = kFieldsV1;
  out["fieldsV1"] = entry.fields.to_json();
  out["manager"] = entry.manager;
  out["operation"] = operation_name(entry.operation);
  if (!entry.subresource.empty()) out["subresource"] = entry.subresource;
  if (!entry.time.empty()) out["time"] = entry.time;
  return out;
}

void sort_entries(json::Array& entries) {
  const auto rank = [](const json::Value& entry) {
    const auto text = [&](std::string_view key) { return json::string_at(entry, key).value_or(""); };
    return std::tuple(text("operation"), text("time"), text("manager"), text("subresource"), text("apiVersion"));
  };
  const auto before = [&](const json::Value& a, const json::Value& b) { return rank(a) < rank(b); };
  if (!std::is_sorted(entries.begin(), entries.end(), before)) {
    std::stable_sort(entries.begin(), entries.end(), before);
  }
}

Result<ManagedEntry> read_entry(const json::Value& entry) {
  ManagedEntry out;
  const auto operation = json::string_or(entry, "operation");
  if (operation != "Apply" && operation != "Update") {
    return bad_request(fmt::format("metadata.managedFields: operation must be Apply or Update, not \"{}\"", operation));
  }
  out.operation = operation == "Apply" ? ManagedEntry::Operation::kApply : ManagedEntry::Operation::kUpdate;
  if (json::string_or(entry, "fieldsType") != kFieldsV1) {
    return bad_request("metadata.managedFields: fieldsType must be FieldsV1");
  }
  out.manager = json::string_or(entry, "manager");
  out.api_version = json::string_or(entry, "apiVersion");
  out.subresource = json::string_or(entry, "subresource");
  out.time = json::string_or(entry, "time");
  if (const auto* fields = json::find(entry, "fieldsV1")) {
    CH_TRY_LET(read, FieldSet::parse(*fields));
    out.fields = std::move(read);
  }
  return out;
}

}  // namespace

bool ManagedEntry::is_of(const ManagedEntry& other) const {
  return manager == other.manager && operation == other.operation && subresource == other.subresource &&
         (operation == Operation::kApply || api_version == other.api_version);
}

ManagedEntry entry_of(const FieldManager& manager, ManagedEntry::Operation operation, FieldSet fields) {
  ManagedEntry out;
  out.manager = manager.name;
  out.operation = operation;
  out.api_version = manager.api_version;
  out.subresource = manager.subresource;
  out.time = manager.now;
  out.fields = std::move(fields);
  return out;
}

Result<ManagedFields> read_managed_fields(const json::Value& list) {
  const auto* entries = list.if_array();
  if (entries == nullptr) return bad_request("metadata.managedFields must be a list");
  ManagedFields out;
  out.reserve(entries->size());
  std::vector<std::vector<FieldSet>> fields;  // of each, to be united
  // By identity (is_of); a list from outside may be long.
  std::map<std::tuple<std::string, ManagedEntry::Operation, std::string, std::string>, size_t> places;
  for (const auto& entry : *entries) {
    CH_TRY_LET(read, read_entry(entry));
    const bool applied = read.operation == ManagedEntry::Operation::kApply;
    const auto [place, first] = places.try_emplace(
        {read.manager, read.operation, read.subresource, applied ? std::string() : read.api_version}, out.size());
    if (first) fields.emplace_back();
    fields[place->second].push_back(std::move(read.fields));
    if (first) out.push_back(std::move(read));
  }
  for (size_t i = 0; i < out.size(); ++i) out[i].fields = FieldSet::union_of(std::move(fields[i]));
  return out;
}

json::Value write_managed_fields(const ManagedFields& entries) {
  json::Array out;
  out.reserve(entries.size());
  for (const auto& entry : entries) {
    if (!entry.fields.empty()) out.push_back(entry_json(entry));
  }
  sort_entries(out);
  return out;
}

bool is_managed_fields_reset(const json::Value& list) {
  const auto* entries = list.if_array();
  if (entries == nullptr || entries->size() > 1) return false;
  if (entries->empty()) return true;
  const auto* entry = entries->front().if_object();
  return entry != nullptr && entry->empty();
}

void write_managed_entry(std::string& out, const FieldManager& by, ManagedEntry::Operation operation,
                         std::string_view fields_v1) {
  out += R"({"apiVersion":)";
  json::write_string(out, by.api_version);
  out.append(R"(,"fieldsType":"FieldsV1","fieldsV1":)").append(fields_v1);
  out += R"(,"manager":)";
  json::write_string(out, by.name);
  out.append(R"(,"operation":")").append(operation_name(operation)).append(1, '"');
  if (!by.subresource.empty()) {
    out += R"(,"subresource":)";
    json::write_string(out, by.subresource);
  }
  if (!by.now.empty()) {
    out += R"(,"time":)";
    json::write_string(out, by.now);
  }
  out += '}';
}

std::string managed_fields_text(const FieldManager& creator, std::string_view fields_v1) {
  std::string out;
  out.reserve(fields_v1.size() + 160);
  out += '[';
  write_managed_entry(out, creator, ManagedEntry::Operation::kUpdate, fields_v1);
  out += ']';
  return out;
}

void cap_update_managers(ManagedFields& entries) {
  std::vector<size_t> updates;
  for (size_t i = 0; i < entries.size(); ++i) {
    if (entries[i].operation == ManagedEntry::Operation::kUpdate) updates.push_back(i);
  }
  if (updates.size() <= kMaxUpdateManagers) return;
  std::stable_sort(updates.begin(), updates.end(), [&](size_t a, size_t b) {
    return std::tie(entries[a].time, entries[a].manager) < std::tie(entries[b].time, entries[b].manager);
  });
  // By version, as fields of different versions are not the same fields. The first of a version takes in the others.
  struct Bucket {
    size_t place;
    std::vector<FieldSet> fields;
  };
  std::map<std::string, Bucket> oldest;
  size_t left = updates.size();
  for (size_t i = 0; i < updates.size() && left > kMaxUpdateManagers; ++i) {
    ManagedEntry& entry = entries[updates[i]];
    const auto [place, first] = oldest.try_emplace(entry.api_version, Bucket{updates[i], {}});
    auto& bucket = place->second;
    bucket.fields.push_back(std::exchange(entry.fields, FieldSet()));
    if (first) continue;
    ManagedEntry& ancient = entries[bucket.place];
    ancient.manager = kAncientChanges;
    ancient.subresource.clear();
    ancient.time = entry.time;
    --left;
  }
  for (auto& [version, bucket] : oldest) entries[bucket.place].fields = FieldSet::union_of(std::move(bucket.fields));
  std::erase_if(entries, [](const ManagedEntry& entry) { return entry.fields.empty(); });
}

}  // namespace chandler::meta
