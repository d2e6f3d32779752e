// The last step of a restore: new files take the place of those in a data directory, all or none, whatever happens in
// between. The new files are gathered in DIR/restore.tmp; renaming that to DIR/restore.ready decides. From then on the
// change is only carried forward: by the restore itself, or, if it was killed, by whoever opens the directory next.
// What was there before moves to the directory that the journal names. All functions need the directory's lock.
#pragma once

#include <string>

#include "base/result.h"

namespace chandler::storage {

std::string restore_staging(const std::string& directory);  // where the new files are to be gathered
bool restore_is_decided(const std::string& directory);      // and not finished

// The gathered files are complete: makes that durable and decides. `aside`: name, below the directory, for what was
// there before.
Result<void> decide_restore(const std::string& directory, const std::string& aside);
// Carries a decided restore forward to its end; does nothing when there is none.
Result<void> finish_restore(const std::string& directory);

}  // namespace chandler::storage
