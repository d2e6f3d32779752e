#include "client/remote/wire_object.h"

#include <fmt/format.h>

#include "base/text.h"
#include "json/writer.h"

namespace chandler::client {
namespace {

bool has_items(const json::Value* parent, std::string_view key) {
  const auto* list = parent == nullptr ? nullptr : json::array_at(*parent, key);
  return list != nullptr && !list->empty();
}

}  // namespace

Result<registry::Revision> revision_of(const json::Value& object) {
  const auto* metadata = json::find(object, "metadata");
  const auto text = metadata == nullptr ? "" : json::string_or(*metadata, "resourceVersion");
  const auto number = parse_int64(text);
  if (!number || *number < 0) {
    return unavailable(fmt::format("the server sent the resourceVersion {}, which is no number", quoted(text)));
  }
  return *number;
}

Result<registry::DocumentPtr> read_object(json::Value object, const registry::Kind& kind) {
  if (!object.is_object()) return unavailable(fmt::format("the server sent a {} that is no object", kind.kind));
  CH_TRY_LET(revision, revision_of(object));
  auto& metadata = object.at("metadata").as_object();  // revision_of has seen it
  metadata.erase("resourceVersion");
  metadata.erase("managedFields");
  auto& members = object.as_object();
  members["apiVersion"] = kind.storage_version().api_version;
  members["kind"] = kind.kind;
  return registry::Document::from_stored(json::write(object), object, revision, kind.storage_version().selectable);
}

bool is_removed(const json::Value& object, bool by_delete) {
  const auto* metadata = json::find(object, "metadata");
  if (metadata == nullptr) return false;
  const bool deleting = json::string_at(*metadata, "deletionTimestamp").has_value();
  if (!deleting) return by_delete;
  const bool held = has_items(metadata, "finalizers") || has_items(json::find(object, "spec"), "finalizers") ||
                    json::int_at(*metadata, "deletionGracePeriodSeconds").value_or(0) > 0;
  return !held;
}

}  // namespace chandler::client
