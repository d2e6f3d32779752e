#include "meta/apply/server_side_apply.h"

#include <algorithm>
#include <utility>
#include <vector>

#include <fmt/format.h>

#include "json/reader.h"
#include "json/writer.h"
#include "meta/apply/compare.h"
#include "meta/apply/merge.h"

namespace chandler::meta {
namespace {

constexpr size_t kMaxAnnotations = 256 * 1024;
constexpr size_t kMaxConflictText = 64 * 1024;  // that an error tells; nobody reads more

using Operation = ManagedEntry::Operation;

struct FieldConflict {
  const ManagedEntry* with;
  FieldSet fields;
};

// Several Updates by one name are told apart by what the message adds.
std::string conflict_with(const ManagedEntry& entry) {
  std::string out = fmt::format("conflict with \"{}\"", entry.manager);
  if (!entry.subresource.empty()) out += fmt::format(" with subresource \"{}\"", entry.subresource);
  if (entry.operation == Operation::kUpdate) {
    out += fmt::format(" using {}", entry.api_version);
    if (!entry.time.empty()) out += fmt::format(" at {}", entry.time);
  }
  return out;
}

Error conflict_error(const std::vector<FieldConflict>& conflicts) {
  Error error;
  error.reason = Reason::kConflict;
  std::string listed;
  size_t count = 0;
  size_t used = 0;  // of the text, the causes included, which repeat it
  for (const auto& conflict : conflicts) {
    const size_t fields = conflict.fields.count();
    count += fields;
    if (used > kMaxConflictText) continue;
    const auto with = conflict_with(*conflict.with);
    used += with.size();
    listed += fmt::format("{}{}:", listed.empty() ? "" : "\n", with);
    const std::string_view before = conflicts.size() == 1 && fields == 1 ? " " : "\n- ";
    for (auto& path : conflict.fields.paths(kMaxConflictText)) {
      if (used > kMaxConflictText) break;
      used += with.size() + path.size();
      listed += fmt::format("{}{}", before, path);
      error.causes.push_back({"FieldManagerConflict", with, std::move(path)});
    }
  }
  if (error.causes.size() < count) listed += fmt::format("\n(and {} more)", count - error.causes.size());
  error.message = fmt::format("Apply failed with {} conflict{}: {}", count, count == 1 ? "" : "s", listed);
  return error;
}

json::Object* annotations_of(json::Value& object) {
  auto* found = json::find_path(object, {"metadata", "annotations"});
  return found == nullptr ? nullptr : found->if_object();
}

// Who turns from client-side to server-side apply has said these fields before, so they are not somebody else's.
FieldSet fields_applied_by_client(const SchemaNode* schema, const json::Value& live) {
  const auto* annotations = json::find_path(live, {"metadata", "annotations"});
  if (annotations == nullptr) return {};
  const auto text = json::string_at(*annotations, kLastApplied);
  if (!text) return {};
  const auto config = json::parse(*text);
  if (!config.ok() || !config->is_object()) return {};
  auto fields = fields_of_config(schema, *config);
  return fields.ok() ? std::move(fields).value() : FieldSet();
}

// An object that client-side apply knows goes on being known to it: its annotation says what was applied last.
void renew_last_applied(const json::Value& config, json::Value& object) {
  auto* annotations = annotations_of(object);
  if (annotations == nullptr || !annotations->contains(kLastApplied)) return;
  json::Value applied = config;
  if (auto* given = annotations_of(applied)) {
    given->erase(kLastApplied);
    if (given->empty()) applied.at("metadata").as_object().erase("annotations");
  }
  auto text = json::write(applied) + "\n";
  if (text.size() > kMaxAnnotations) {
    annotations->erase(kLastApplied);
  } else {
    (*annotations)[kLastApplied] = text;
  }
}

std::vector<FieldConflict> find_conflicts(const ManagedFields& managed, const ManagedEntry& self,
                                          const FieldSet& changed, const FieldSet& allowed) {
  std::vector<FieldConflict> out;
  for (const auto& entry : managed) {
    if (entry.is_of(self)) continue;
    FieldConflict conflict{&entry, entry.fields.intersection(changed)};
    conflict.fields.subtract(allowed);
    if (!conflict.fields.empty()) out.push_back(std::move(conflict));
  }
  return out;
}

}  // namespace

Result<Applied> apply_config(const ApplyRequest& request, const json::Value& live, const json::Value& config,
                             ManagedFields managed) {
  CH_TRY_LET(own, fields_of_config(request.schema, config));
  for (auto& entry : managed) fit_to_schema(request.schema, entry.fields);
  if (managed.empty()) {
    auto before = entry_of(request.manager, Operation::kUpdate, fields_of_new(request.schema, live, request.scope));
    before.manager = kBeforeFirstApply;
    before.subresource.clear();
    managed.push_back(std::move(before));
  }

  json::Value merged = live;
  merge_config(request.schema, merged, config);

  auto self = entry_of(request.manager, Operation::kApply, std::move(own));
  FieldSet last;
  const auto mine =
      std::find_if(managed.begin(), managed.end(), [&](const ManagedEntry& entry) { return entry.is_of(self); });
  if (mine != managed.end()) {
    last = std::exchange(mine->fields, self.fields);
    mine->api_version = self.api_version;
  } else {
    managed.push_back(self);
    managed.back().time.clear();
  }
  if (!last.empty()) {
    std::vector<FieldSet> owned;
    owned.reserve(managed.size());
    for (const auto& entry : managed) owned.push_back(entry.fields);
    remove_fields(request.schema, merged, last, FieldSet::union_of(std::move(owned)), config);
  }

  auto changes = compare_fields(request.schema, live, merged, request.scope);
  FieldSet changed = std::move(changes.added);
  changed.unite(std::move(changes.modified));
  if (!request.force) {
    const bool migrates = request.manager.name == kKubectl;
    const auto conflicts =
        find_conflicts(managed, self, changed, migrates ? fields_applied_by_client(request.schema, live) : FieldSet());
    if (!conflicts.empty()) return conflict_error(conflicts);
  }
  changed.unite(std::move(changes.removed));
  for (auto& entry : managed) {
    if (!entry.is_of(self)) entry.fields.subtract(changed);
  }
  std::erase_if(managed, [](const ManagedEntry& entry) { return entry.fields.empty(); });
  if (request.manager.name == kKubectl) renew_last_applied(config, merged);
  return Applied{std::move(merged), std::move(managed)};
}

Result<ManagedFields> managed_by_applying(const ApplyRequest& request, const json::Value& config) {
  CH_TRY_LET(fields, fields_of_config(request.schema, config));
  ManagedFields out;
  if (!fields.empty()) out.push_back(entry_of(request.manager, Operation::kApply, std::move(fields)));
  return out;
}

}  // namespace chandler::meta
