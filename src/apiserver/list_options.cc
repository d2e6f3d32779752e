#include "apiserver/list_options.h"

#include <fmt/format.h>

#include "base/text.h"
#include "json/reader.h"
#include "json/writer.h"

namespace chandler::apiserver {
namespace {

constexpr std::string_view kTokenVersion = "meta.k8s.io/v1";

// The rules for resourceVersionMatch and sendInitialEvents; every violation is named.
void check_combination(const Call& call, const ListOptions& options, bool watch, meta::FieldErrors& errors) {
  const auto& query = call.info.query;
  const meta::Path match("resourceVersionMatch");
  const bool initial = query.has("sendInitialEvents");
  if (initial && !watch) errors.forbidden(meta::Path("sendInitialEvents"), "sendInitialEvents is forbidden for list");
  if (watch) {
    if (initial && options.match != "NotOlderThan") {
      errors.forbidden(match, "sendInitialEvents requires setting resourceVersionMatch to NotOlderThan");
      if (!options.match.empty()) errors.not_supported(match, json::Value(options.match), {"NotOlderThan"});
    }
    if (!initial && !options.match.empty()) {
      errors.forbidden(match, "resourceVersionMatch is forbidden for watch unless sendInitialEvents is provided");
    }
    return;
  }
  if (options.match.empty()) return;
  if (!options.continue_token.empty()) errors.forbidden(match, "resourceVersionMatch is forbidden with continue");
  if (options.resource_version.empty()) {
    errors.forbidden(match, "resourceVersionMatch is forbidden unless resourceVersion is provided");
  }
  if (options.match != "Exact" && options.match != "NotOlderThan") {
    errors.not_supported(match, json::Value(options.match), {"Exact", "NotOlderThan"});
  }
  if (options.match == "Exact" && options.resource_version == "0") {
    errors.forbidden(match, "resourceVersionMatch \"exact\" is forbidden for resourceVersion \"0\"");
  }
}

// What was authorized is what is selected: a request about one object selects that object and no other, whether its
// path or its field selector names it.
Result<void> limit_to_authorized(const RequestInfo& info, meta::FieldSelector& fields) {
  if (info.name.empty()) return {};
  if (fields.empty()) {
    fields.add_equal("metadata.name", info.name);
    return {};
  }
  if (fields.required_value("metadata.name") == info.name) return {};
  return bad_request(
      fmt::format("fieldSelector: the path names the object {}; leave the selector out, or select metadata.name={}",
                  quoted(info.name), info.name));
}

}  // namespace

Error too_large_revision(uint64_t wanted, registry::Revision current) {
  auto error = timeout(fmt::format("Too large resource version: {}, current: {}", wanted, current));
  error.causes.push_back({"ResourceVersionTooLarge", "Too large resource version", ""});
  error.retry_after_seconds = 1;
  return error;
}

Result<ListOptions> list_options(const Services& services, const Call& call, bool watch) {
  const auto& query = call.info.query;
  ListOptions options;
  options.resource_version = query.get("resourceVersion");
  options.match = query.get("resourceVersionMatch");
  options.continue_token = query.get("continue");
  if (watch && query.has("sendInitialEvents")) options.initial_events = query.flag("sendInitialEvents");

  meta::FieldErrors errors;
  check_combination(call, options, watch, errors);
  if (!errors.empty()) return invalid({"meta.k8s.io", "ListOptions", "", ""}, errors.take());

  CH_TRY_LET(labels, meta::LabelSelector::parse(query.get("labelSelector")));
  CH_TRY_LET(fields, meta::FieldSelector::parse(query.get("fieldSelector")));
  CH_TRY(limit_to_authorized(call.info, fields));
  const std::string ns = call.kind->namespaced ? call.info.ns : "";
  CH_TRY_LET(bound, registry::Query::make(*call.kind, *call.version, ns, std::move(labels), fields));
  options.query = std::move(bound);

  if (const auto text = query.get("limit"); !text.empty()) {
    const auto limit = parse_int64(text);
    if (!limit) return bad_request(fmt::format("limit: Invalid value: {}: must be a number", quoted(text)));
    options.limit = *limit > 0 ? static_cast<size_t>(*limit) : 0;
  }
  if (!options.resource_version.empty()) {
    const auto number = parse_uint64(options.resource_version);
    if (!number || *number > static_cast<uint64_t>(INT64_MAX)) {
      return bad_request(
          fmt::format("resourceVersion: Invalid value: {}: must be a number", quoted(options.resource_version)));
    }
    options.revision = static_cast<registry::Revision>(*number);
    const auto current = services.cache.revision();
    if (!watch && options.revision > current) return too_large_revision(*number, current);
  }
  if (!options.continue_token.empty() && options.revision != 0) {
    return bad_request("specifying resource version is not allowed when using continue");
  }
  return options;
}

std::string ContinueToken::encode() const {
  json::Object token;
  token["v"] = kTokenVersion;
  token["rv"] = revision;
  token["start"] = ns + "/" + name;
  return base64url_encode(json::write(token));
}

Result<ContinueToken> ContinueToken::decode(std::string_view text) {
  const auto bytes = base64url_decode(text);
  if (!bytes) return bad_request("continue key is not valid: it is not what this server handed out");
  auto parsed = json::parse(*bytes);
  if (!parsed.ok() || json::string_or(*parsed, "v") != kTokenVersion) {
    return bad_request("continue key is not valid: it is not what this server handed out");
  }
  const auto start = json::string_at(*parsed, "start");
  const auto revision = json::int_at(*parsed, "rv");
  const size_t slash = start ? start->find('/') : std::string_view::npos;
  if (!revision || slash == std::string_view::npos || *revision < -1 || *revision == 0) {
    return bad_request("continue key is not valid: a part is missing");
  }
  return ContinueToken{*revision, std::string(start->substr(0, slash)), std::string(start->substr(slash + 1))};
}

}  // namespace chandler::apiserver
