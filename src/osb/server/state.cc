#include "osb/server/state.h"

#include <utility>

#include <fmt/format.h>

#include "base/file.h"
#include "base/private_file.h"
#include "json/reader.h"
#include "json/writer.h"

namespace chandler::osb::server {
namespace {

constexpr const char* kSchema = R"(
  CREATE TABLE IF NOT EXISTS instances (id TEXT PRIMARY KEY, phase INTEGER NOT NULL, body BLOB NOT NULL) WITHOUT ROWID;
  CREATE TABLE IF NOT EXISTS bindings (instance_id TEXT NOT NULL, id TEXT NOT NULL, phase INTEGER NOT NULL,
    body BLOB NOT NULL, PRIMARY KEY (instance_id, id)) WITHOUT ROWID;
  CREATE TABLE IF NOT EXISTS operations (number INTEGER PRIMARY KEY AUTOINCREMENT, id TEXT NOT NULL UNIQUE,
    instance_id TEXT NOT NULL, binding_id TEXT NOT NULL, state INTEGER NOT NULL, finished INTEGER NOT NULL,
    body BLOB NOT NULL);
  CREATE INDEX IF NOT EXISTS operations_by_object ON operations (instance_id, binding_id);
  CREATE INDEX IF NOT EXISTS operations_by_state ON operations (state, finished);
)";
constexpr int64_t kSchemaVersion = 1;

// Where a sealed body belongs; lengths keep ids from running into each other.
std::string place_of(std::string_view table, std::string_view a, std::string_view b = "") {
  return fmt::format("{} {}:{}/{}:{}", table, a.size(), a, b.size(), b);
}

json::Value to_json(const InstanceSpec& spec) {
  return json::Object{
      {"service_id", spec.service_id}, {"plan_id", spec.plan_id},       {"organization_guid", spec.organization_guid},
      {"space_guid", spec.space_guid}, {"parameters", spec.parameters}, {"maintenance", spec.maintenance_version}};
}

InstanceSpec to_instance(const json::Value& body, std::string id) {
  InstanceSpec spec;
  spec.id = std::move(id);
  spec.service_id = json::string_or(body, "service_id");
  spec.plan_id = json::string_or(body, "plan_id");
  spec.organization_guid = json::string_or(body, "organization_guid");
  spec.space_guid = json::string_or(body, "space_guid");
  if (const auto* parameters = json::object_at(body, "parameters")) spec.parameters = *parameters;
  spec.maintenance_version = json::string_or(body, "maintenance");
  return spec;
}

json::Value to_json(const BindingRecord& record) {
  const auto& spec = record.spec;
  return json::Object{{"service_id", spec.service_id},      {"plan_id", spec.plan_id},
                      {"parameters", spec.parameters},      {"bind_resource", spec.bind_resource},
                      {"predecessor", spec.predecessor_id}, {"result", record.result}};
}

BindingRecord to_binding(const json::Value& body, std::string instance_id, std::string id, Phase phase) {
  BindingRecord record;
  record.phase = phase;
  record.spec.instance_id = std::move(instance_id);
  record.spec.id = std::move(id);
  record.spec.service_id = json::string_or(body, "service_id");
  record.spec.plan_id = json::string_or(body, "plan_id");
  if (const auto* parameters = json::object_at(body, "parameters")) record.spec.parameters = *parameters;
  if (const auto* resource = json::object_at(body, "bind_resource")) record.spec.bind_resource = *resource;
  record.spec.predecessor_id = json::string_or(body, "predecessor");
  if (const auto* result = json::object_at(body, "result")) record.result = *result;
  return record;
}

}  // namespace

Result<State> State::open(const std::string& directory) {
  const std::string path = directory + "/broker.db";
  CH_TRY_LET(seal, Seal::open(directory + "/broker.key", !file_exists(path)));
  if (!file_exists(path)) CH_TRY(write_file(path, "", 0600));  // files that SQLite puts beside it get its mode
  CH_TRY(secure_file(path));
  CH_TRY_LET(database, Sqlite::open(path));
  CH_TRY(database.execute("PRAGMA journal_mode=WAL; PRAGMA synchronous=FULL; PRAGMA foreign_keys=OFF;"));
  CH_TRY_LET(version, database.integer("PRAGMA user_version"));
  if (version > kSchemaVersion) {
    return unavailable(fmt::format("{} was written by a newer version of this program; use that one", path));
  }
  if (version < kSchemaVersion) {
    CH_TRY(database.transact(
        [&database] { return database.execute(fmt::format("{} PRAGMA user_version={};", kSchema, kSchemaVersion)); }));
  }
  return State(std::move(database), seal);
}

Result<json::Value> State::reveal(std::string_view sealed, const std::string& place) const {
  CH_TRY_LET(text, seal_.reveal(sealed, place));
  return json::parse(text);
}

Result<std::optional<InstanceRecord>> State::instance(const std::string& id) {
  std::optional<InstanceRecord> found;
  CH_TRY(database_.run("SELECT phase, body FROM instances WHERE id = ?", {id}, [&](const SqlRow& row) -> Result<void> {
    CH_TRY_LET(body, reveal(row.text(1), place_of("instance", id)));
    found = InstanceRecord{to_instance(body, id), static_cast<Phase>(row.integer(0))};
    return {};
  }));
  return found;
}

Result<std::optional<BindingRecord>> State::binding(const std::string& instance_id, const std::string& id) {
  std::optional<BindingRecord> found;
  CH_TRY(database_.run("SELECT phase, body FROM bindings WHERE instance_id = ? AND id = ?", {instance_id, id},
                       [&](const SqlRow& row) -> Result<void> {
                         CH_TRY_LET(body, reveal(row.text(1), place_of("binding", instance_id, id)));
                         found = to_binding(body, instance_id, id, static_cast<Phase>(row.integer(0)));
                         return {};
                       }));
  return found;
}

Result<std::vector<BindingRecord>> State::bindings_of(const std::string& instance_id) {
  std::vector<BindingRecord> found;
  CH_TRY(database_.run("SELECT id, phase, body FROM bindings WHERE instance_id = ? ORDER BY id", {instance_id},
                       [&](const SqlRow& row) -> Result<void> {
                         std::string id(row.text(0));
                         CH_TRY_LET(body, reveal(row.text(2), place_of("binding", instance_id, id)));
                         found.push_back(
                             to_binding(body, instance_id, std::move(id), static_cast<Phase>(row.integer(1))));
                         return {};
                       }));
  return found;
}

Result<std::vector<OperationRecord>> State::operations(std::string_view condition,
                                                       const std::vector<SqlValue>& values) {
  std::vector<OperationRecord> found;
  CH_TRY(database_.run(
      fmt::format("SELECT id, instance_id, binding_id, state, finished, body FROM operations WHERE {}", condition),
      values, [&](const SqlRow& row) -> Result<void> {
        OperationRecord record;
        record.id = row.text(0);
        record.instance_id = row.text(1);
        record.binding_id = row.text(2);
        record.state = static_cast<OperationState>(row.integer(3));
        record.finished = row.integer(4);
        CH_TRY_LET(body, reveal(row.text(5), place_of("operation", record.id)));
        record.work = static_cast<Work>(json::int_at(body, "work").value_or(0));
        record.is_async = json::bool_at(body, "async").value_or(false);
        record.is_repeatable = json::bool_at(body, "repeatable").value_or(true);
        record.description = json::string_or(body, "description");
        const auto* target = json::find(body, "target");
        if (target != nullptr && target->is_object()) record.target = to_instance(*target, record.instance_id);
        found.push_back(std::move(record));
        return {};
      }));
  return found;
}

Result<std::optional<OperationRecord>> State::operation(const std::string& id) {
  CH_TRY_LET(found, operations("id = ?", {id}));
  return found.empty() ? std::optional<OperationRecord>() : std::move(found.front());
}

Result<std::optional<OperationRecord>> State::latest_operation(const std::string& instance_id,
                                                               const std::string& binding_id) {
  CH_TRY_LET(found,
             operations("instance_id = ? AND binding_id = ? ORDER BY number DESC LIMIT 1", {instance_id, binding_id}));
  return found.empty() ? std::optional<OperationRecord>() : std::move(found.front());
}

Result<std::vector<OperationRecord>> State::running(const std::string& instance_id) {
  const auto running = static_cast<int64_t>(OperationState::kRunning);
  if (instance_id.empty()) return operations("state = ? ORDER BY number", {running});
  return operations("state = ? AND instance_id = ? ORDER BY number", {running, instance_id});
}

Result<void> State::put(const InstanceRecord& record) {
  const auto& id = record.spec.id;
  const auto body = seal_.close(json::write(to_json(record.spec)), place_of("instance", id));
  return database_.run("INSERT OR REPLACE INTO instances (id, phase, body) VALUES (?, ?, ?)",
                       {id, static_cast<int64_t>(record.phase), Blob{body}});
}

Result<void> State::put(const BindingRecord& record) {
  const auto& spec = record.spec;
  const auto body = seal_.close(json::write(to_json(record)), place_of("binding", spec.instance_id, spec.id));
  return database_.run("INSERT OR REPLACE INTO bindings (instance_id, id, phase, body) VALUES (?, ?, ?, ?)",
                       {spec.instance_id, spec.id, static_cast<int64_t>(record.phase), Blob{body}});
}

Result<void> State::put(const OperationRecord& record) {
  json::Object members{{"work", static_cast<int64_t>(record.work)},
                       {"async", record.is_async},
                       {"repeatable", record.is_repeatable},
                       {"description", record.description}};
  if (record.target) members["target"] = to_json(*record.target);
  const auto body = seal_.close(json::write(members), place_of("operation", record.id));
  return database_.run(
      "INSERT INTO operations (id, instance_id, binding_id, state, finished, body) VALUES (?, ?, ?, ?, ?, ?) "
      "ON CONFLICT (id) DO UPDATE SET state = excluded.state, finished = excluded.finished, body = excluded.body",
      {record.id, record.instance_id, record.binding_id, static_cast<int64_t>(record.state), record.finished,
       Blob{body}});
}

Result<void> State::commit(const StateChange& change) {
  return database_.transact([&]() -> Result<void> {
    if (!change.erase_instance.empty()) {
      CH_TRY(database_.run("DELETE FROM bindings WHERE instance_id = ?", {change.erase_instance}));
      CH_TRY(database_.run("DELETE FROM instances WHERE id = ?", {change.erase_instance}));
    }
    if (!change.erase_binding.empty()) {
      CH_TRY(database_.run("DELETE FROM bindings WHERE instance_id = ? AND id = ?",
                           {change.erase_binding_instance, change.erase_binding}));
    }
    if (!change.erase_operation.empty()) {
      CH_TRY(database_.run("DELETE FROM operations WHERE id = ?", {change.erase_operation}));
    }
    if (change.put_instance) CH_TRY(put(*change.put_instance));
    if (change.put_binding) CH_TRY(put(*change.put_binding));
    if (change.put_operation) CH_TRY(put(*change.put_operation));
    return {};
  });
}

Result<void> State::forget_operations(int64_t finished_before) {
  return database_.run("DELETE FROM operations WHERE state <> ? AND finished < ?",
                       {static_cast<int64_t>(OperationState::kRunning), finished_before});
}

}  // namespace chandler::osb::server
