#include "client/remote/remote_state.h"

#include <algorithm>

#include <fmt/format.h>

#include "base/log.h"
#include "client/selection.h"
#include "client/served_kinds.h"
#include "registry/kind_loader.h"

namespace chandler::client {
namespace {

constexpr KindName kDefinitions{"apiextensions.k8s.io", "customresourcedefinitions"};

// Their objects are found under the same path.
bool is_read_alike(const registry::Kind& a, const registry::Kind& b) {
  return a.namespaced == b.namespaced && a.storage_version().name == b.storage_version().name;
}

}  // namespace

RemoteState::RemoteState(std::shared_ptr<Sender> sender, std::vector<registry::KindPtr> kinds, FollowOptions options)
    : sender_(std::move(sender)), options_(options) {
  MutexLock lock(mutex_);
  for (auto& kind : kinds) known_.emplace(intern_kind(kind->group, kind->plural), std::move(kind));
}

registry::KindPtr RemoteState::kind(const KindName& kind) const {
  MutexLock lock(mutex_);
  const auto it = known_.find(kind);
  return it == known_.end() ? nullptr : it->second;
}

void RemoteState::follow(const std::vector<KindName>& kinds) {
  std::vector<std::shared_ptr<KindFollower>> fresh;
  for (const auto& name : kinds) {
    const auto of = intern_kind(name.group, name.plural);
    const auto loaded = kind(of);
    if (loaded == nullptr) continue;  // it may be defined later
    MutexLock lock(mutex_);
    auto& [store, follower] = followed_[of];
    if (store != nullptr) continue;
    store = std::make_shared<KindStore>(loaded);
    follower = std::make_shared<KindFollower>(
        store, sender_, options_,
        [this, of, at = store.get()](const DocumentChanges& changes) { on_changes(of, *at, changes); });
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

std::optional<ServedKind> RemoteState::find_kind(std::string_view group, std::string_view version,
                                                 std::string_view word) const {
  std::vector<registry::KindPtr> kinds;
  {
    MutexLock lock(mutex_);
    for (const auto& [name, kind] : known_) {
      if (name.group == group) kinds.push_back(kind);
    }
  }
  return find_served(kinds, group, version, word);
}

bool RemoteState::has_listed(const KindName& kind) const {
  MutexLock lock(mutex_);
  if (!known_.contains(kind)) return true;  // what is not served has no objects
  const auto it = followed_.find(kind);
  return it != followed_.end() && it->second.first->listed();
}

// What somebody else's definitions say, as far as it can be understood here: names, scope, versions, selectable fields.
void RemoteState::learn_kinds(const DocumentChanges& definitions) {
  for (const auto& change : definitions) {
    const Object now(change.now);
    const Object definition = now ? now : Object(change.before);
    const auto* spec = json::find(definition.value(), "spec");
    const auto* names = spec == nullptr ? nullptr : json::find(*spec, "names");
    if (names == nullptr) continue;
    const auto name = intern_kind(json::string_or(*spec, "group"), json::string_or(*names, "plural"));
    registry::KindPtr loaded;
    if (now && !now.deleting()) {
      meta::FieldErrors faults;
      loaded = registry::load_kind(now.value(), nullptr, nullptr, faults);
      if (loaded == nullptr) {
        log::warn("a CustomResourceDefinition is not understood; its objects are not seen",
                  {{"name", now.name()}, {"why", faults.empty() ? "" : faults.causes().front().message}});
      }
    }
    bool is_awaited = false;
    std::shared_ptr<KindFollower> outdated;
    {
      MutexLock lock(mutex_);
      const auto known = known_.find(name);
      // What the program knows by itself, it knows better.
      if (known != known_.end() && known->second->crd_uid.empty()) continue;
      if (loaded == nullptr) {
        known_.erase(name);
      } else {
        known_[name] = loaded;
        // One that follows another version would look for it for ever.
        const auto followed = followed_.find(name);
        if (followed != followed_.end() && !is_read_alike(followed->second.first->kind(), *loaded)) {
          outdated = std::move(followed->second.second);
          followed_.erase(followed);
        }
        is_awaited = std::any_of(listeners_->begin(), listeners_->end(), [&](const Entry& entry) {
          return std::find(entry.kinds.begin(), entry.kinds.end(), name) != entry.kinds.end();
        });
      }
    }
    if (outdated != nullptr) outdated->stop();  // we are on the task thread, as it is
    if (is_awaited || outdated != nullptr) follow({name});
  }
}

void RemoteState::on_changes(const KindName& kind, const KindStore& store, const DocumentChanges& changes) {
  if (kind == kDefinitions) learn_kinds(changes);
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
