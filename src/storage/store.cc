#include "storage/store.h"

#include <utility>

#include "base/mutex.h"

namespace chandler::storage {

Result<WriteOutcome> Store::commit_and_wait(Write write) {
  Mutex mutex;
  CondVar told;
  std::optional<Result<WriteOutcome>> outcome;
  commit(std::move(write), [&](Result<WriteOutcome> result) {
    MutexLock lock(mutex);
    outcome = std::move(result);
    told.notify_one();  // under the lock: the waiter owns all this and may be gone right after
  });
  MutexLock lock(mutex);
  while (!outcome) told.wait(mutex);
  return std::move(*outcome);
}

}  // namespace chandler::storage
