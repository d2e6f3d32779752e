// What a broker must not forget: its instances, bindings and operations, in an SQLite file of its own (write-ahead log,
// synced at every commit). Contents are sealed, because parameters and credentials are secrets. An operation is stored
// as running before anything is done for it, so that a restart finds and repeats it. Used by one thread at a time.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "base/result.h"
#include "json/value.h"
#include "osb/server/seal.h"
#include "osb/server/service.h"
#include "osb/server/sqlite.h"

namespace chandler::osb::server {

enum class Phase {
  kCreating,
  kReady,
  kUpdating,
  kDeleting,
  kBroken,  // creating or deleting failed and something is left; can only be deleted, or created again as it was
};

struct InstanceRecord {
  InstanceSpec spec;
  Phase phase = Phase::kCreating;
};

struct BindingRecord {
  BindingSpec spec;
  Phase phase = Phase::kCreating;
  json::Value result;  // members of the answer, with credentials; null until ready
};

enum class OperationState { kRunning, kSucceeded, kFailed };

struct OperationRecord {
  std::string id;  // "<work>-<uuid>", so that it tells what it was even when it is forgotten
  Work work = Work::kCreate;
  std::string instance_id;
  std::string binding_id;  // "" for operations on the instance
  bool is_async = false;
  bool is_repeatable = true;  // a failed update is worth repeating as it is
  OperationState state = OperationState::kRunning;
  std::string description;
  std::optional<InstanceSpec> target;  // what an update leads to
  int64_t finished = 0;                // seconds since 1970
};

// Takes effect as a whole or not at all.
struct StateChange {
  std::optional<InstanceRecord> put_instance;
  std::optional<BindingRecord> put_binding;
  std::optional<OperationRecord> put_operation;
  std::string erase_instance;  // with all its bindings
  std::string erase_binding_instance;
  std::string erase_binding;  // of erase_binding_instance
  std::string erase_operation;
};

class State {
 public:
  // `directory` exists and is the broker's alone. The error says what to do when file and key do not fit.
  static Result<State> open(const std::string& directory);

  Result<std::optional<InstanceRecord>> instance(const std::string& id);
  Result<std::optional<BindingRecord>> binding(const std::string& instance_id, const std::string& id);
  Result<std::vector<BindingRecord>> bindings_of(const std::string& instance_id);
  Result<std::optional<OperationRecord>> operation(const std::string& id);
  // The newest operation on an instance (binding_id "") or a binding.
  Result<std::optional<OperationRecord>> latest_operation(const std::string& instance_id,
                                                          const std::string& binding_id);
  // Those under way for the instance and its bindings; of all instances when the id is empty.
  Result<std::vector<OperationRecord>> running(const std::string& instance_id);

  Result<void> commit(const StateChange& change);
  Result<void> forget_operations(int64_t finished_before);

 private:
  State(Sqlite database, const Seal& seal) : database_(std::move(database)), seal_(seal) {}
  Result<std::vector<OperationRecord>> operations(std::string_view condition, const std::vector<SqlValue>& values);
  Result<json::Value> reveal(std::string_view sealed, const std::string& place) const;
  Result<void> put(const InstanceRecord& record);
  Result<void> put(const BindingRecord& record);
  Result<void> put(const OperationRecord& record);

  Sqlite database_;
  Seal seal_;
};

}  // namespace chandler::osb::server
