#include "apiserver/housekeeping/garbage_collector.h"

#include <algorithm>
#include <utility>

#include <fmt/format.h>

#include "apiserver/housekeeping/conditions.h"
#include "base/check.h"
#include "base/log.h"
#include "json/reader.h"
#include "json/text_scan.h"
#include "meta/gvk.h"

namespace chandler::apiserver {
namespace {

// What the queue holds: a letter for the question, then a store key or an owner's uid.
constexpr char kDependent = 'd';  // does this object still have an owner?
constexpr char kAbsent = 'a';     // this uid is gone: look at its dependents
constexpr char kLost = 'l';       // as kDependent, and this owner is gone: its uid, a space, the dependent's key
constexpr char kOwner = 'o';      // is this deleted owner done with its dependents?
constexpr char kKinds = 'k';      // kinds have changed: owners that were unknown may be known now
constexpr std::string_view kDefinitions = "apiextensions.k8s.io/customresourcedefinitions/";

constexpr std::string_view kOrphan = "orphan";
constexpr auto kRetry = std::chrono::seconds(2);
constexpr std::chrono::milliseconds kAfterConflict(20);  // and twice as long each time
constexpr int kQuickTries = 6;                           // then as after any other failure
constexpr auto kGather = std::chrono::milliseconds(5);   // a catalog of new plans comes as one burst

// metadata.ownerReferences as written; empty when there are none.
std::string_view owners_text(const registry::Document& document) {
  if (document.owner_count() == 0) return {};
  return json::member_text(json::member_text(document.bytes(), "metadata"), "ownerReferences");
}

json::Array owners_of(const registry::Document& document) {
  const auto text = owners_text(document);
  if (text.empty()) return {};
  auto owners = json::parse(text);
  CH_CHECK(owners.ok() && owners->is_array());  // our own writer wrote them
  return std::move(owners->get_array());
}

bool has_finalizer(const json::Value& object, std::string_view name) {
  const auto* finalizers = json::array_at(object.at("metadata"), "finalizers");
  return finalizers != nullptr && std::any_of(finalizers->begin(), finalizers->end(), [&](const json::Value& item) {
           return item.is_string() && json::view(item.get_string()) == name;
         });
}

// Keeps the references that `keep` wants.
template <typename Keep>
void filter_owners(json::Value& object, Keep keep) {
  auto& metadata = object.at("metadata").as_object();
  json::Array rest;
  if (const auto* have = json::array_at(object.at("metadata"), "ownerReferences")) {
    for (const auto& reference : *have) {
      if (keep(reference)) rest.push_back(reference);
    }
  }
  metadata["ownerReferences"] = std::move(rest);
}

bool blocks_owner(const registry::Document& dependent, std::string_view uid) {
  const auto owners = owners_of(dependent);
  return std::any_of(owners.begin(), owners.end(), [&](const json::Value& reference) {
    return json::string_or(reference, "uid") == uid && json::bool_at(reference, "blockOwnerDeletion").value_or(false);
  });
}

}  // namespace

GarbageCollector::GarbageCollector(const registry::KindTable& kinds, registry::Cache& cache, registry::Objects& objects)
    : kinds_(kinds),
      cache_(cache),
      writer_(objects, "generic-garbage-collector"),
      duty_(
          "gc", [this](const std::string& item) { return work(item); }, kGather) {
  cache_.listen([this](std::string_view prefix, const registry::Event& event) { on_event(prefix, event); });
}

void GarbageCollector::start() {
  const auto kinds = kinds_.current();
  for (const auto& kind : kinds->all()) {
    if (!kind->stored || !kind->stored_as.empty()) continue;
    const auto page = cache_.list(*kind, registry::Query());
    if (!page.ok()) continue;
    for (const auto& document : page->items) {
      if (document->owner_count() > 0) duty_.add(kDependent + kind->key(document->ns(), document->name()));
      if (document->deleting()) duty_.add(kOwner + kind->key(document->ns(), document->name()));
    }
  }
  duty_.start();
}

void GarbageCollector::on_event(std::string_view prefix, const registry::Event& event) {
  const auto& document = *event.now;
  if (prefix == kDefinitions) duty_.add(std::string(1, kKinds));
  if (event.deleted) {
    duty_.add(kAbsent + std::string(document.uid()));
    return add_owners(document);
  }
  const bool has_other_owners = event.before == nullptr || owners_text(*event.before) != owners_text(document);
  if (has_other_owners && event.before != nullptr) add_owners(*event.before);
  const bool is_dependent = document.owner_count() > 0 && has_other_owners;
  const bool is_ending = document.deleting() && document.has_finalizers();
  if (!is_dependent && !is_ending) return;  // nearly all
  std::string key(prefix);
  if (!document.ns().empty()) key.append(document.ns()).append("/");
  key.append(document.name());
  if (is_dependent) duty_.add(kDependent + key);
  if (is_ending) duty_.add(kOwner + key);
}

// They may be waiting in the foreground for this one.
void GarbageCollector::add_owners(const registry::Document& document) {
  for (const auto& reference : owners_of(document)) {
    if (auto owner = owner_key(reference, document.ns()); !owner.empty()) duty_.add(kOwner + owner);
  }
}

registry::KindPtr GarbageCollector::kind_of(std::string_view prefix) const {
  const size_t slash = prefix.find('/');  // <group>/<plural>/
  if (slash == std::string_view::npos) return nullptr;
  const auto group = prefix.substr(0, slash);
  auto kind = kinds_.current()->find(group == "core" ? "" : group, prefix.substr(slash + 1, prefix.size() - slash - 2));
  return kind != nullptr && kind->stored_as.empty() ? kind : nullptr;
}

std::string GarbageCollector::owner_key(const json::Value& reference, std::string_view ns) const {
  const auto version = meta::GroupVersion::parse(json::string_or(reference, "apiVersion"));
  if (!version.ok()) return "";
  const auto kind = kinds_.current()->find_kind(version->group, json::string_or(reference, "kind"));
  return kind == nullptr ? "" : kind->key(ns, json::string_or(reference, "name"));
}

GarbageCollector::OwnerState GarbageCollector::owner_state(const json::Value& reference,
                                                           const registry::Kind& dependent, std::string_view ns,
                                                           std::string_view lost) const {
  const auto uid = json::string_or(reference, "uid");
  if (!lost.empty() && uid == lost) return OwnerState::kGone;  // whatever became of its kind
  // A class made by a chart names its future owner only as a controller; adoption completes the reference.
  if (uid.empty()) return OwnerState::kSolid;
  const auto version = meta::GroupVersion::parse(json::string_or(reference, "apiVersion"));
  if (!version.ok()) return OwnerState::kUnknown;
  const auto kind = kinds_.current()->find_kind(version->group, json::string_or(reference, "kind"));
  if (kind == nullptr) return OwnerState::kUnknown;
  if (kind->namespaced && !dependent.namespaced) return OwnerState::kGone;
  const auto owner = cache_.get(*kind, ns, json::string_or(reference, "name"));
  if (owner == nullptr || owner->uid() != uid) return OwnerState::kGone;
  if (owner->deleting() && owner->in_foreground()) return OwnerState::kWaiting;
  return OwnerState::kSolid;
}

Result<void> GarbageCollector::check_dependent(const std::string& key, const std::string& lost) {
  const auto document = cache_.get_key(key);
  const auto kind = kind_of(registry::split_key(key).prefix);
  if (document == nullptr || kind == nullptr || document->deleting()) return {};
  size_t gone = 0;
  size_t waiting = 0;
  size_t staying = 0;
  for (const auto& reference : owners_of(*document)) {
    switch (owner_state(reference, *kind, document->ns(), lost)) {
      case OwnerState::kGone:
        ++gone;
        break;
      case OwnerState::kWaiting:
        ++waiting;
        break;
      case OwnerState::kUnknown:
        remember_unknown(key);
        ++staying;
        break;
      case OwnerState::kSolid:
        ++staying;
        break;
    }
  }
  if (gone + waiting == 0) return {};
  if (staying > 0) {
    const std::string ns(document->ns());
    CH_TRY(writer_.update(kind, ns, document->name(),
                          [this, kind, ns, lost](const registry::Document& current) -> Result<json::Value> {
                            json::Value changed = current.parse();
                            filter_owners(changed, [&](const json::Value& reference) {
                              const auto state = owner_state(reference, *kind, ns, lost);
                              return state == OwnerState::kSolid || state == OwnerState::kUnknown;
                            });
                            return changed;
                          }));
    return {};
  }
  registry::DeleteOptions options;
  options.uid = document->uid();
  options.resource_version = std::to_string(document->revision());
  // Under an owner that waits, what depends on this one goes first as well.
  options.propagation = waiting > 0 && !cache_.dependents(document->uid()).empty()
                            ? registry::DeleteOptions::Propagation::kForeground
                            : registry::DeleteOptions::Propagation::kBackground;
  CH_TRY(writer_.remove(kind, document->ns(), document->name(), std::move(options)));
  log::info("collected an object whose owner is gone", {{"key", key}});
  return {};
}

void GarbageCollector::remember_unknown(const std::string& key) {
  unknown_.insert(key);
  if (unknown_.size() < unknown_limit_) return;
  std::erase_if(unknown_, [this](const std::string& known) { return cache_.get_key(known) == nullptr; });
  unknown_limit_ = std::max(kFewUnknown, 2 * unknown_.size());
}

Result<void> GarbageCollector::finish_owner(const std::string& key) {
  const auto document = cache_.get_key(key);
  const auto kind = kind_of(registry::split_key(key).prefix);
  if (document == nullptr || kind == nullptr || !document->deleting()) return {};
  const bool orphan = has_finalizer(document->parse(), kOrphan);
  if (!orphan && !document->in_foreground()) return {};

  const std::string uid(document->uid());
  bool is_blocked = false;
  for (const auto& dependent_key : cache_.dependents(uid)) {
    const auto dependent = cache_.get_key(dependent_key);
    const auto dependent_kind = kind_of(registry::split_key(dependent_key).prefix);
    if (dependent == nullptr || dependent_kind == nullptr) continue;
    if (orphan) {
      CH_TRY(writer_.update(dependent_kind, dependent->ns(), dependent->name(),
                            [&uid](const registry::Document& current) -> Result<json::Value> {
                              json::Value changed = current.parse();
                              filter_owners(changed, [&](const json::Value& reference) {
                                return json::string_or(reference, "uid") != uid;
                              });
                              return changed;
                            }));
    } else if (blocks_owner(*dependent, uid)) {
      is_blocked = true;
      if (!dependent->deleting()) duty_.add(kDependent + dependent_key);
    }
  }
  if (is_blocked) return {};  // their deletion brings us back
  CH_TRY(writer_.update(kind, document->ns(), document->name(),
                        [orphan](const registry::Document& current) -> Result<json::Value> {
                          json::Value changed = current.parse();
                          drop_finalizer(changed, orphan ? kOrphan : registry::kForegroundFinalizer);
                          return changed;
                        }));
  return {};
}

std::optional<std::chrono::milliseconds> GarbageCollector::work(const std::string& item) {
  const std::string rest = item.substr(1);
  Result<void> done;
  switch (item[0]) {
    case kAbsent:
      for (const auto& key : cache_.dependents(rest)) duty_.add(fmt::format("{}{} {}", kLost, rest, key));
      break;
    case kKinds:
      for (const auto& key : std::exchange(unknown_, {})) duty_.add(kDependent + key);
      break;
    case kOwner:
      done = finish_owner(rest);
      break;
    case kLost:
      done = check_dependent(rest.substr(rest.find(' ') + 1), rest.substr(0, rest.find(' ')));
      break;
    default:
      done = check_dependent(rest);
  }
  if (!done.ok() && done.error().reason == Reason::kConflict) {
    // Somebody else changed it: look again, soon at first.
    int& before = conflicts_[item];
    if (before < kQuickTries) return kAfterConflict * (1 << before++);
  } else {
    conflicts_.erase(item);
  }
  if (done.ok() || done.error().reason == Reason::kNotFound) return std::nullopt;
  log::warn("garbage collection will be tried again", {{"key", rest}, {"error", done.error().message}});
  return kRetry;
}

}  // namespace chandler::apiserver
