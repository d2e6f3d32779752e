#include "apiserver/body.h"

#include <algorithm>

#include <fmt/format.h>

#include "base/text.h"
#include "json/arena.h"
#include "json/reader.h"
#include "json/yaml.h"
#include "meta/body_type.h"
#include "meta/protobuf/decoder.h"

namespace chandler::apiserver {
namespace {

constexpr std::string_view kAccepted = "application/json, application/yaml, application/vnd.kubernetes.protobuf";
constexpr size_t kMaxFieldManager = 128;

// Who writes, when the request does not say: the program's name, as it stands first in the User-Agent.
std::string manager_from(std::string_view user_agent) {
  std::string out;
  for (const char c : user_agent.substr(0, user_agent.find('/'))) {
    if (out.size() == kMaxFieldManager) break;
    if (static_cast<unsigned char>(c) >= 0x20 && static_cast<unsigned char>(c) < 0x7f) out += c;
  }
  return out.empty() ? "unknown" : out;
}

bool printable(std::string_view text) {
  return std::all_of(text.begin(), text.end(),
                     [](char c) { return static_cast<unsigned char>(c) >= 0x20 && c != 0x7f; });
}

}  // namespace

std::string media_type(std::string_view content_type) {
  return to_lower(trim(content_type.substr(0, content_type.find(';'))));
}

Result<Body> read_body(const http::Request& request) {
  json::ReadReport report;
  const auto type = media_type(request.headers.get("Content-Type"));
  if (type.empty() || type == "application/json") {
    json::ReadOptions options;
    options.storage = json::arena();
    CH_TRY_LET(value, json::parse(request.body, options, &report));
    return Body{std::move(value), std::move(report.duplicates)};
  }
  if (type == "application/yaml") {
    CH_TRY_LET(value, json::parse_yaml(request.body, {}, &report));
    return Body{std::move(value), std::move(report.duplicates)};
  }
  if (type == "application/vnd.kubernetes.protobuf") {
    CH_TRY_LET(value, meta::decode_protobuf(request.body));
    return Body{std::move(value), {}};
  }
  return unsupported_media_type(type, kAccepted);
}

Result<Body> read_object(const Call& call) {
  const auto& kind = *call.kind;
  auto read = read_body(*call.request);
  if (!read.ok()) {
    auto error = std::move(read).error();
    if (error.reason == Reason::kBadRequest) {
      error.message =
          fmt::format("the object provided is unrecognized (must be of type {}): {}", kind.kind, error.message);
    }
    return error;
  }
  Body body = std::move(read).value();
  const auto& expected = call.version->api_version;
  const meta::BodyType type{kind.kind, expected};
  if (!body.value.is_object()) return type.not_an_object();
  auto& object = body.value.get_object();
  const std::string given_kind = json::string_or(body.value, "kind");
  const std::string given_version = json::string_or(body.value, "apiVersion");
  if (!kind.builtin && (given_kind.empty() || given_version.empty())) {
    return bad_request(
        fmt::format("Object 'Kind' or 'apiVersion' is missing; expected kind {} in {}", kind.kind, expected));
  }
  if (!given_version.empty() && given_version != expected) return type.other_version(given_version);
  if (!given_kind.empty() && given_kind != kind.kind && !kind.crd_uid.empty()) {
    meta::FieldErrors errors;
    errors.invalid(meta::Path("kind"), given_kind, "must be " + kind.kind);
    const auto* metadata = json::find(body.value, "metadata");
    return invalid({kind.group, given_kind, metadata == nullptr ? "" : json::string_or(*metadata, "name"), ""},
                   errors.take());
  }
  if (!given_kind.empty() && given_kind != kind.kind) return type.other_kind(given_kind);
  object["apiVersion"] = expected;
  object["kind"] = kind.kind;
  return body;
}

Result<std::shared_ptr<registry::WriteRequest>> write_request(Call& call, std::string_view options_kind) {
  auto request = std::make_shared<registry::WriteRequest>();
  request->kind = call.kind;
  request->version = call.version;
  request->ns = call.kind->namespaced ? call.info.ns : "";
  request->name = call.info.name;
  request->subresource = call.info.subresource;
  request->user = std::make_shared<const auth::User>(std::move(call.user));
  request->due = call.due;

  meta::FieldErrors errors;
  for (const auto value : call.info.query.all("dryRun")) {
    if (value.empty()) continue;
    if (value != "All") errors.not_supported(meta::Path("dryRun"), json::Value(value), {"All"});
    request->dry_run = true;
  }
  const auto validation = call.info.query.get("fieldValidation");
  if (validation == "Strict") {
    request->validation = registry::FieldValidation::kStrict;
  } else if (validation == "Ignore") {
    request->validation = registry::FieldValidation::kIgnore;
  } else if (!validation.empty() && validation != "Warn") {
    errors.not_supported(meta::Path("fieldValidation"), json::Value(validation), {"Ignore", "Warn", "Strict"});
  }
  const auto manager = call.info.query.get("fieldManager");
  if (utf8_length(manager) > kMaxFieldManager) errors.too_long(meta::Path("fieldManager"), kMaxFieldManager);
  if (!printable(manager))
    errors.invalid(meta::Path("fieldManager"), manager, "should only contain printable characters");
  request->manager = manager.empty() ? manager_from(call.request->headers.get("User-Agent")) : std::string(manager);
  request->managed_subresource = call.info.subresource;
  if (!errors.empty()) return invalid({"meta.k8s.io", std::string(options_kind), "", ""}, errors.take());
  call.asked_for = request;
  return request;
}

}  // namespace chandler::apiserver
