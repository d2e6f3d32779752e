#include "client/local/local_state.h"

#include <algorithm>
#include <utility>

#include "base/log.h"
#include "client/selection.h"
#include "client/served_kinds.h"
#include "registry/text_map.h"

namespace chandler::client {

// Hands the cache's changes to listeners that come and go; the cache's own list is fixed once it follows the store.
class LocalState::Hub {
 public:
  struct Ear {
    KindName kind;
    std::shared_ptr<const Listener> listener;
  };
  using Ears = registry::TextMap<std::vector<Ear>>;  // by the prefix of a kind's keys

  // `kinds`: with the prefixes of their keys.
  void add(const std::vector<std::pair<std::string, KindName>>& kinds, Listener listener) CH_EXCLUDES(mutex_) {
    const auto shared = std::make_shared<const Listener>(std::move(listener));
    MutexLock lock(mutex_);
    auto next = std::make_shared<Ears>(*ears_);
    for (const auto& [prefix, kind] : kinds) (*next)[prefix].push_back({kind, shared});
    ears_ = std::move(next);
  }

  void clear() CH_EXCLUDES(mutex_) {
    MutexLock lock(mutex_);
    ears_ = std::make_shared<Ears>();
  }

  void tell(std::string_view prefix, const registry::Event& event) const CH_EXCLUDES(mutex_) {
    std::shared_ptr<const Ears> ears;
    {
      MutexLock lock(mutex_);
      ears = ears_;
    }
    const auto those = ears->find(prefix);
    if (those == ears->end()) return;
    for (const auto& ear : those->second) {
      // Each listener gets Objects of its own: they are parsed on its thread.
      (*ear.listener)({ear.kind, Object(event.before), event.deleted ? Object() : Object(event.now)});
    }
  }

 private:
  mutable Mutex mutex_;
  std::shared_ptr<const Ears> ears_ CH_GUARDED_BY(mutex_) = std::make_shared<Ears>();
};

LocalState::LocalState(const registry::KindTable& kinds, registry::Cache& cache, const auth::PolicyStore& policy,
                       auth::User identity)
    : kinds_(kinds), cache_(cache), policy_(policy), identity_(std::move(identity)), hub_(std::make_shared<Hub>()) {
  cache.listen([hub = hub_](std::string_view prefix, const registry::Event& event) { hub->tell(prefix, event); });
}

LocalState::~LocalState() { hub_->clear(); }

registry::KindPtr LocalState::find(const KindName& kind) const {
  return kinds_.current()->find(kind.group, kind.plural);
}

Object LocalState::get(const KindName& kind, std::string_view ns, std::string_view name) const {
  const auto found = find(kind);
  return found == nullptr ? Object() : Object(cache_.get(*found, ns, name));
}

std::vector<Object> LocalState::list(const KindName& kind, const Selection& selection) const {
  const auto found = find(kind);
  if (found == nullptr) return {};
  const auto query = query_for(*found, selection);
  const auto page = query.ok() ? cache_.list(*found, *query) : Result<registry::Page>(query.error());
  if (!page.ok()) {
    log::error("a list could not be answered", {{"resource", kind.plural}, {"error", page.error().message}});
    return {};
  }
  std::vector<Object> out;
  out.reserve(page->items.size());
  for (const auto& document : page->items) out.emplace_back(document);
  return out;
}

std::string_view LocalState::field(const KindName& kind, const Object& object, std::string_view field) const {
  const auto found = object ? find(kind) : nullptr;
  return found == nullptr ? std::string_view() : field_value(*found, object.document(), field);
}

std::optional<ServedKind> LocalState::find_kind(std::string_view group, std::string_view version,
                                                std::string_view word) const {
  return find_served(kinds_.current()->all(), group, version, word);
}

void LocalState::check_rights(const KindName& kind) const {
  const auto policy = policy_.current();
  auth::Attributes attributes;
  attributes.user = &identity_;
  attributes.group = kind.group;
  attributes.resource = kind.plural;
  for (const std::string_view verb : {"list", "watch"}) {
    attributes.verb = verb;
    if (policy->authorize(attributes).allowed) continue;
    log::error("a controller reads what its access rules do not allow; add the rule to its role",
               {{"why", auth::denial(attributes)}});
  }
}

void LocalState::listen(std::vector<KindName> kinds, Listener listener) {
  std::vector<std::pair<std::string, KindName>> prefixed;
  for (const auto& kind : kinds) {
    check_rights(kind);
    registry::Kind key;  // a kind may be served later; its keys are known now
    key.group = kind.group;
    key.plural = kind.plural;
    key.finish();
    const bool is_known =
        std::any_of(prefixed.begin(), prefixed.end(), [&](const auto& each) { return each.first == key.prefix(); });
    if (!is_known) prefixed.emplace_back(key.prefix(), kind);
  }
  hub_->add(prefixed, std::move(listener));
}

}  // namespace chandler::client
