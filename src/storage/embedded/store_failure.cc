#include "storage/embedded/store_failure.h"

#include <fmt/format.h>

#include "base/log.h"

namespace chandler::storage {

std::string StoreFailure::text() const {
  if (!happened()) return {};
  MutexLock lock(mutex_);
  return text_;
}

void StoreFailure::report(const Error& because) {
  const auto text = fmt::format("the store takes no more writes until the server is restarted: {}", because.message);
  {
    MutexLock lock(mutex_);
    if (happened()) return;  // what follows from the first error tells nothing new
    text_ = text;
    happened_.store(true, std::memory_order_release);
  }
  log::error("store failed", {{"error", text}});
  if (on_failure_) on_failure_();
}

}  // namespace chandler::storage
