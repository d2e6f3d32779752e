// State of a remote server, kept in memory by a list and a watch per kind. Reading is thread-safe and never waits.
#pragma once

#include <chrono>
#include <map>
#include <memory>
#include <string>
#include <utility>
#include <vector>

#include "base/mutex.h"
#include "client/api.h"
#include "client/remote/kind_follower.h"
#include "client/remote/write_waiters.h"

namespace chandler::client {

class RemoteState final : public State {
 public:
  // `kinds`: all that are known from the start; CustomResourceDefinitions add to them once those are followed. Which
  // are followed is said by follow() and listen().
  RemoteState(std::shared_ptr<Sender> sender, std::vector<registry::KindPtr> kinds, FollowOptions options);

  // From any thread; a kind that is followed already stays so. One that is not known yet is followed when a definition
  // brings it, if somebody listens.
  void follow(const std::vector<KindName>& kinds) CH_EXCLUDES(mutex_);
  bool synced() const CH_EXCLUDES(mutex_);  // all kinds that are followed have been listed once
  bool wait_until_synced(std::chrono::milliseconds timeout) const CH_EXCLUDES(mutex_);
  // What keeps kinds from being up to date: "serviceplans.servicecatalog.k8s.io: cannot connect ...".
  std::vector<std::string> problems() const CH_EXCLUDES(mutex_);

  Object get(const KindName& kind, std::string_view ns, std::string_view name) const override CH_EXCLUDES(mutex_);
  std::vector<Object> list(const KindName& kind, const Selection& selection) const override CH_EXCLUDES(mutex_);
  std::string_view field(const KindName& kind, const Object& object, std::string_view field) const override;
  std::optional<ServedKind> find_kind(std::string_view group, std::string_view version,
                                      std::string_view word) const override CH_EXCLUDES(mutex_);
  bool has_listed(const KindName& kind) const override CH_EXCLUDES(mutex_);
  // At any time; follows the kinds too. Changes come on the client's thread, the first list as creations.
  void listen(std::vector<KindName> kinds, Listener listener) override CH_EXCLUDES(mutex_);

  registry::KindPtr kind(const KindName& kind) const CH_EXCLUDES(mutex_);
  // Runs `done` when the state shows it, at the latest after `limit`. On the task thread.
  void when_shown(const KindName& kind, Shown shown, std::chrono::milliseconds limit, WriteWaiters::Done done)
      CH_EXCLUDES(mutex_);
  void stop() CH_EXCLUDES(mutex_);  // when the task thread has stopped

 private:
  struct Entry {
    std::vector<KindName> kinds;
    Listener listener;
  };
  std::shared_ptr<KindStore> store(const KindName& kind) const CH_EXCLUDES(mutex_);
  void learn_kinds(const DocumentChanges& definitions) CH_EXCLUDES(mutex_);
  void on_changes(const KindName& kind, const KindStore& store, const DocumentChanges& changes) CH_EXCLUDES(mutex_);

  const std::shared_ptr<Sender> sender_;
  const FollowOptions options_;
  WriteWaiters waiters_;  // of the task thread

  mutable Mutex mutex_;
  mutable CondVar changed_;
  std::map<KindName, registry::KindPtr> known_ CH_GUARDED_BY(mutex_);  // names are interned
  std::map<KindName, std::pair<std::shared_ptr<KindStore>, std::shared_ptr<KindFollower>>> followed_
      CH_GUARDED_BY(mutex_);
  std::shared_ptr<const std::vector<Entry>> listeners_ CH_GUARDED_BY(mutex_) = std::make_shared<std::vector<Entry>>();
};

}  // namespace chandler::client
