#include "auth/policy_store.h"

#include <utility>

namespace chandler::auth {

template <typename Change>
void PolicyStore::change(Change change) {
  MutexLock writing(writers_);
  auto next = std::make_shared<Policy>(*current());
  change(*next);
  std::shared_ptr<const Policy> old = std::move(next);
  {
    MutexLock lock(mutex_);
    std::swap(current_, old);
  }
  // The old policy, if nobody reads it any more, goes here, outside of the lock.
}

void PolicyStore::load(const std::vector<json::Value>& objects) {
  change([&](Policy& policy) {
    for (const auto& object : objects) policy.apply(object);
  });
}

void PolicyStore::apply(const json::Value& object) {
  change([&](Policy& policy) { policy.apply(object); });
}

void PolicyStore::remove(std::string_view kind, std::string_view ns, std::string_view name) {
  change([&](Policy& policy) { policy.remove(kind, ns, name); });
}

std::shared_ptr<const Policy> PolicyStore::current() const {
  MutexLock lock(mutex_);
  return current_;
}

}  // namespace chandler::auth
