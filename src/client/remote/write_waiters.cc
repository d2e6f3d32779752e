#include "client/remote/write_waiters.h"

#include <algorithm>
#include <iterator>
#include <utility>

namespace chandler::client {

bool Shown::by(const KindStore& store) const {
  if (gone_uid.empty()) return store.seen() >= revision;
  const auto there = store.get(ns, name);
  return there == nullptr || there->uid() != gone_uid;
}

void WriteWaiters::add(const KindStore* store, Shown shown, Time deadline, Done done) {
  waiters_.push_back({store, std::move(shown), deadline, std::move(done)});
}

template <typename Ends>
void WriteWaiters::end_those(Ends&& ends) {
  const auto first =
      std::stable_partition(waiters_.begin(), waiters_.end(), [&](const Waiter& waiter) { return !ends(waiter); });
  // Taken out before they run: what they do may add more.
  std::vector<Waiter> ended(std::make_move_iterator(first), std::make_move_iterator(waiters_.end()));
  waiters_.erase(first, waiters_.end());
  for (const auto& waiter : ended) waiter.done();
}

void WriteWaiters::check(const KindStore& store) {
  if (waiters_.empty()) return;
  end_those([&](const Waiter& waiter) { return waiter.store == &store && waiter.shown.by(store); });
}

void WriteWaiters::expire(Time now) {
  end_those([&](const Waiter& waiter) { return waiter.deadline <= now; });
}

}  // namespace chandler::client
