#include "registry/quota.h"

#include <utility>

#include <fmt/format.h>

#include "base/check.h"
#include "base/log.h"

namespace chandler::registry {
namespace {

Error over_quota(size_t used, size_t limit, size_t growth) {
  auto error = unavailable(
      fmt::format("the storage quota is reached: objects take {} of {} bytes, and this write would add {}; delete what "
                  "is no longer needed (deletions always work), or raise --storage-quota-mib if there is memory for it",
                  used, limit, growth));
  error.causes.push_back({"StorageQuotaExceeded", fmt::format("{} of {} bytes are used", used, limit), ""});
  return error;
}

}  // namespace

Quota::Quota(metrics::Registry& metrics)
    : refused_total_(
          metrics.counter("chandler_storage_quota_refused_total", "Writes refused because of --storage-quota-mib.")
              .with({})) {
  metrics.gauge_function("chandler_storage_quota_bytes", "What objects may take in memory; 0: no limit.", [this] {
    MutexLock lock(mutex_);
    return static_cast<int64_t>(limit_);
  });
}

void Quota::set_limit(size_t bytes) {
  MutexLock lock(mutex_);
  limit_ = bytes;
}

size_t Quota::used() const {
  MutexLock lock(mutex_);
  return used_;
}

size_t Quota::claimed() const {
  MutexLock lock(mutex_);
  return claimed_;
}

Result<void> Quota::claim(size_t growth, Use use) {
  size_t used = 0;
  size_t limit = 0;
  bool is_first = false;
  {
    MutexLock lock(mutex_);
    limit = limit_ + (use == Use::kReserve ? limit_ / kReserveShare : 0);
    used = used_ + claimed_;
    if (limit_ == 0 || used + growth <= limit) {
      claimed_ += growth;
      return {};
    }
    is_first = !std::exchange(reached_, true);
  }
  refused_total_.add();
  if (is_first) {
    log::error(
        "the storage quota is reached; writes that add bytes are refused",
        {{"used_bytes", used}, {"quota_bytes", limit}, {"remedy", "delete objects or raise --storage-quota-mib"}});
  }
  return over_quota(used, limit, growth);
}

void Quota::settle(int64_t change, size_t claimed) {
  size_t used = 0;
  size_t limit = 0;
  {
    MutexLock lock(mutex_);
    used_ = static_cast<size_t>(static_cast<int64_t>(used_) + change);
    CH_CHECK(claimed <= claimed_);
    claimed_ -= claimed;
    // Some way below it, so that the log does not tell of every object around the limit.
    if (!reached_ || used_ + claimed_ > limit_ - limit_ / kReserveShare) return;
    reached_ = false;
    used = used_;
    limit = limit_;
  }
  log::info("there is room again below the storage quota", {{"used_bytes", used}, {"quota_bytes", limit}});
}

}  // namespace chandler::registry
