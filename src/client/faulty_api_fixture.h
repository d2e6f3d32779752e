// For the tests of this folder: a small API server over HTTP with the kinds of registry_fixture.h, which pages lists,
// watches, and fails on demand. It answers as the real one does, as far as clients look.
#pragma once

#include <atomic>
#include <functional>
#include <map>
#include <memory>
#include <optional>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include <gtest/gtest.h>

#include "base/mutex.h"
#include "base/text.h"
#include "client/connection.h"
#include "http/server.h"
#include "json/patch.h"
#include "json/reader.h"
#include "json/writer.h"
#include "registry/registry_fixture.h"
#include "support/eventually.h"

namespace chandler::client::testing {

class FaultyApi {
 public:
  FaultyApi() {
    auto listening = http::Server::listen(
        {},
        [this](std::shared_ptr<http::Request> request, std::unique_ptr<http::Responder> responder) {
          auto response = answer(*request);
          MutexLock lock(mutex_);
          if (!warning_.empty()) response.headers.add("Warning", warning_);
          responder->send(std::move(response));
        },
        metrics_);
    EXPECT_TRUE(listening.ok());
    server_ = std::move(listening).value();
    server_->start();
  }
  ~FaultyApi() {
    server_->stop(std::chrono::milliseconds(0));
    over_.store.stop();
  }

  std::string url() const { return "http://127.0.0.1:" + std::to_string(server_->port()); }
  Connection connection(std::string token = "secret") const {
    CredentialSource source;
    source.token = std::move(token);
    Connection out;
    out.server = url();
    out.ns = "default";
    out.credentials = std::make_shared<Credentials>(std::move(source), http::ClientTls(), system_clock());
    return out;
  }

  registry::Revision put(std::string_view ns, std::string_view name, std::string_view more = "") {
    return over_.put(ns, name, more);
  }
  registry::Revision erase(std::string_view ns, std::string_view name) { return over_.erase(ns, name); }
  registry::DocumentPtr get(std::string_view ns, std::string_view name) {
    return over_.cache.get(*registry::testing::widgets(), ns, name);
  }

  // The next `times` requests whose "METHOD target" holds `part` get this answer instead.
  struct Fault {
    std::string part;
    int times = 1;
    int status = 503;
    std::string body;
    std::string retry_after;
  };
  void fail(Fault fault) {
    MutexLock lock(mutex_);
    faults_.push_back(std::move(fault));
  }
  // Every answer from now on carries this field.
  void warn(std::string value) {
    MutexLock lock(mutex_);
    warning_ = std::move(value);
  }
  // Ends all watches, as a server does after their time.
  void hang_up() {
    each_watch([](Watch& watch) { watch.ended = true; });
  }
  // Watches can no longer start or go on from before now.
  void forget() {
    over_.cache.on_compacted(over_.cache.revision());
    each_watch([](Watch& watch) { watch.expired = true; });
  }
  // While held, watches say nothing.
  void hold(bool held) {
    held_ = held;
    each_watch([](Watch&) {});
  }
  void allow(bool allowed) { allowed_ = allowed; }
  size_t watches() {
    MutexLock lock(mutex_);
    std::erase_if(watches_, [](const auto& weak) { return weak.expired(); });
    return watches_.size();
  }
  // How many requests there were whose "METHOD target" holds `part`.
  size_t count(std::string_view part) {
    MutexLock lock(mutex_);
    size_t out = 0;
    for (const auto& request : requests_) out += request.find(part) != std::string::npos ? 1 : 0;
    return out;
  }
  std::string last(std::string_view part) {
    MutexLock lock(mutex_);
    for (auto it = requests_.rbegin(); it != requests_.rend(); ++it) {
      if (it->find(part) != std::string::npos) return *it;
    }
    return "";
  }

 private:
  struct Watch final : registry::Watcher {
    void notify() override {
      std::shared_ptr<http::Waker> to;
      {
        MutexLock lock(mutex);
        to = waker;
      }
      if (to != nullptr) to->wake();
    }
    Mutex mutex;
    std::shared_ptr<http::Waker> waker CH_GUARDED_BY(mutex);
    std::atomic<bool> ended{false};
    std::atomic<bool> expired{false};
    registry::KindPtr kind;
    registry::Query query;
    registry::Revision after = 0;
  };

  struct WatchSource final : http::BodySource {
    WatchSource(FaultyApi& api_in, std::shared_ptr<Watch> watch_in) : api(api_in), watch(std::move(watch_in)) {}
    State fill(std::string& out, size_t) override {
      if (watch->ended) return State::kEnd;
      if (api.held_) return State::kWaiting;
      std::vector<registry::WatchEvent> events;
      const auto told = api.over_.cache.changes(*watch->kind, watch->query, watch->after, 100, events);
      if (!told.ok() || watch->expired) {
        out += R"({"type":"ERROR","object":)" + json::write(status(expired("too old resource version"))) + "}\n";
        return State::kEnd;
      }
      for (const auto& event : events) {
        const auto* type = event.type == registry::EventType::kAdded      ? "ADDED"
                           : event.type == registry::EventType::kModified ? "MODIFIED"
                                                                          : "DELETED";
        out += std::string(R"({"type":")") + type + R"(","object":)" + std::string(event.document->bytes()) + "}\n";
      }
      watch->after = *told;
      return State::kWaiting;
    }
    void shut_down() override { watch->ended = true; }
    FaultyApi& api;
    const std::shared_ptr<Watch> watch;
  };

  template <typename Change>
  void each_watch(Change change) {
    std::vector<std::shared_ptr<Watch>> all;
    {
      MutexLock lock(mutex_);
      for (const auto& weak : watches_) {
        if (auto watch = weak.lock()) all.push_back(std::move(watch));
      }
    }
    for (const auto& watch : all) {
      change(*watch);
      watch->notify();
    }
  }

  static json::Value status(const Error& error) {
    json::Array causes;
    for (const auto& cause : error.causes) {
      causes.push_back(json::Object{{"reason", cause.reason}, {"message", cause.message}, {"field", cause.field}});
    }
    return json::Object{{"kind", "Status"},
                        {"apiVersion", "v1"},
                        {"status", "Failure"},
                        {"message", error.message},
                        {"reason", reason_name(error.reason)},
                        {"details", json::Object{{"name", error.about.name},
                                                 {"group", error.about.group},
                                                 {"kind", error.about.kind},
                                                 {"causes", std::move(causes)}}},
                        {"code", error.http()}};
  }
  static http::Response respond(int code, std::string body) {
    http::Response out;
    out.status = code;
    out.headers.set("Content-Type", "application/json");
    out.body = std::move(body);
    return out;
  }
  static http::Response refuse(const Error& error) { return respond(error.http(), json::write(status(error))); }

  struct Target {
    registry::KindPtr kind;
    std::string ns, name, subresource;
    std::map<std::string, std::string> query;
  };

  static std::optional<Target> parse(std::string_view target) {
    Target out;
    const size_t question = target.find('?');
    auto parts = split(target.substr(1, question == std::string_view::npos ? question : question - 1), '/');
    const bool core = parts.front() == "api";
    const size_t skip = core ? 2 : 3;
    if (parts.size() <= skip) return std::nullopt;
    parts.erase(parts.begin(), parts.begin() + static_cast<std::ptrdiff_t>(skip));
    if (parts.size() > 2 && parts[0] == "namespaces") {
      out.ns = parts[1];
      parts.erase(parts.begin(), parts.begin() + 2);
    }
    for (const auto& kind : {registry::testing::widgets(), registry::testing::notes()}) {
      if (kind->plural == parts[0] && kind->group.empty() == core) out.kind = kind;
    }
    if (out.kind == nullptr) return std::nullopt;
    if (parts.size() > 1) out.name = *percent_decode(parts[1], false);
    if (parts.size() > 2) out.subresource = parts[2];
    if (question != std::string_view::npos) {
      for (const auto pair : split(target.substr(question + 1), '&')) {
        const size_t equals = pair.find('=');
        out.query[std::string(pair.substr(0, equals))] = *percent_decode(pair.substr(equals + 1), true);
      }
    }
    return out;
  }

  http::Response answer(const http::Request& request) {
    const std::string line = request.method_text + " " + request.target;
    {
      MutexLock lock(mutex_);
      requests_.push_back(line + " " + request.body);
      for (auto it = faults_.begin(); it != faults_.end(); ++it) {
        if (line.find(it->part) == std::string::npos) continue;
        auto out = respond(it->status, it->body);
        if (!it->retry_after.empty()) out.headers.set("Retry-After", it->retry_after);
        if (--it->times == 0) faults_.erase(it);
        return out;
      }
    }
    if (request.headers.get("Authorization") != "Bearer secret") return refuse(unauthorized());
    if (request.target == "/version") return respond(200, R"({"gitVersion":"v1.32.0"})");
    if (request.target.ends_with("subjectaccessreviews")) {
      return respond(201, json::write(json::Object{{"status", json::Object{{"allowed", allowed_.load()}}}}));
    }
    const auto target = parse(request.target);
    if (!target) return respond(404, "404 page not found\n");
    if (request.method == http::Method::kGet && target->name.empty()) {
      return target->query.contains("watch") ? watch(*target) : list(*target);
    }
    if (request.method == http::Method::kGet) {
      const auto found = over_.cache.get(*target->kind, target->ns, target->name);
      return found == nullptr ? refuse(not_found(target->kind->ref(target->name)))
                              : respond(200, std::string(found->bytes()));
    }
    return write(request, *target);
  }

  http::Response list(const Target& target) {
    const auto query = registry::testing::query(*target.kind, target.ns, value(target, "labelSelector"),
                                                value(target, "fieldSelector"));
    const auto limit = static_cast<size_t>(parse_uint64(value(target, "limit")).value_or(0));
    // "REVISION NAMESPACE/NAME" is where the next page starts.
    const auto token = value(target, "continue");
    registry::Revision at = 0;
    registry::ObjectKey start;
    if (!token.empty()) {
      const std::string_view text = token;
      at = *parse_int64(text.substr(0, text.find(' ')));
      const auto key = text.substr(text.find(' ') + 1);
      start = {key.substr(0, key.find('/')), key.substr(key.find('/') + 1)};
    }
    const auto page = over_.cache.list(*target.kind, query, limit == 0 ? 0 : limit + 1, start, at);
    if (!page.ok()) return refuse(page.error());
    std::string items;
    std::string next;
    for (size_t i = 0; i < page->items.size(); ++i) {
      const auto& document = *page->items[i];
      if (limit != 0 && i == limit) {
        next = std::to_string(page->revision) + " " + std::string(document.ns()) + "/" + std::string(document.name());
        break;
      }
      if (i != 0) items += ",";
      document.append_untyped(items);  // as built-in kinds are listed
    }
    return respond(200, R"({"kind":"List","metadata":{"resourceVersion":")" + std::to_string(page->revision) +
                            R"(","continue":)" + chandler::quoted(next) + R"(},"items":[)" + items + "]}");
  }

  static std::string value(const Target& target, const std::string& name) {
    const auto it = target.query.find(name);
    return it == target.query.end() ? "" : it->second;
  }

  http::Response watch(const Target& target) {
    const auto made = std::make_shared<Watch>();
    made->kind = target.kind;
    made->query = registry::testing::query(*target.kind, target.ns, value(target, "labelSelector"),
                                           value(target, "fieldSelector"));
    made->after = parse_int64(value(target, "resourceVersion")).value_or(0);
    over_.cache.subscribe(*target.kind, made);
    {
      MutexLock lock(mutex_);
      watches_.push_back(made);
    }
    http::Response out;
    out.headers.set("Content-Type", "application/json");
    out.source = std::make_unique<WatchSource>(*this, made);
    out.on_start = [made](std::shared_ptr<http::Waker> waker) {
      MutexLock lock(made->mutex);
      made->waker = std::move(waker);
    };
    return out;
  }

  http::Response write(const http::Request& request, const Target& target) {
    auto made = std::make_shared<registry::WriteRequest>();
    made->kind = target.kind;
    made->version = &target.kind->storage_version();
    made->ns = target.ns;
    made->name = target.name;
    made->subresource = target.subresource;
    made->dry_run = value(target, "dryRun") == "All";
    auto body = json::parse(request.body.empty() ? "{}" : std::string_view(request.body));
    if (!body.ok()) return refuse(body.error());
    if (request.method == http::Method::kPost) return written(201, objects_.create_and_wait(made, std::move(*body)));
    if (request.method == http::Method::kDelete) {
      registry::DeleteOptions options;
      if (const auto* preconditions = json::find(*body, "preconditions")) {
        options.uid = json::string_or(*preconditions, "uid");
        options.resource_version = json::string_or(*preconditions, "resourceVersion");
      }
      auto done = objects_.remove_and_wait(made, std::move(options));
      if (!done.ok() || !done->removed) return written(200, std::move(done));
      return respond(200,
                     json::write(json::Object{
                         {"kind", "Status"}, {"status", "Success"}, {"details", json::Object{{"uid", done->uid}}}}));
    }
    const bool patches = request.method == http::Method::kPatch;
    if (patches && request.headers.get("Content-Type") != "application/merge-patch+json") {
      return refuse(unsupported_media_type(request.headers.get("Content-Type"), "application/merge-patch+json"));
    }
    return written(200, objects_.update_and_wait(made, [&](const registry::Document& current) -> Result<json::Value> {
      if (!patches) return *body;
      auto object = current.parse();
      json::merge_patch(object, *body);
      return object;
    }));
  }
  static http::Response written(int code, const Result<registry::WriteResult>& result) {
    return result.ok() ? respond(code, std::string(result->json())) : refuse(result.error());
  }

  metrics::Registry metrics_;
  ::chandler::testing::FakeClock clock_;
  registry::testing::CacheOverMemory over_;
  registry::testing::FakeAdmission admission_;
  registry::Objects objects_{over_.store, over_.cache, nullptr, admission_, clock_};
  std::atomic<bool> held_{false};
  std::atomic<bool> allowed_{true};
  Mutex mutex_;
  std::vector<Fault> faults_ CH_GUARDED_BY(mutex_);
  std::string warning_ CH_GUARDED_BY(mutex_);
  std::vector<std::string> requests_ CH_GUARDED_BY(mutex_);
  std::vector<std::weak_ptr<Watch>> watches_ CH_GUARDED_BY(mutex_);
  std::unique_ptr<http::Server> server_;
};

}  // namespace chandler::client::testing
