// For the tests of this folder: a server in memory behind the seam of the HTTP client, and a shell to type commands at.
// It stores, lists (in pages), selects by fields, changes and deletes as a real one does, as far as svcat looks.
#pragma once

#include <functional>
#include <map>
#include <optional>
#include <sstream>
#include <string>
#include <string_view>
#include <vector>

#include <fmt/format.h>
#include <gtest/gtest.h>

#include "base/text.h"
#include "json/patch.h"
#include "json/reader.h"
#include "json/writer.h"
#include "json/yaml.h"
#include "support/fake_clock.h"
#include "svcat/catalog/catalog.h"
#include "svcat/catalog/fields.h"
#include "svcat/environment.h"

namespace chandler::svcat::testing {

class FakeServer final : public http::Client {
 public:
  Ticket send(http::ClientRequest request, Done done) override {
    const std::string start = "http://fake";
    EXPECT_TRUE(request.url.starts_with(start)) << request.url;
    auto response = answer(request.method, request.url.substr(start.size()), request.body);
    if (unreachable) {
      done(http::ClientFailure{http::ClientFailure::Kind::kConnect, "connection refused", false});
      return 1;
    }
    if (request.on_piece && response.status == 200) {
      request.on_piece(response.body);
      response.body.clear();
    }
    done(std::move(response));
    return 1;
  }
  void cancel(Ticket) override {}
  void stop() override {}

  // Documents separated by ---; their path follows from kind and namespace.
  void put(std::string_view yaml) {
    auto documents = json::parse_yaml_stream(yaml);
    ASSERT_TRUE(documents.ok()) << documents.error().message;
    for (auto& document : *documents) {
      const auto path = collection_of(document) + "/" + name_of(document);
      store(path, std::move(document));
    }
  }
  json::Value* object(const std::string& path) {
    const auto it = objects_.find(path);
    return it == objects_.end() ? nullptr : &it->second;
  }
  std::vector<std::string> take_requests() { return std::exchange(requests_, {}); }

  std::map<std::string, http::ClientResponse> faults;  // by "METHOD path-with-query" beginning
  std::function<void(const std::string& method, const std::string& path)> after;  // runs after each request
  std::vector<std::string> watch_lines;                                           // told by the next watch
  std::map<std::string, std::string, std::less<>> texts;                          // answers to GET by path
  std::function<bool(std::string user, std::string verb, std::string resource)>
      denies;                                       // access reviews; none: nothing
  std::function<void(json::Value& object)> prunes;  // what a dry run would store
  size_t page_size = 500;
  bool selects_fields = true;
  bool unreachable = false;

  static http::ClientResponse status(int code, std::string_view reason, std::string_view message,
                                     std::string_view name = "") {
    json::Object details;
    if (!name.empty()) details["name"] = name;
    return {code,
            {},
            json::write(json::Value(json::Object{{"kind", "Status"},
                                                 {"apiVersion", "v1"},
                                                 {"status", "Failure"},
                                                 {"message", message},
                                                 {"reason", reason},
                                                 {"details", std::move(details)},
                                                 {"code", code}}))};
  }

 private:
  struct Home {
    std::string root;
    std::string plural;
  };
  // Where objects of a kind are.
  static const std::map<std::string, Home, std::less<>>& homes() {
    static const std::string catalog = "/apis/servicecatalog.k8s.io/v1beta1";
    static const std::string usage = "/apis/servicecatalog.kyma-project.io/v1alpha1";
    static const std::string claims = "/apis/storage.crossplane.io/v1alpha1";
    static const std::map<std::string, Home, std::less<>> all = {
        {"ClusterServiceBroker", {catalog, "clusterservicebrokers"}},
        {"ClusterServiceClass", {catalog, "clusterserviceclasses"}},
        {"ClusterServicePlan", {catalog, "clusterserviceplans"}},
        {"ServiceBroker", {catalog, "servicebrokers"}},
        {"ServiceClass", {catalog, "serviceclasses"}},
        {"ServicePlan", {catalog, "serviceplans"}},
        {"ServiceInstance", {catalog, "serviceinstances"}},
        {"ServiceBinding", {catalog, "servicebindings"}},
        {"ServiceBindingUsage", {usage, "servicebindingusages"}},
        {"UsageKind", {usage, "usagekinds"}},
        {"ResourceClass", {"/apis/core.crossplane.io/v1alpha1", "resourceclasses"}},
        {"Bucket", {claims, "buckets"}},
        {"DynamoDBInstance", {claims, "dynamodbinstances"}},
        {"MySQLInstance", {claims, "mysqlinstances"}},
        {"NoSQLInstance", {claims, "nosqlinstances"}},
        {"PostgreSQLInstance", {claims, "postgresqlinstances"}},
        {"RedisCluster", {"/apis/cache.crossplane.io/v1alpha1", "redisclusters"}},
        {"Queue", {"/apis/example.com/v1", "queues"}},
        {"StorageClass", {"/apis/storage.k8s.io/v1", "storageclasses"}},
        {"Deployment", {"/apis/apps/v1", "deployments"}},
        {"Function", {"/apis/kubeless.io/v1beta1", "functions"}},
        {"CustomResourceDefinition", {"/apis/apiextensions.k8s.io/v1", "customresourcedefinitions"}},
        {"PersistentVolumeClaim", {"/api/v1", "persistentvolumeclaims"}},
        {"PersistentVolume", {"/api/v1", "persistentvolumes"}},
        {"Secret", {"/api/v1", "secrets"}},
        {"Event", {"/api/v1", "events"}},
        {"ConfigMap", {"/api/v1", "configmaps"}},
        {"Namespace", {"/api/v1", "namespaces"}}};
    return all;
  }
  static bool is_collection(std::string_view plural) {
    for (const auto& [kind, home] : homes()) {
      if (home.plural == plural) return true;
    }
    return false;
  }
  static std::string collection_of(const json::Value& object) {
    const auto kind = text_at(object, {"kind"});
    const auto it = homes().find(kind);
    EXPECT_NE(it, homes().end()) << kind;
    const auto ns = namespace_of(object);
    return it->second.root + (ns.empty() ? "" : "/namespaces/" + ns) + "/" + it->second.plural;
  }

  void store(const std::string& path, json::Value object) {
    auto& metadata = object.as_object()["metadata"].as_object();
    metadata["resourceVersion"] = std::to_string(++revision_);
    if (!metadata.contains("uid")) metadata["uid"] = fmt::format("uid-{}", revision_);
    if (!metadata.contains("creationTimestamp")) metadata["creationTimestamp"] = "2023-11-14T20:13:20Z";
    objects_[path] = std::move(object);
  }

  http::ClientResponse answer(const std::string& method, const std::string& target, const std::string& body) {
    requests_.push_back(method + " " + target);
    const auto question = target.find('?');
    const auto path = target.substr(0, question);
    http::ClientResponse response;
    for (const auto& [start, fault] : faults) {
      if ((method + " " + target).starts_with(start)) return fault;
    }
    std::map<std::string, std::string, std::less<>> query;
    if (question != std::string::npos) {
      for (const auto part : split(std::string_view(target).substr(question + 1), '&')) {
        const auto equals = part.find('=');
        query[std::string(part.substr(0, equals))] = percent_decode(part.substr(equals + 1), true).value_or("");
      }
    }
    if (method == "GET") {
      response = query.contains("watch") ? watch() : get(path, query);
    } else if (method == "POST" && path.ends_with("subjectaccessreviews")) {
      response = review(body);
    } else if (query.contains("dryRun")) {
      response = try_out(body);
    } else if (method == "POST") {
      response = create(path, body);
    } else if (method == "DELETE") {
      response = remove(path);
    } else {
      response = change(method, path, body);
    }
    if (after) after(method, path);
    return response;
  }

  http::ClientResponse review(const std::string& body) {
    auto question = json::parse(body).value();
    const auto* asked = json::find_path(question, {"spec", "resourceAttributes"});
    const bool allowed = !denies || !denies(text_at(question, {"spec", "user"}), text_at(*asked, {"verb"}),
                                            text_at(*asked, {"resource"}));
    question.as_object()["status"] = json::Object{{"allowed", allowed}};
    return {201, {}, json::write(question)};
  }

  // What it would store, and does not.
  http::ClientResponse try_out(const std::string& body) {
    auto object = json::parse(body).value();
    if (prunes) prunes(object);
    return {200, {}, json::write(object)};
  }

  http::ClientResponse watch() {
    std::string lines;
    for (const auto& line : std::exchange(watch_lines, {})) lines += line + "\n";
    return {200, {}, lines};
  }

  http::ClientResponse get(const std::string& path, const std::map<std::string, std::string, std::less<>>& query) {
    if (path == "/version") return {200, {}, R"({"gitVersion":"v1.30.0+chandler.test"})"};
    if (const auto it = texts.find(path); it != texts.end()) return {200, {}, it->second};
    if (const auto it = objects_.find(path); it != objects_.end()) return {200, {}, json::write(it->second)};
    const auto last = path.substr(path.rfind('/') + 1);
    const auto before = path.substr(0, path.rfind('/'));
    const auto parent = before.substr(before.rfind('/') + 1);
    if (!is_collection(last) || (is_collection(parent) && parent != "namespaces")) {
      return status(404, "NotFound", fmt::format("{} not found", chandler::quoted(last)), last);
    }
    return list(path, last, query);
  }

  http::ClientResponse list(const std::string& path, const std::string& plural,
                            const std::map<std::string, std::string, std::less<>>& query) {
    const auto selector = query.find("fieldSelector");
    if (selector != query.end() && !selects_fields && selector->second.find("metadata.") == std::string::npos) {
      return status(400, "BadRequest", "field label not supported");
    }
    const bool all = path.find("/namespaces/") == std::string::npos;
    json::Array items;
    for (const auto& [key, object] : objects_) {
      const auto folder = key.substr(0, key.rfind('/'));
      const bool inside = folder == path || (all && folder.ends_with("/" + plural));
      const auto labels = query.find("labelSelector");
      if (labels != query.end() && !has_label(object, labels->second)) continue;
      if (inside && (selector == query.end() || fits(object, selector->second))) items.push_back(object);
    }
    const auto it = query.find("continue");
    const size_t from = it == query.end() ? 0 : static_cast<size_t>(parse_int64(it->second).value_or(0));
    json::Object metadata{{"resourceVersion", std::to_string(revision_)}};
    json::Array page;
    for (size_t i = from; i < items.size() && i < from + page_size; ++i) page.push_back(items[i]);
    if (from + page_size < items.size()) metadata["continue"] = std::to_string(from + page_size);
    json::Value answer = json::Object{{"kind", "List"}, {"metadata", std::move(metadata)}, {"items", std::move(page)}};
    return {200, {}, json::write(answer)};
  }

  static bool fits(const json::Value& object, const std::string& selector) {
    for (const auto part : split(selector, ',')) {
      const auto equals = part.find('=');
      if (!field_is(object, part.substr(0, equals), part.substr(equals + 1))) return false;
    }
    return true;
  }

  static bool has_label(const json::Value& object, const std::string& term) {  // key=value
    const auto equals = term.find('=');
    return text_at(object, {"metadata", "labels", term.substr(0, equals)}) == term.substr(equals + 1);
  }

  http::ClientResponse create(const std::string& path, const std::string& body) {
    auto object = json::parse(body).value();
    const auto name = name_of(object);
    if (objects_.contains(path + "/" + name))
      return status(409, "AlreadyExists", fmt::format("\"{}\" already exists", name), name);
    store(path + "/" + name, object);
    return {201, {}, json::write(objects_[path + "/" + name])};
  }

  http::ClientResponse change(const std::string& method, const std::string& path, const std::string& body) {
    const auto it = objects_.find(path);
    const auto name = path.substr(path.rfind('/') + 1);
    if (it == objects_.end()) return status(404, "NotFound", fmt::format("{} not found", chandler::quoted(name)), name);
    auto sent = json::parse(body).value();
    if (method == "PUT") {
      store(path, std::move(sent));
    } else {
      json::merge_patch(it->second, sent);
      store(path, it->second);
    }
    return {200, {}, json::write(objects_[path])};
  }

  http::ClientResponse remove(const std::string& path) {
    const auto name = path.substr(path.rfind('/') + 1);
    if (objects_.erase(path) == 0)
      return status(404, "NotFound", fmt::format("{} not found", chandler::quoted(name)), name);
    return {200, {}, R"({"kind":"Status","status":"Success"})"};
  }

  std::map<std::string, json::Value> objects_;
  std::vector<std::string> requests_;
  int64_t revision_ = 0;
};

// Words as a shell makes them: blanks separate, single and double quotes keep together.
inline std::vector<std::string> shell_words(std::string_view line) {
  std::vector<std::string> words;
  std::string word;
  char quote = 0;
  bool open = false;
  for (const char c : line) {
    if (quote != 0) {
      if (c == quote) {
        quote = 0;
      } else {
        word += c;
      }
    } else if (c == '\'' || c == '"') {
      quote = c;
      open = true;
    } else if (c == ' ') {
      if (open || !word.empty()) words.push_back(std::exchange(word, {}));
      open = false;
    } else {
      word += c;
    }
  }
  if (open || !word.empty()) words.push_back(word);
  return words;
}

struct Shell {
  FakeServer server;
  chandler::testing::FakeClock clock;
  std::string ns = "default";
  std::string typed;  // on standard input
  std::map<std::string, std::string> variables;
  bool terminal = false;
  std::function<bool(std::chrono::milliseconds)> pause;
  std::string out, err;

  int run(const std::vector<std::string>& words) {
    std::ostringstream out_stream, err_stream;
    std::istringstream in_stream(typed);
    Environment environment{
        .out = out_stream,
        .err = err_stream,
        .in = in_stream,
        .out_is_terminal = terminal,
        .err_is_terminal = terminal,
        .variable = [this](const char* name) -> std::optional<std::string> {
          const auto it = variables.find(name);
          return it == variables.end() ? std::nullopt : std::optional(it->second);
        },
        .clock = clock,
        .pause =
            [this](std::chrono::milliseconds by) {
              clock.advance(by);
              return pause ? pause(by) : true;
            },
        .watch_again = [] { return false; },
        .connect = [this](const client::KubeconfigOptions& options) -> Result<client::Connection> {
          client::Connection connection;
          connection.server = "http://fake";
          connection.ns = options.ns.empty() ? ns : options.ns;
          connection.credentials =
              std::make_shared<client::Credentials>(client::CredentialSource(), http::ClientTls(), clock);
          return connection;
        },
        .http = [this]() -> http::Client& { return server; },
        .program = "svcat",
        .program_path = "/opt/svcat",
        .version = "1.2.3",
    };
    const int code = svcat::run(words, environment);
    out = out_stream.str();
    err = err_stream.str();
    return code;
  }
  int run(std::string_view line) { return run(shell_words(line)); }
};

// Cells without their widths: runs of blanks and of dashes count as one, none at the ends of lines.
inline std::string cells(std::string_view text) {
  std::string out;
  for (const auto line : split(text, '\n')) {
    std::string collapsed;
    for (char c : line) {
      if (c == '\t') c = ' ';
      if ((c == ' ' || c == '-') && !collapsed.empty() && collapsed.back() == c) continue;
      collapsed += c;
    }
    const auto trimmed = trim(collapsed);
    if (!trimmed.empty()) out += std::string(trimmed) + "\n";
  }
  return out;
}

// The same over line ends, for values that a sample shows wrapped.
inline std::string flat(std::string_view text) {
  std::string out;
  for (char c : text) {
    if (c == '\t' || c == '\n') c = ' ';
    if (c == ' ' && (out.empty() || out.back() == ' ')) continue;
    out += c;
  }
  return std::string(trim(out));
}

}  // namespace chandler::svcat::testing
