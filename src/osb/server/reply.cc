#include "osb/server/reply.h"

#include <algorithm>
#include <utility>

#include <fmt/format.h>

#include "json/writer.h"

namespace chandler::osb::server {
namespace {

constexpr std::string_view kIdentity = "X-Broker-API-Request-Identity";
constexpr size_t kMaxIdentity = 256;

}  // namespace

Refusal concurrency_error(std::string_view what) {
  return {422, "ConcurrencyError", fmt::format("{}; try again when it is done", what)};
}

Refusal refusal_of(const Error& error) {
  const int code = error.http();
  return {code == 400 || code == 422 ? code : 500, "", error.message};
}

http::Response reply(int status, const json::Value& body) {
  http::Response response;
  response.status = status;
  response.headers.add("Content-Type", "application/json");
  response.body = json::write(body);
  return response;
}

http::Response reply(const Refusal& refusal) {
  json::Object body;
  if (!refusal.error.empty()) body["error"] = refusal.error;
  if (!refusal.description.empty()) body["description"] = refusal.description;
  auto response = reply(refusal.status, body);
  if (refusal.status == 401) response.headers.add("WWW-Authenticate", "Basic realm=\"service broker\"");
  if (refusal.status == 429 || refusal.status == 503) response.headers.add("Retry-After", "1");
  return response;
}

Caller::Caller(const http::Request& request, std::unique_ptr<http::Responder> responder)
    : responder_(std::move(responder)) {
  const auto identity = request.headers.get(kIdentity);
  const bool printable = std::all_of(identity.begin(), identity.end(), [](char c) { return c >= ' ' && c <= '~'; });
  if (identity.size() <= kMaxIdentity && printable) identity_ = identity;
}

void Caller::send(http::Response response) {
  if (!identity_.empty()) response.headers.set(kIdentity, identity_);
  std::exchange(responder_, nullptr)->send(std::move(response));
}

}  // namespace chandler::osb::server
