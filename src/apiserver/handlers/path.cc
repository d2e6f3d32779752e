#include <array>

#include <fmt/format.h>

#include "apiserver/backups.h"
#include "apiserver/console.h"
#include "apiserver/discovery.h"
#include "apiserver/handlers/handlers.h"
#include "apiserver/health.h"
#include "apiserver/openapi.h"
#include "apiserver/respond.h"
#include "apiserver/version.h"
#include "auth/digest.h"
#include "base/text.h"
#include "json/writer.h"

namespace chandler::apiserver {
namespace {

constexpr std::string_view kOpenApiV2Protobuf = "application/com.github.proto-openapi.spec.v2.v1.0+protobuf";

void plain(const Services& services, Call& call, int status, std::string text) {
  http::Response response;
  response.status = status;
  response.headers.set("Content-Type", "text/plain; charset=utf-8");
  response.headers.set("X-Content-Type-Options", "nosniff");
  response.body = std::move(text);
  respond(services, call, std::move(response));
}

void not_served(const Services& services, Call& call) { plain(services, call, 404, "404 page not found\n"); }

void health(const Services& services, Call& call) {
  const auto report = services.health.ask(call.info.path, call.info.query.all("exclude"));
  if (!report) return not_served(services, call);
  const bool brief = report->ok && !call.info.query.has("verbose");
  plain(services, call, report->ok ? 200 : 500, brief ? "ok" : report->text);
}

// A document that clients keep: they ask again with its tag and are told when it is still the same.
void tagged(const Services& services, Call& call, std::string_view type, std::string body, std::string_view tag) {
  http::Response response;
  response.headers.set("Content-Type", type);
  response.headers.set("ETag", quoted(tag));
  response.headers.set("Vary", "Accept");
  if (call.request->headers.get("If-None-Match") == quoted(tag)) {
    response.status = 304;
  } else {
    response.body = std::move(body);
  }
  respond(services, call, std::move(response));
}

void discovery_document(const Services& services, Call& call, const json::Value& document) {
  if (call.output.media == MediaType::kYaml || call.output.pretty) return respond_value(services, call, 200, document);
  std::string body = json::write(document);
  const auto tag = hex_encode(auth::view(auth::sha256(body)));
  tagged(services, call, "application/json", std::move(body), tag);
}

void discovery_root(const Services& services, Call& call, bool core) {
  const auto kinds = services.kinds.current();
  const auto version = aggregated_version(call.request->headers.get("Accept"));
  if (!version.empty()) {
    std::string body = json::write(aggregated_discovery(*kinds, core, version));
    const auto tag = hex_encode(auth::view(auth::sha256(body)));
    const auto type = fmt::format("application/json;g=apidiscovery.k8s.io;v={};as=APIGroupDiscoveryList", version);
    return tagged(services, call, type, std::move(body), tag);
  }
  discovery_document(services, call, core ? api_versions(call.request->headers.get("Host")) : api_group_list(*kinds));
}

void discovery(const Services& services, Call& call) {
  const auto parts = split(std::string_view(call.info.path).substr(1), '/');
  const auto kinds = services.kinds.current();
  std::optional<json::Value> document;
  if (parts.size() == 1) return discovery_root(services, call, parts[0] == "api");
  if (parts[0] == "api" && parts.size() == 2) document = api_resource_list(*kinds, "", parts[1]);
  if (parts[0] == "apis" && parts.size() == 2) document = api_group(*kinds, parts[1]);
  if (parts[0] == "apis" && parts.size() == 3) document = api_resource_list(*kinds, parts[1], parts[2]);
  if (!document) return not_served(services, call);
  discovery_document(services, call, *document);
}

void openapi_v2(const Services& services, Call& call) {
  bool protobuf = false;
  for (const auto& clause : parse_accept(call.request->headers.get("Accept"))) {
    protobuf = clause.type.find("proto-openapi.spec.v2") != std::string::npos;
    if (protobuf || clause.type == "application/json" || clause.type == "*/*") break;
  }
  auto document = protobuf ? services.openapi.v2_protobuf() : services.openapi.v2_json();
  if (!document.ok()) return respond_error(services, call, document.error());
  tagged(services, call, protobuf ? kOpenApiV2Protobuf : "application/json", *document->json, document->hash);
}

void openapi_v3(const Services& services, Call& call) {
  constexpr std::string_view kRoot = "/openapi/v3";
  if (call.info.path == kRoot) return respond_value(services, call, 200, services.openapi.v3_index());
  const auto name = std::string_view(call.info.path).substr(kRoot.size() + 1);
  auto document = services.openapi.v3(name);
  if (!document.ok()) return not_served(services, call);
  const auto wanted = call.info.query.get("hash");
  if (!wanted.empty() && wanted != document->hash) {
    http::Response response;
    response.status = 301;
    response.headers.set("Location", fmt::format("{}/{}?hash={}", kRoot, name, document->hash));
    return respond(services, call, std::move(response));
  }
  tagged(services, call, "application/json", *document->json, document->hash);
}

void root(const Services& services, Call& call) {
  json::Array paths;
  paths.emplace_back("/api");
  paths.emplace_back("/apis");
  paths.emplace_back(kConsoleKindsPath);
  for (const auto* path :
       {"/healthz", "/livez", "/metrics", "/openapi/v2", "/openapi/v3", "/openid/v1/jwks", "/readyz", "/version"}) {
    paths.emplace_back(path);
  }
  json::Object document;
  document["paths"] = std::move(paths);
  respond_value(services, call, 200, document);
}

}  // namespace

void handle_path(const Services& services, const CallPtr& call) {
  const std::string_view path = call->info.path;
  const auto below = [&](std::string_view prefix) {
    return path == prefix || (path.starts_with(prefix) && path[prefix.size()] == '/');
  };
  const bool known = path == "/" || path == "/version" || path == "/metrics" || below("/healthz") || below("/livez") ||
                     below("/readyz") || below("/openapi") || below("/openid") || below("/.well-known") ||
                     ((below("/api") || below("/apis")) && split(path, '/').size() <= 4) || parse_console_path(path) ||
                     path == kBackupPath || path == kBackupWithKeysPath;
  if (!known) return not_served(services, *call);
  if (call->request->method != http::Method::kGet && call->request->method != http::Method::kHead) {
    return respond_error(services, *call, method_not_allowed({}, call->info.verb));
  }
  if (path == "/") return root(services, *call);
  if (below("/healthz") || below("/livez") || below("/readyz")) return health(services, *call);
  if (path == "/version") return respond_value(services, *call, 200, version_document());
  if (below("/api") || below("/apis")) return discovery(services, *call);
  if (path == "/openapi/v2") return openapi_v2(services, *call);
  if (below("/openapi/v3")) return openapi_v3(services, *call);
  if (parse_console_path(path)) return handle_console(services, call);
  if (path == kBackupPath || path == kBackupWithKeysPath) {
    const bool is_get = call->request->method == http::Method::kGet;
    if (services.backups == nullptr || !is_get) return not_served(services, *call);
    return services.backups->start(services, call, path == kBackupWithKeysPath);
  }
  if (path == "/metrics") {
    http::Response response;
    response.headers.set("Content-Type", "text/plain; version=0.0.4; charset=utf-8");
    response.body = services.metrics.text();
    return respond(services, *call, std::move(response));
  }
  if (path == "/openid/v1/jwks") return respond_value(services, *call, 200, services.tokens.jwks());
  if (path == "/.well-known/openid-configuration") {
    const auto host = call->request->headers.get("Host");
    return respond_value(services, *call, 200,
                         services.tokens.openid_configuration(fmt::format("https://{}/openid/v1/jwks", host)));
  }
  not_served(services, *call);
}

}  // namespace chandler::apiserver
