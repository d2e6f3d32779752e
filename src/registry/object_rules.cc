#include "registry/object_rules.h"

#include <algorithm>
#include <initializer_list>
#include <iterator>
#include <utility>

#include <fmt/format.h>

#include "base/ids.h"
#include "base/text.h"
#include "base/time_text.h"
#include "cel/rules.h"
#include "meta/schema.h"

namespace chandler::registry {
namespace {

constexpr std::string_view kOrphanFinalizer = "orphan";
constexpr size_t kMostFaults = 100;

// Copies a member from `from`, or removes it when it is not there.
void restore(json::Object& to, const json::Object& from, std::string_view key) {
  if (const auto* value = from.if_contains(key)) {
    to[key] = *value;
  } else {
    to.erase(key);
  }
}

// All members but these become what they are in `from`. Most are that already, and comparing takes less than copying.
// Not json::equal: a number that is written another way is another one here.
void restore_all_but(std::initializer_list<std::string_view> kept, json::Object& to, const json::Object& from) {
  const auto is_kept = [&](std::string_view key) { return std::find(kept.begin(), kept.end(), key) != kept.end(); };
  for (auto member = to.begin(); member != to.end();) {
    const bool stays = is_kept(member->key()) || from.contains(member->key());
    member = stays ? std::next(member) : to.erase(member);
  }
  for (const auto& [key, value] : from) {
    if (is_kept(key)) continue;
    const auto* there = to.if_contains(key);
    if (there == nullptr || *there != value) to[key] = value;
  }
}

const json::Object& empty_object() {
  static const json::Object empty;
  return empty;
}

const json::Object& metadata_of(const json::Value& object) {
  const auto* metadata = json::object_at(object, "metadata");
  return metadata == nullptr ? empty_object() : *metadata;
}

// Maps and lists that say nothing are left out, as Go leaves out empty fields.
void drop_empty(json::Object& metadata) {
  const auto is_empty = [](const json::Value& value) {
    return value.is_null() || (value.is_object() && value.get_object().empty()) ||
           (value.is_array() && value.get_array().empty()) || (value.is_string() && value.get_string().empty());
  };
  const auto may_be_dropped = [](std::string_view key, const json::Value& value) {
    for (const std::string_view name : {"labels", "annotations", "finalizers", "ownerReferences"}) {
      if (key == name) return !value.is_string();
    }
    for (const std::string_view name :
         {"generateName", "namespace", "selfLink", "creationTimestamp", "deletionTimestamp"}) {
      if (key == name) return !value.is_structured();
    }
    return false;
  };
  json::erase_members(metadata, [&](const auto& member) {
    return is_empty(member.value()) && may_be_dropped(member.key(), member.value());
  });
}

bool has_items(const json::Value& parent, std::string_view list) {
  const auto* items = json::array_at(parent, list);
  return items != nullptr && !items->empty();
}

// Times of the system have whole seconds.
bool same_instant(const json::Value& a, const json::Value* b) {
  if (b == nullptr || !a.is_string() || !b->is_string()) return false;
  const auto first = parse_rfc3339(json::view(a.get_string()));
  const auto second = parse_rfc3339(json::view(b->get_string()));
  return first && second &&
         std::chrono::floor<std::chrono::seconds>(*first) == std::chrono::floor<std::chrono::seconds>(*second);
}

const json::Value* at(const json::Value& object, const std::vector<std::string>& path) {
  const json::Value* value = &object;
  for (const auto& name : path) {
    value = json::find(*value, name);
    if (value == nullptr) return nullptr;
  }
  return value;
}

// Rules read fields by the types that the schema promises, so they run only when the object keeps these promises.
void run_rules(const cel::SchemaRules& rules, const json::Value& object, const json::Value* old,
               meta::FieldErrors& errors) {
  const auto breaks_promise = [](const Cause& cause) {
    for (const std::string_view reason : {"FieldValueNotSupported", "FieldValueRequired", "FieldValueTooLong",
                                          "FieldValueTooMany", "FieldValueTypeInvalid"}) {
      if (cause.reason == reason) return true;
    }
    return false;
  };
  if (std::none_of(errors.causes().begin(), errors.causes().end(), breaks_promise)) {
    return cel::check_rules(rules, object, old, errors);
  }
  errors.invalid(
      meta::Path("<nil>"), json::Value(nullptr),
      "some validation rules were not checked because the object was invalid; correct the existing errors to "
      "complete validation");
}

void set_text(json::Object& object, std::string_view key, std::string_view text) {
  auto& value = object[key];
  if (!value.is_string() || json::view(value.get_string()) != text) value = text;
}

bool is_deleting(const json::Value& object) {
  const auto* metadata = json::find(object, "metadata");
  return metadata != nullptr && json::find(*metadata, "deletionTimestamp") != nullptr;
}

}  // namespace

json::Object& metadata_of(json::Value& object) {
  auto& metadata = object.as_object()["metadata"];
  if (!metadata.is_object()) metadata.emplace_object();
  return metadata.get_object();
}

std::vector<std::string> decoding_faults(const std::vector<std::string>& duplicates,
                                         const std::vector<std::string>& unknown) {
  std::vector<std::string> faults;
  const auto add = [&](std::string_view fault, const std::vector<std::string>& fields) {
    for (const auto& field : fields) {
      if (faults.size() == kMostFaults) return;
      faults.push_back(fmt::format("{} field {}", fault, quoted(field)));
    }
  };
  add("duplicate", duplicates);
  add("unknown", unknown);
  return faults;
}

Result<void> conform(const WriteRequest& request, json::Value& object, std::vector<std::string>& warnings) {
  const auto& kind = *request.kind;
  if (kind.builtin && request.version->schema != nullptr) {
    if (auto mismatch = meta::first_type_mismatch(*request.version->schema, object); !mismatch.empty()) {
      return bad_request(fmt::format("{} in version \"{}\" cannot be handled as a {}: {}", kind.kind,
                                     request.version->name, kind.kind, mismatch));
    }
  }
  const auto* metadata = json::find(object, "metadata");
  if (metadata != nullptr && !metadata->is_object() && !metadata->is_null()) {
    return bad_request(fmt::format("{} in version \"{}\" cannot be handled as a {}: metadata: expected an object",
                                   kind.kind, request.version->name, kind.kind));
  }
  std::vector<std::string> unknown;
  if (request.version->schema != nullptr) meta::prune(*request.version->schema, object, &unknown);
  drop_empty(metadata_of(object));

  if (request.validation == FieldValidation::kIgnore) return {};
  const auto faults = decoding_faults(request.duplicates, unknown);
  if (request.validation == FieldValidation::kStrict && !faults.empty()) {
    return bad_request(fmt::format("{} in version \"{}\" cannot be handled as a {}: strict decoding error: {}",
                                   kind.kind, request.version->name, kind.kind, join(faults, ", ")));
  }
  warnings.insert(warnings.end(), faults.begin(), faults.end());
  return {};
}

void begin_life(const WriteRequest& request, WallTime now, json::Value& object) {
  const auto& kind = *request.kind;
  auto& metadata = metadata_of(object);
  for (const std::string_view key : {"deletionTimestamp", "deletionGracePeriodSeconds", "selfLink", "managedFields",
                                     "resourceVersion", "namespace"}) {
    metadata.erase(key);
  }
  metadata["uid"] = new_uuid();
  metadata["creationTimestamp"] = rfc3339(now);
  if (kind.generation) metadata["generation"] = 1;
  if (kind.namespaced) metadata["namespace"] = request.ns;
  if (request.version->has_status) {
    auto& root = object.as_object();
    if (!request.with_status) root.erase("status");
    if (kind.builtin && !root.contains("status")) root["status"] = json::Object();
  }
}

std::string_view written_part(std::string_view subresource) { return subresource == "finalize" ? "spec" : "status"; }

void keep_system_fields(const WriteRequest& request, const json::Value& old, json::Value& object) {
  const auto& before = metadata_of(old);
  if (!request.subresource.empty()) {
    // Only one part comes from the request; metadata and everything else stays.
    const std::string_view part = written_part(request.subresource);
    auto& root = object.as_object();
    if (const auto* given = root.if_contains(part); given != nullptr && given->is_null()) root.erase(part);
    restore_all_but({part, "metadata"}, root, old.as_object());
    auto& metadata = metadata_of(object);
    restore_all_but({"resourceVersion"}, metadata, before);
    metadata.erase("resourceVersion");
    return;
  }
  auto& metadata = metadata_of(object);
  for (const std::string_view key : {"uid", "creationTimestamp", "deletionTimestamp", "deletionGracePeriodSeconds"}) {
    // Left out means unchanged, and so does the same instant in another notation, as some clients write back what they
    // read. Set to something else is a fault that validation names.
    if (!metadata.contains(key) || same_instant(metadata.at(key), before.if_contains(key)))
      restore(metadata, before, key);
  }
  restore(metadata, before, "generation");
  for (const std::string_view key : {"resourceVersion", "managedFields", "selfLink"}) metadata.erase(key);
  if (request.kind->namespaced) metadata["namespace"] = request.ns;
  if (request.version->has_status && !request.with_status) restore(object.as_object(), old.as_object(), "status");
}

bool desired_state_differs(const Version& version, bool builtin, const json::Value& a, const json::Value& b) {
  const auto ignored = [&](std::string_view key) {
    return key == "metadata" || key == "apiVersion" || key == "kind" ||
           (key == "status" && (version.has_status || builtin));
  };
  const auto covers = [&](const json::Object& x, const json::Object& y) {
    return std::all_of(x.begin(), x.end(), [&](const auto& member) {
      if (ignored(member.key())) return true;
      const auto* other = y.if_contains(member.key());
      return other != nullptr && json::equal(member.value(), *other);
    });
  };
  return !covers(a.as_object(), b.as_object()) || !covers(b.as_object(), a.as_object());
}

void validate_object(const WriteRequest& request, const json::Value& object, const json::Value* old,
                     meta::FieldErrors& errors) {
  const auto& kind = *request.kind;
  const auto& metadata = *json::find(object, "metadata");
  if (old == nullptr) {
    const std::string name = json::string_or(metadata, "name");
    const meta::Path path = meta::Path("metadata").member("name");
    if (name.empty()) {
      errors.required(path, "name or generateName is required");
    } else if (const auto fault = meta::check_name(kind.name_rule, name); !fault.empty()) {
      errors.invalid(path, name, fault);
    }
  }
  // Definitions of kinds carry a finalizer of the system without a domain, as custom resources may.
  const bool domains = kind.builtin && kind.group != "apiextensions.k8s.io";
  meta::validate_metadata(metadata, old == nullptr ? nullptr : json::find(*old, "metadata"), errors,
                          {"metadata", domains});
  if (request.version->schema != nullptr) {
    meta::validate(*request.version->schema, object, old, meta::Path(), errors);
  }
  if (request.version->rules != nullptr) run_rules(*request.version->rules, object, old, errors);
  if (old == nullptr || !request.subresource.empty()) return;
  const auto check = [&](const std::vector<std::string>& path, bool may_be_filled) {
    const auto* now = at(object, path);
    const auto* before = at(*old, path);
    if (before == nullptr && may_be_filled) return;
    const bool same = now == nullptr || before == nullptr ? now == before : json::equal(*now, *before);
    if (!same) errors.invalid(meta::Path(join(path, ".")), now == nullptr ? json::Value() : *now, "field is immutable");
  };
  for (const auto& path : kind.immutable) check(path, false);
  for (const auto& path : kind.set_once) check(path, true);
}

bool mark_deleted(const Kind& kind, const DeleteOptions& options, WallTime now, json::Value& object) {
  auto& metadata = metadata_of(object);
  bool changed = false;

  if (options.propagation != DeleteOptions::Propagation::kDefault) {
    const std::string_view wanted = options.propagation == DeleteOptions::Propagation::kForeground
                                        ? kForegroundFinalizer
                                    : options.propagation == DeleteOptions::Propagation::kOrphan ? kOrphanFinalizer
                                                                                                 : "";
    json::Array finalizers;
    bool present = false;
    if (const auto* have = json::array_at(object.at("metadata"), "finalizers")) {
      for (const auto& item : *have) {
        const std::string_view name = item.is_string() ? json::view(item.get_string()) : "";
        const bool collector = name == kForegroundFinalizer || name == kOrphanFinalizer;
        present = present || (!wanted.empty() && name == wanted);
        if (!collector || name == wanted) finalizers.push_back(item);
        changed = changed || (collector && name != wanted);
      }
    }
    if (!wanted.empty() && !present) {
      finalizers.emplace_back(wanted);
      changed = true;
    }
    if (finalizers.empty()) {
      metadata.erase("finalizers");
    } else {
      metadata["finalizers"] = std::move(finalizers);
    }
  }

  if (!metadata.contains("deletionTimestamp")) {
    metadata["deletionTimestamp"] = rfc3339(now);
    metadata["deletionGracePeriodSeconds"] = 0;
    if (kind.generation) {
      const auto generation = json::int_at(object.at("metadata"), "generation").value_or(0);
      metadata["generation"] = generation + 1;
    }
    changed = true;
  }
  return changed;
}

bool may_be_removed(const Kind& kind, const json::Value& object) {
  if (has_items(object.at("metadata"), "finalizers")) return false;
  if (json::int_at(object.at("metadata"), "deletionGracePeriodSeconds").value_or(0) > 0) return false;
  if (kind.group.empty() && kind.plural == "namespaces") {
    const auto* spec = json::find(object, "spec");
    return spec == nullptr || !has_items(*spec, "finalizers");
  }
  return true;
}

// Only writes are refused. A read serves the object with the defaults that fit, since a definition that was changed
// later must not make a stored object, and every list with it, unreadable. Nor may it keep an object that is being
// deleted from losing its finalizers. Which defaults fit depends on the object and the schema alone, so all readers see
// the same.
Result<void> fill_defaults(const Version& version, json::Value& object) {
  if (version.schema == nullptr || meta::apply_defaults(*version.schema, object) || is_deleting(object)) return {};
  return too_large("the defaults that the schema adds to the object are too large; leave out items that are empty");
}

Result<void> convert_to_stored(const Kind& kind, const Version& from, json::Value& object) {
  const auto& schema = kind.storage_version().schema;
  if (from.storage || kind.crd_uid.empty() || schema == nullptr) return {};
  meta::prune(*schema, object, nullptr);
  return fill_defaults(kind.storage_version(), object);
}

void set_storage_version(const Kind& kind, json::Value& object) {
  set_text(object.as_object(), "apiVersion", kind.storage_version().api_version);
  set_text(object.as_object(), "kind", kind.kind);
}

}  // namespace chandler::registry
