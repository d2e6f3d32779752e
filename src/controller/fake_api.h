// An API in memory for tests of the engine and of reconcilers: objects with uid, resourceVersion, finalizers and
// conflicts; writes fail or wait on demand. Not thread-safe: everything happens inside the calls.
#pragma once

#include <deque>
#include <functional>
#include <map>
#include <set>
#include <string>
#include <string_view>
#include <tuple>
#include <utility>
#include <vector>

#include <fmt/format.h>

#include "base/check.h"
#include "base/text.h"
#include "client/api.h"
#include "client/served_kinds.h"
#include "json/writer.h"
#include "json/yaml.h"

namespace chandler::controller {

class FakeApi final : public client::Api, public client::State, public client::Writer, public client::Access {
 public:
  using Fail = std::function<std::optional<Error>(const client::Write&)>;

  client::State& state() override { return *this; }
  client::Writer& writer() override { return *this; }
  client::Access& access() override { return *this; }

  // As some user would: creates or replaces. The place is in the document's metadata.
  client::Object put(const client::KindName& kind, std::string_view yaml) {
    auto parsed = json::parse_yaml(yaml);
    CH_CHECK(parsed.ok());
    const auto& metadata = parsed->at("metadata");
    return store(kind, json::string_or(metadata, "namespace"), json::string_or(metadata, "name"),
                 std::move(parsed).value());
  }
  void remove(const client::KindName& kind, std::string_view ns, std::string_view name) {
    const auto found = objects_.find(Place{kind, ns, name});
    CH_CHECK(found != objects_.end());
    const auto before = found->second;
    objects_.erase(found);
    tell({kind, before, {}});
  }

  client::Object get(const client::KindName& kind, std::string_view ns, std::string_view name) const override {
    const auto found = objects_.find(Place{kind, ns, name});
    return found == objects_.end() ? client::Object() : found->second;
  }
  std::vector<client::Object> list(const client::KindName& kind, const client::Selection& selection) const override {
    std::vector<client::Object> out;
    for (const auto& [place, object] : objects_) {
      if (std::get<0>(place) != kind || (!selection.ns.empty() && object.ns() != selection.ns)) continue;
      bool fits = true;
      for (const auto& [name, value] : selection.fields) fits = fits && field(kind, object, name) == value;
      if (fits) out.push_back(object);
    }
    return out;
  }
  // Also fields that a kind reads with `fold` (api/README.md), which are named like that.
  std::string_view field(const client::KindName& kind, const client::Object& object,
                         std::string_view path) const override {
    if (path.ends_with(kFolded)) {
      return *folded_.insert(to_lower(field(kind, object, path.substr(0, path.size() - kFolded.size())))).first;
    }
    if (path.starts_with(client::kLabelField)) {
      return object.document().label(path.substr(client::kLabelField.size())).value_or(std::string_view());
    }
    const json::Value* at = &object.value();
    while (at != nullptr) {
      const size_t dot = path.find('.');
      at = json::find(*at, path.substr(0, dot));
      if (dot == std::string_view::npos) break;
      path.remove_prefix(dot + 1);
    }
    if (at != nullptr && at->is_bool()) return at->get_bool() ? "true" : "false";
    return at != nullptr && at->is_string() ? json::view(at->as_string()) : std::string_view();
  }
  std::optional<client::ServedKind> find_kind(std::string_view group, std::string_view version,
                                              std::string_view word) const override {
    return client::find_served(served, group, version, word);
  }
  bool has_listed(const client::KindName& kind) const override { return !unlisted.contains(kind); }
  void listen(std::vector<client::KindName> kinds, Listener listener) override {
    listeners_.emplace_back(std::move(kinds), std::move(listener));
  }

  void write(client::Write write, Done done) override {
    log.push_back(describe(write));
    if (write.more_follows) ++in_burst_;
    held.emplace_back(std::move(write), std::move(done));
    if (!hold_writes) release();
  }
  bool writes_both() const override { return both_at_once; }
  void end_burst() override { bursts.push_back(std::exchange(in_burst_, 0)); }
  // Carries out writes that were held, the oldest first.
  void release(size_t count = SIZE_MAX) {
    for (; count > 0 && !held.empty(); --count) {
      auto [write, done] = std::move(held.front());
      held.pop_front();
      if (auto error = fail_before ? fail_before(write) : std::nullopt) {
        done(std::move(*error));
        continue;
      }
      auto result = apply(write);
      if (auto error = fail_after ? fail_after(write) : std::nullopt) result = std::move(*error);
      done(std::move(result));
    }
  }

  Decision may(const auth::Attributes&) override { return decision; }
  void on_changed(std::function<void()> changed) override { access_changed = std::move(changed); }

  std::vector<registry::KindPtr> served;  // what find_kind() finds
  std::set<client::KindName> unlisted;    // still being fetched
  bool hold_writes = false;
  bool both_at_once = false;  // takes kUpdateBoth, and creates with a status
  std::deque<std::pair<client::Write, Done>> held;
  Fail fail_before;              // nothing was written
  Fail fail_after;               // it was written, but the writer is told otherwise
  std::vector<std::string> log;  // "update things dev/a"
  std::vector<size_t> bursts;    // how many writes each had
  Decision decision = Decision::kAllowed;
  std::function<void()> access_changed;

 private:
  using Place = std::tuple<client::KindName, std::string, std::string>;

  static std::string describe(const client::Write& write) {
    constexpr std::string_view kVerbs[] = {"create", "update", "status", "delete", "both"};
    return fmt::format("{} {} {}{}{}", kVerbs[static_cast<size_t>(write.verb)], write.kind.plural, write.ns,
                       write.ns.empty() ? "" : "/", write.name);
  }

  void tell(const client::Change& change) {
    for (const auto& [kinds, listener] : listeners_) {
      if (std::find(kinds.begin(), kinds.end(), change.kind) != kinds.end()) listener(change);
    }
  }

  client::Object store(const client::KindName& kind, const std::string& ns, const std::string& name,
                       json::Value value) {
    auto& object = objects_[Place{kind, ns, name}];
    const auto before = object;
    auto& metadata = value.as_object()["metadata"].as_object();
    metadata.erase("resourceVersion");
    metadata["name"] = name;
    if (!ns.empty()) metadata["namespace"] = ns;
    if (before) {
      metadata["uid"] = std::string(before.uid());
    } else if (!metadata.contains("uid")) {
      metadata["uid"] = fmt::format("uid-{}", ++last_uid_);
    }
    auto document = registry::Document::from_stored(json::write(value), ++revision_, {});
    CH_CHECK(document.ok());
    const client::Object now(std::move(document).value());
    object = now;
    tell({kind, before, now});
    return now;
  }

  static bool has_finalizers(const json::Value& value) {
    const auto* finalizers = json::array_at(value.at("metadata"), "finalizers");
    return finalizers != nullptr && !finalizers->empty();
  }

  Result<client::Object> apply(const client::Write& write) {
    using Verb = client::Write::Verb;
    const ObjectRef about{std::string(write.kind.group), std::string(write.kind.plural), write.name, ""};
    const auto current = get(write.kind, write.ns, write.name);
    if (write.verb == Verb::kCreate) {
      if (current) return already_exists(about);
      auto value = write.object;
      if (!write.with_status || !both_at_once) value.as_object().erase("status");
      return store(write.kind, write.ns, write.name, std::move(value));
    }
    if (write.verb == Verb::kDelete) {
      if (!current) return client::Object();
      if (!write.uid.empty() && write.uid != current.uid()) return conflict(about, "it is another object");
      if (!has_finalizers(current.value())) {
        remove(write.kind, write.ns, write.name);
        return current;
      }
      auto value = current.value();
      value.at("metadata").as_object()["deletionTimestamp"] = "2026-01-01T00:00:00Z";
      return store(write.kind, write.ns, write.name, std::move(value));
    }
    if (!current) return not_found(about);
    const auto wanted = json::string_or(write.object.at("metadata"), "resourceVersion");
    if (!wanted.empty() && wanted != current.resource_version()) return modified(about);
    auto value = write.verb == Verb::kUpdateStatus ? current.value() : write.object;
    const auto& status_from = write.verb == Verb::kUpdate ? current.value() : write.object;
    value.as_object().erase("status");
    if (const auto* status = json::find(status_from, "status")) value.as_object()["status"] = *status;
    if (current.deleting() && !has_finalizers(value)) {
      remove(write.kind, write.ns, write.name);
      return current;
    }
    return store(write.kind, write.ns, write.name, std::move(value));
  }

  static constexpr std::string_view kFolded = ".folded";

  std::map<Place, client::Object> objects_;
  mutable std::set<std::string> folded_;  // what field() has returned views of
  std::vector<std::pair<std::vector<client::KindName>, Listener>> listeners_;
  registry::Revision revision_ = 0;
  int last_uid_ = 0;
  size_t in_burst_ = 0;
};

}  // namespace chandler::controller
