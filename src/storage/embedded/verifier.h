// Looks at every byte of a database that no server uses, and says what is wrong with it: SQLite's own check of the
// file, the check sum of every row, every value opened and read, the order of revisions, and whether the tables agree.
// It goes on after a fault as far as it can, and can hand over all that is still readable. Changes nothing.
#pragma once

#include <cstdint>
#include <functional>
#include <map>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "base/result.h"
#include "storage/embedded/schema.h"
#include "storage/keyring.h"
#include "storage/store.h"

namespace chandler::storage {

struct VerifyOptions {
  std::string directory;
  const Keyring* keyring = nullptr;  // null: sealed values cannot be opened, which is a fault
  // What is wrong with a value as it was before it was sealed; nullopt: nothing. Empty: not asked.
  std::function<std::optional<std::string>(std::string_view key, std::string_view plain)> check_value;
  size_t max_faults = 20;  // that are described; all are counted
  std::function<void(int64_t rows)> progress;
};

struct VerifyReport {
  std::string id;
  Marks marks;
  int64_t rows = 0;                       // of the log, history included
  int64_t live = 0;                       // objects
  int64_t history = 0;                    // rows that are kept for watches
  int64_t bytes = 0;                      // of values
  std::map<std::string, int64_t> sealed;  // values by id of their key
  int64_t fault_count = 0;
  std::vector<std::string> faults;  // the first ones
  std::vector<std::string> lost;    // keys whose present value cannot be read
};

// Takes the objects that can be read, in order of revision.
using TakeReadable = std::function<Result<void>(Revision revision, std::string_view key, std::string_view value)>;

// An error: the database cannot be looked at, for a server uses it, or it is none of ours. `take` may be empty.
Result<VerifyReport> verify_database(const VerifyOptions& options, const TakeReadable& take);

}  // namespace chandler::storage
