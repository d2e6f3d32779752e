#include "osb/client/sender.h"

#include "base/text.h"
#include "json/reader.h"
#include "json/writer.h"
#include "osb/client/http_date.h"
#include "osb/client/shape.h"

namespace chandler::osb {
namespace {

constexpr size_t kMaxCatalog = 16 * 1024 * 1024;
constexpr size_t kMaxBody = 1024 * 1024;
constexpr size_t kMaxDepth = 64;
constexpr size_t kMaxEtag = 1024;

// As a path segment. "." and ".." would be taken for steps in the path, percent-encoded they are names.
std::string segment(std::string_view id) {
  if (id == ".") return "%2E";
  if (id == "..") return "%2E%2E";
  return percent_encode(id);
}

std::string path_of(const Call& call) {
  if (call.method == Method::kGetCatalog) return "/v2/catalog";
  std::string path = "/v2/service_instances/" + segment(call.instance_id);
  switch (call.method) {
    case Method::kBind:
    case Method::kUnbind:
    case Method::kGetBinding:
      return path + "/service_bindings/" + segment(call.binding_id);
    case Method::kPollBinding:
      return path + "/service_bindings/" + segment(call.binding_id) + "/last_operation";
    case Method::kPollInstance:
      return path + "/last_operation";
    default:
      return path;
  }
}

std::string_view verb_of(Method method) {
  switch (method) {
    case Method::kProvision:
    case Method::kBind:
      return "PUT";
    case Method::kUpdate:
      return "PATCH";
    case Method::kDeprovision:
    case Method::kUnbind:
      return "DELETE";
    default:
      return "GET";
  }
}

class Query {
 public:
  void add(std::string_view name, std::string_view value) {
    text_ += text_.empty() ? '?' : '&';
    text_.append(name).append("=").append(percent_encode(value));
  }
  void add_if_set(std::string_view name, std::string_view value) {
    if (!value.empty()) add(name, value);
  }
  std::string text() && { return std::move(text_); }

 private:
  std::string text_;
};

std::string query_of(const Call& call) {
  Query query;
  switch (call.method) {
    case Method::kGetCatalog:
      break;
    case Method::kProvision:
    case Method::kUpdate:
    case Method::kBind:
      if (call.accepts_incomplete) query.add("accepts_incomplete", "true");
      break;
    case Method::kDeprovision:
    case Method::kUnbind:  // both IDs are required here
      query.add("service_id", call.service_id);
      query.add("plan_id", call.plan_id);
      if (call.accepts_incomplete) query.add("accepts_incomplete", "true");
      break;
    case Method::kGetInstance:
    case Method::kGetBinding:
      query.add_if_set("service_id", call.service_id);
      query.add_if_set("plan_id", call.plan_id);
      break;
    case Method::kPollInstance:
    case Method::kPollBinding:
      query.add_if_set("service_id", call.service_id);
      query.add_if_set("plan_id", call.plan_id);
      if (call.operation) query.add("operation", *call.operation);
      break;
  }
  return std::move(query).text();
}

bool is_success(int status) { return status == 200 || status == 201 || status == 202; }

void set_malformed(Answer& answer, std::string why) {
  answer.body = nullptr;
  answer.well_formed = false;
  answer.malformed_why = std::move(why);
}

// What a success promises is checked; an error needs no body at all, so there a bad one is as good as none.
void read_body(Method method, std::string_view text, Answer& answer) {
  const bool success = is_success(answer.status);
  if (trim(text).empty()) {
    if (success && !may_be_empty(method, answer.status)) set_malformed(answer, "it is empty");
    return;
  }
  json::ReadOptions options;
  options.max_depth = kMaxDepth;
  auto body = json::parse(text, options);
  if (!body.ok() || !body->is_object()) {
    if (success) set_malformed(answer, body.ok() ? "it is not a JSON object" : "it is not valid JSON");
    return;
  }
  answer.body = std::move(body).value();
  answer.error = json::string_or(answer.body, "error");
  answer.description = json::string_or(answer.body, "description");
  if (!success) return;
  std::string fault = find_fault(method, answer.status, answer.body);
  if (!fault.empty()) set_malformed(answer, std::move(fault));
}

}  // namespace

http::ClientRequest to_request(const Endpoint& endpoint, const Call& call) {
  std::string_view base = endpoint.url;
  while (base.ends_with('/')) base.remove_suffix(1);
  http::ClientRequest request;
  request.method = verb_of(call.method);
  request.url = std::string(base) + path_of(call) + query_of(call);
  request.tls = endpoint.tls;
  request.timeout = endpoint.timeout;
  request.addresses = endpoint.addresses;
  request.max_body_bytes = call.method == Method::kGetCatalog ? kMaxCatalog : kMaxBody;
  request.headers.add("Accept", "application/json");
  request.headers.add("X-Broker-API-Version", endpoint.api_version);
  if (!endpoint.authorization.empty()) request.headers.add("Authorization", endpoint.authorization);
  if (!call.originating_identity.empty()) {
    request.headers.add("X-Broker-API-Originating-Identity", "kubernetes " + base64_encode(call.originating_identity));
  }
  if (!call.request_identity.empty()) request.headers.add(kRequestIdentity, call.request_identity);
  if (call.method == Method::kGetCatalog && !call.etag.empty()) request.headers.add("If-None-Match", call.etag);
  if (request.method == "PUT" || request.method == "PATCH") {
    request.headers.add("Content-Type", "application/json");
    request.body = call.body.is_object() ? json::write(call.body) : "{}";
  }
  return request;
}

Answer to_answer(Method method, http::ClientOutcome outcome) {
  Answer answer;
  if (!outcome.ok()) {
    answer.failure = std::move(outcome).error();
    return answer;
  }
  const http::ClientResponse& response = *outcome;
  answer.status = response.status;
  answer.retry_after = read_retry_after(response.headers);
  if (const auto etag = response.headers.get("ETag"); etag.size() <= kMaxEtag) answer.etag = etag;
  read_body(method, response.body, answer);
  return answer;
}

}  // namespace chandler::osb
