// For tests of access: a whole server with objects whose bytes can be told apart, and a way to see which of them a
// request touched, in its answer or in the store. After each request everything is as it was before.
#pragma once

#include <compare>
#include <map>
#include <optional>
#include <set>
#include <string>
#include <string_view>
#include <unordered_map>
#include <utility>

#include "apiserver/whole_server_fixture.h"
#include "base/ids.h"
#include "http/wire.h"
#include "json/writer.h"

namespace chandler::apiserver::testing {

// An object by its name; plurals are unique in the lab.
struct Thing {
  std::string plural;
  std::string ns;  // empty at the cluster scope
  std::string name;

  auto operator<=>(const Thing&) const = default;
  std::string str() const { return plural + " " + (ns.empty() ? name : ns + "/" + name); }  // "secrets a/mine"
};
using Things = std::set<Thing>;

// What came of a request.
struct Touched {
  int status = 0;
  std::string body;
  Things shown;    // of which bytes were sent, also as events of a watch
  Things written;  // that changed or went
  Things made;     // that were not there before

  Things all() const {
    Things out = shown;
    out.insert(written.begin(), written.end());
    out.insert(made.begin(), made.end());
    return out;
  }
};

class AccessLab {
 public:
  // The same names in two namespaces and at the cluster scope, so that any confusion of the three shows.
  AccessLab() {
    for (const auto* name : {"a", "b", "mine"}) add("", {"namespaces", "", name}, "{}");
    for (const auto* ns : {"a", "b"}) {
      for (const auto* name : {"mine", "other"}) {
        add("", {"secrets", ns, name}, "{}");
        add("coordination.k8s.io", {"leases", ns, name}, "{spec: {holderIdentity: x}}");
        add("apps", {"deployments", ns, name},
            "{spec: {replicas: 1, selector: {matchLabels: {a: b}}, template: {metadata: {labels: {a: b}}, "
            "spec: {containers: [{name: c, image: i}]}}}}");
      }
    }
    for (const auto* name : {"mine", "other"}) {
      add("storage.k8s.io", {"storageclasses", "", name}, "{provisioner: example.com/p}");
    }
  }

  // Rights, as a stream of YAML documents. Nothing that a request stores changes them.
  void grant(std::string_view documents) {
    const auto parsed = json::parse_yaml_stream(documents);
    CH_CHECK(parsed.ok());
    for (const auto& document : *parsed) server_.world.policy().apply(document);
  }

  // `method` may be any text, as on the wire.
  Touched ask(std::string_view method, std::string_view target, std::string_view body, const std::string& user,
              const std::string& group = "", const http::Headers& headers = {}) {
    auto request = WholeServer::request(http::method_named(method), target, body, user, group, headers);
    request->method_text = method;
    auto response = server_.exchange(std::move(request));
    Touched out;
    out.status = response.status;
    out.body = response.body + std::string(response.tail);
    look_for_writes(out);
    if (response.source != nullptr) read_stream(*response.source, out.body);
    look_for_bytes(out, target);
    restore(out);
    return out;
  }

  Things things() const {
    Things out;
    for (const auto& [thing, document] : states_) out.insert(thing);
    return out;
  }
  const registry::KindPtr& kind(const std::string& plural) const { return kinds_.at(plural); }

 private:
  void add(std::string_view group, const Thing& thing, std::string_view rest) {
    const auto kind = server_.world.kind(thing.plural, group);
    const auto canary = new_uuid();
    auto object = std::move(json::parse_yaml(rest)).value();
    object.as_object()["metadata"] =
        json::Object{{"name", thing.name}, {"annotations", json::Object{{"canary", canary}}}};
    const auto uid = server_.world.create(kind, thing.ns, json::write(object));
    kinds_[thing.plural] = kind;
    states_[thing] = now(thing);
    for (const auto& mark : {uid, canary}) marks_[mark] = thing;
  }

  registry::DocumentPtr now(const Thing& thing) const {
    return server_.world.get(kinds_.at(thing.plural), thing.ns, thing.name);
  }

  void look_for_writes(Touched& out) const {
    for (const auto& [thing, document] : states_) {
      if (now(thing) != document) out.written.insert(thing);
    }
    for (const auto& [plural, kind] : kinds_) {
      const auto page = server_.world.cache.list(*kind, {});
      for (const auto& item : page->items) {
        Thing thing{plural, std::string(item->ns()), std::string(item->name())};
        if (!states_.contains(thing)) out.made.insert(std::move(thing));
      }
    }
  }

  // A fuzzer that watches comparisons learns a UUID when it is found here, and sends it in later requests. A message
  // that quotes the request shows nothing, so what was in the target does not count.
  void look_for_bytes(Touched& out, std::string_view target) const {
    constexpr size_t kUuid = 36;
    const std::string_view body = out.body;
    for (size_t dash = body.find('-'); dash != body.npos; dash = body.find('-', dash + 1)) {
      if (dash < 8 || dash - 8 + kUuid > body.size()) continue;
      const auto mark = body.substr(dash - 8, kUuid);
      const auto found = marks_.find(std::string(mark));
      if (found != marks_.end() && target.find(mark) == target.npos) out.shown.insert(found->second);
    }
  }

  // All that a list sends, or what a watch sends now and after every object has changed.
  void read_stream(http::BodySource& source, std::string& text) {
    constexpr size_t kPiece = 1 << 20;
    using Filled = http::BodySource::State;
    const auto drain = [&] {
      auto filled = Filled::kMore;
      while (filled == Filled::kMore) filled = source.fill(text, kPiece);
      return filled;
    };
    if (drain() == Filled::kEnd) return;
    for (const auto& [thing, document] : states_) {
      auto changed = document->parse();
      auto& metadata = changed.at("metadata").as_object();
      metadata.erase("resourceVersion");
      metadata["labels"] = json::Object{{"changed", "yes"}};
      put(thing, json::write(changed));
    }
    drain();
  }

  void put(const Thing& thing, std::optional<std::string> bytes) {
    const auto done = server_.world.store.commit_and_wait(
        {kinds_.at(thing.plural)->key(thing.ns, thing.name), std::move(bytes), storage::Write::kAny});
    CH_CHECK(done.ok());
  }

  void restore(const Touched& out) {
    for (auto& [thing, document] : states_) {
      if (now(thing) == document) continue;
      put(thing, document->stored());
      document = now(thing);
    }
    for (const auto& thing : out.made) put(thing, std::nullopt);
  }

  WholeServer server_;
  std::map<std::string, registry::KindPtr> kinds_;
  std::map<Thing, registry::DocumentPtr> states_;  // before each request
  std::unordered_map<std::string, Thing> marks_;   // UUIDs; every form of an object has one of its own
};

}  // namespace chandler::apiserver::testing
