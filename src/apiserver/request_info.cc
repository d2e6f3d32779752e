#include "apiserver/request_info.h"

#include <algorithm>

#include <fmt/format.h>

#include "base/text.h"
#include "meta/selector.h"

namespace chandler::apiserver {
namespace {

constexpr size_t kMaxParameters = 256;

bool is_read(http::Method method) { return method == http::Method::kGet || method == http::Method::kHead; }

// "" for a method that the API does not have.
std::string_view verb_of(http::Method method, bool named) {
  switch (method) {
    case http::Method::kGet:
    case http::Method::kHead:
      return named ? "get" : "list";
    case http::Method::kPost:
      return "create";
    case http::Method::kPut:
      return "update";
    case http::Method::kPatch:
      return "patch";
    case http::Method::kDelete:
      return named ? "delete" : "deletecollection";
    case http::Method::kOptions:
    case http::Method::kOther:
      return "";
  }
  return "";
}

Error wrong_method(std::string_view where, std::string_view allowed) {
  auto error = method_not_allowed({}, "");
  error.message = fmt::format("{} does not support the method of this request; use {}", where, allowed);
  return error;
}

// The parts of a path, decoded one by one, so that an escaped slash cannot make a part of its own.
Result<std::vector<std::string>> path_parts(std::string_view path) {
  std::vector<std::string> parts;
  parts.reserve(8);
  while (!path.empty()) {
    const auto piece = path.substr(0, path.find('/'));
    path.remove_prefix(std::min(path.size(), piece.size() + 1));
    if (piece.empty()) continue;
    auto decoded = percent_decode(piece, false);
    if (!decoded) return bad_request("the path of the request has a bad escape");
    parts.push_back(std::move(*decoded));
  }
  return parts;
}

}  // namespace

Result<QueryParameters> QueryParameters::parse(std::string_view text) {
  QueryParameters out;
  if (text.empty()) return out;
  for (const auto piece : split(text, '&')) {
    if (piece.empty()) continue;
    if (out.pairs_.size() >= kMaxParameters) return bad_request("the request has too many query parameters");
    const size_t equals = piece.find('=');
    auto name = percent_decode(piece.substr(0, equals), true);
    auto value = equals == std::string_view::npos ? std::string() : percent_decode(piece.substr(equals + 1), true);
    if (!name || !value) return bad_request("the query of the request has a bad escape");
    out.pairs_.emplace_back(std::move(*name), std::move(*value));
  }
  return out;
}

std::string_view QueryParameters::get(std::string_view name) const {
  for (const auto& [key, value] : pairs_) {
    if (key == name) return value;
  }
  return "";
}

bool QueryParameters::has(std::string_view name) const {
  for (const auto& pair : pairs_) {
    if (pair.first == name) return true;
  }
  return false;
}

std::vector<std::string_view> QueryParameters::all(std::string_view name) const {
  std::vector<std::string_view> out;
  for (const auto& [key, value] : pairs_) {
    if (key == name) out.push_back(value);
  }
  return out;
}

bool QueryParameters::flag(std::string_view name) const {
  if (!has(name)) return false;
  const auto value = get(name);
  return value != "0" && !equals_ignore_case(value, "false");
}

Result<RequestInfo> parse_request_info(http::Method method, std::string_view target) {
  if (verb_of(method, false).empty()) return wrong_method("the API", "GET, HEAD, POST, PUT, PATCH or DELETE");
  RequestInfo info;
  const size_t question = target.find('?');
  CH_TRY_LET(query, QueryParameters::parse(question == std::string_view::npos ? "" : target.substr(question + 1)));
  info.query = std::move(query);
  CH_TRY_LET(parts, path_parts(target.substr(0, question)));
  info.path.reserve(target.size());
  for (const auto& part : parts) info.path.append(1, '/').append(part);
  if (info.path.empty()) info.path = "/";
  info.verb = to_lower(http::method_name(method));

  size_t at = 0;
  if (parts.size() >= 3 && parts[0] == "api") {
    at = 1;
  } else if (parts.size() >= 4 && parts[0] == "apis") {
    info.group = parts[1];
    at = 2;
  } else {
    return info;
  }
  info.version = parts[at++];
  info.is_resource = true;

  bool old_watch = false;
  if (parts[at] == "watch" && parts.size() > at + 1) {  // /api/v1/watch/…, the way before the watch parameter
    if (!is_read(method)) return wrong_method("a path below /watch", "GET");
    old_watch = true;
    ++at;
  }
  if (parts[at] == "namespaces" && parts.size() > at + 1) {
    info.ns = parts[at + 1];
    const bool namespace_itself = parts.size() == at + 2 || parts[at + 2] == "status" || parts[at + 2] == "finalize";
    if (!namespace_itself) at += 2;
  }
  info.resource = parts[at];
  if (parts.size() > at + 1) info.name = parts[at + 1];
  if (parts.size() > at + 2) info.subresource = parts[at + 2];
  if (parts.size() > at + 3) info.is_resource = false;  // nothing of ours is that deep
  info.name_in_path = !info.name.empty();

  info.verb = verb_of(method, info.name_in_path);
  if (old_watch || (info.verb == "list" && info.query.flag("watch"))) info.verb = "watch";
  if (!info.name_in_path && (info.verb == "list" || info.verb == "watch")) {
    // A selector for one name makes rules for that name apply. Not for deletecollection, as in Kubernetes.
    auto fields = meta::FieldSelector::parse(info.query.get("fieldSelector"));
    if (fields.ok()) info.name = fields->required_value("metadata.name").value_or("");
  }
  return info;
}

}  // namespace chandler::apiserver
