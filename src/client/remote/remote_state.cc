#include "client/remote/remote_state.h"

#include <algorithm>

#include <fmt/format.h>

#include "base/log.h"
#include "client/selection.h"

namespace chandler::client {

RemoteState::RemoteState(std::shared_ptr<Sender> sender, std::vector<registry::KindPtr> kinds, FollowOptions options)
    : sender_(std::move(sender)), options_(options) {
  for (auto& kind : kinds) {
    const KindName name{kind->group, kind->plural};
    known_.emplace(name, std::move(kind));
  }
}

registry::KindPtr RemoteState::kind(const KindName& kind) const {
  const auto it = known_.find(kind);
  return it == known_.end() ? nullptr : it->second;
}

void RemoteState::follow(const std::vector<KindName>& kinds) {
  std::vector<std::shared_ptr<KindFollower>> fresh;
  for (const auto& name : kinds) {
    const auto it = known_.find(name);
    if (it == known_.end()) {
      log::error("an unknown kind is to be followed", {{"resource", name.plural}, {"group", name.group}});
      continue;
    }
    MutexLock lock(mutex_);
    auto& [store, follower] = followed_[it->first];
    if (store != nullptr) continue;
    store = std::make_shared<KindStore>(it->second);
    follower = std::make_shared<KindFollower>(
        store, sender_, options_,
        [this, of = it->first, at = store.get()](const DocumentChanges& changes) { on_changes(of, *at, changes); });
    fresh.push_back(follower);
  }
  for (const auto& follower : fresh) follower->start();
}

bool RemoteState::synced() const {
  MutexLock lock(mutex_);
  return std::all_of(followed_.begin(), followed_.end(),
                     [](const auto& entry) { return entry.second.first->listed(); });
}

bool RemoteState::wait_until_synced(std::chrono::milliseconds timeout) const {
  const auto deadline = std::chrono::steady_clock::now() + timeout;
  MutexLock lock(mutex_);
  for (;;) {
    const bool all =
        std::all_of(followed_.begin(), followed_.end(), [](const auto& entry) { return entry.second.first->listed(); });
    if (all) return true;
    if (!changed_.wait_until(mutex_, deadline)) return false;
  }
}

std::vector<std::string> RemoteState::problems() const {
  std::vector<std::pair<KindName, std::shared_ptr<KindFollower>>> followers;
  {
    MutexLock lock(mutex_);
    for (const auto& [name, entry] : followed_) followers.emplace_back(name, entry.second);
  }
  std::vector<std::string> out;
  for (const auto& [name, follower] : followers) {
    const auto problem = follower->problem();
    if (!problem.empty()) out.push_back(fmt::format("{}.{}: {}", name.plural, name.group, problem));
  }
  return out;
}

std::shared_ptr<KindStore> RemoteState::store(const KindName& kind) const {
  MutexLock lock(mutex_);
  const auto it = followed_.find(kind);
  return it == followed_.end() ? nullptr : it->second.first;
}

Object RemoteState::get(const KindName& kind, std::string_view ns, std::string_view name) const {
  const auto of = store(kind);
  return of == nullptr ? Object() : Object(of->get(ns, name));
}

std::vector<Object> RemoteState::list(const KindName& kind, const Selection& selection) const {
  const auto of = store(kind);
  if (of == nullptr) return {};
  const auto query = query_for(of->kind(), selection);
  if (!query.ok()) {
    log::error("a list could not be answered", {{"resource", kind.plural}, {"error", query.error().message}});
    return {};
  }
  std::vector<Object> out;
  for (auto& document : of->list(*query)) out.emplace_back(std::move(document));
  return out;
}

std::string_view RemoteState::field(const KindName& of, const Object& object, std::string_view field) const {
  const auto found = kind(of);
  return found == nullptr || !object ? std::string_view() : field_value(*found, object.document(), field);
}

void RemoteState::listen(std::vector<KindName> kinds, Listener listener) {
  {
    MutexLock lock(mutex_);
    auto next = std::make_shared<std::vector<Entry>>(*listeners_);
    next->push_back({kinds, std::move(listener)});
    listeners_ = std::move(next);
  }
  follow(kinds);
}

void RemoteState::on_changes(const KindName& kind, const KindStore& store, const DocumentChanges& changes) {
  std::shared_ptr<const std::vector<Entry>> listeners;
  {
    MutexLock lock(mutex_);
    listeners = listeners_;
    changed_.notify_all();
  }
  for (const auto& change : changes) {
    for (const auto& entry : *listeners) {
      const auto as = std::find(entry.kinds.begin(), entry.kinds.end(), kind);
      // Each listener gets Objects of its own: they are parsed on its thread.
      if (as != entry.kinds.end()) entry.listener({*as, Object(change.before), Object(change.now)});
    }
  }
  waiters_.check(store);
}

void RemoteState::when_shown(const KindName& kind, Shown shown, std::chrono::milliseconds limit,
                             WriteWaiters::Done done) {
  const auto of = store(kind);
  if (of == nullptr || shown.by(*of)) return done();
  waiters_.add(of.get(), std::move(shown), std::chrono::steady_clock::now() + limit, std::move(done));
  sender_->tasks().post_after(limit + std::chrono::milliseconds(1),
                              [this] { waiters_.expire(std::chrono::steady_clock::now()); });
}

void RemoteState::stop() {
  std::vector<std::shared_ptr<KindFollower>> followers;
  {
    MutexLock lock(mutex_);
    for (const auto& [name, entry] : followed_) followers.push_back(entry.second);
  }
  for (const auto& follower : followers) follower->stop();
  waiters_.expire(WriteWaiters::Time::max());
}

}  // namespace chandler::client
