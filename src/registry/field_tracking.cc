#include "registry/field_tracking.h"

#include <algorithm>
#include <utility>

#include "base/time_text.h"
#include "json/reader.h"
#include "json/writer.h"
#include "meta/apply/compare.h"
#include "meta/apply/managed_list.h"
#include "meta/apply/server_side_apply.h"
#include "registry/object_rules.h"

namespace chandler::registry {
namespace {

constexpr std::string_view kManagedFields = "managedFields";
constexpr std::string_view kStatus = "status";
constexpr std::string_view kScale = "scale";
constexpr std::string_view kEmptyList = "[]";

// As the writer knows it, also when the kind is stored as another one.
std::string_view api_version_of(const WriteRequest& request) {
  const auto* asked = request.asked == nullptr ? nullptr : request.asked->version(request.version->name);
  return (asked == nullptr ? request.version : asked)->api_version;
}

// The request in the words of the rules; owns the text they refer to.
class Tracking {
 public:
  Tracking(const WriteRequest& request, WallTime now)
      :  // The API tells no time of what came through /scale.
        now_(request.managed_subresource == kScale ? "" : rfc3339(now)) {
    rules.schema = request.version->schema.get();
    rules.scope.builtin = request.kind->builtin;
    if (!request.subresource.empty()) {
      rules.scope.only = written_part(request.subresource);
    } else if (request.version->has_status) {
      rules.scope.without = "status";
    }
    rules.manager = {request.manager, api_version_of(request), request.managed_subresource, now_};
    rules.force = request.application != nullptr && request.application->force;
  }
  Tracking(const Tracking&) = delete;
  Tracking& operator=(const Tracking&) = delete;

  meta::ApplyRequest rules;

 private:
  std::string now_;
};

std::string text_of(const meta::ManagedFields& fields) {
  const auto list = meta::write_managed_fields(fields);
  return list.get_array().empty() ? std::string() : json::write(list);
}

// Which record a change goes on from: the request may bring its own, so that people can repair it; it may ask for all
// to be forgotten; without one, or with one that cannot be read, the stored one stays. `own` holds one of its own.
std::string_view starting_record(const WriteRequest& request, const FieldRecord& record, std::string& own) {
  if (!record.wanted || !request.subresource.empty()) return record.before;
  if (meta::is_managed_fields_reset(*record.wanted)) return {};
  own = json::write(*record.wanted);
  if (own == record.before) return record.before;
  auto read = meta::read_managed_fields(*record.wanted);
  if (!read.ok() || read->empty()) return record.before;
  own = json::write(meta::write_managed_fields(*read));
  return own;
}

}  // namespace

std::optional<json::Value> take_managed_fields(json::Value& object) {
  auto* metadata = json::find(object, "metadata");
  auto* list = metadata == nullptr ? nullptr : json::find(*metadata, kManagedFields);
  if (list == nullptr) return std::nullopt;
  std::optional<json::Value> out;
  if (!list->is_null()) out.emplace(std::move(*list));
  metadata->get_object().erase(kManagedFields);
  return out;
}

Result<std::string> record_of_new(const WriteRequest& request, const json::Value& object, WallTime now) {
  if (request.manager.empty()) return std::string();
  const Tracking tracking(request, now);
  if (request.application != nullptr) {
    CH_TRY_LET(managed, meta::managed_by_applying(tracking.rules, request.application->config));
    return text_of(managed);
  }
  std::string fields;
  fields.reserve(512);
  if (!meta::write_fields_of_new(fields, tracking.rules.schema, object, tracking.rules.scope)) return std::string();
  return meta::managed_fields_text(tracking.rules.manager, fields);
}

Result<json::Value> apply_onto(const WriteRequest& request, const json::Value& live, WallTime now,
                               FieldRecord& record) {
  const Tracking tracking(request, now);
  meta::ManagedFields managed;
  if (const auto before = read_record(record.before)) {
    // A record that cannot be read is none.
    if (auto read = meta::read_managed_fields(*before); read.ok()) managed = std::move(read).value();
  }
  CH_TRY_LET(applied, meta::apply_config(tracking.rules, live, request.application->config, std::move(managed)));
  record.applied = std::move(applied.managed);
  return std::move(applied.object);
}

std::string record_of_change(const WriteRequest& request, const json::Value& old, WallTime now, FieldRecord& record,
                             const json::Value& object) {
  if (request.application != nullptr) {
    if (!json::equal(old, object)) {
      // Times tell of changes of the object: who only comes to share a field, or to give it up, leaves them alone.
      meta::ManagedEntry self;
      self.manager = request.manager;
      self.operation = meta::ManagedEntry::Operation::kApply;
      self.subresource = request.managed_subresource;
      const Tracking tracking(request, now);
      for (auto& entry : record.applied) {
        if (entry.is_of(self)) entry.time = tracking.rules.manager.now;
      }
    }
    return text_of(record.applied);
  }
  std::string own;
  const auto before = starting_record(request, record, own);
  // Nobody keeps record of an object that has none: it begins with its creation, or when it is first applied to.
  if (before.empty() || request.manager.empty()) return before == kEmptyList ? "" : std::string(before);
  Tracking tracking(request, now);
  meta::ManagedList list(before);
  list.record_update(tracking.rules, old, object);
  if (request.with_status) {
    // Two writes in one, and told as two: an entry belongs to one endpoint.
    tracking.rules.scope.without = {};
    tracking.rules.scope.only = kStatus;
    tracking.rules.manager.subresource = kStatus;
    list.record_update(tracking.rules, old, object);
  }
  return list.text();
}

bool differ_in_times_only(const std::optional<json::Value>& a, const std::optional<json::Value>& b) {
  const auto without_times = [](const std::optional<json::Value>& list) -> json::Value {
    if (!list) return json::Array();
    auto read = meta::read_managed_fields(*list);
    if (!read.ok()) return *list;
    for (auto& entry : *read) entry.time.clear();
    return meta::write_managed_fields(*read);
  };
  return json::equal(without_times(a), without_times(b));
}

std::optional<json::Value> read_record(std::string_view text) {
  if (text.empty()) return std::nullopt;
  auto read = json::parse(text);
  if (!read.ok()) return std::nullopt;
  return std::move(read).value();
}

void put_managed_fields(std::optional<json::Value> list, json::Value& object) {
  if (list && list->is_array() && !list->get_array().empty()) metadata_of(object)[kManagedFields] = std::move(*list);
}

}  // namespace chandler::registry
