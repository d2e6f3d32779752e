#include "client/rest.h"

#include <future>
#include <memory>
#include <utility>

#include <fmt/format.h>

#include "client/status_error.h"
#include "client/warning.h"
#include "json/writer.h"

namespace chandler::client {
namespace {

constexpr size_t kMaxAnswer = 256 * 1024 * 1024;  // a list of everything without pages
constexpr std::string_view kTable =
    "application/json;as=Table;v=v1;g=meta.k8s.io,application/json;as=Table;v=v1beta1;g=meta.k8s.io,application/json";

void add(QueryParameters& parameters, std::string name, const std::string& value) {
  if (!value.empty()) parameters.emplace_back(std::move(name), value);
}

// A request whose answer is fetched later; given up if nobody does.
class PageUnderWay {
 public:
  PageUnderWay(http::Client& client, http::ClientRequest request) : client_(&client) {
    const auto promise = std::make_shared<std::promise<http::ClientOutcome>>();
    answer_ = promise->get_future();
    ticket_ = client_->send(std::move(request),
                            [promise](http::ClientOutcome outcome) { promise->set_value(std::move(outcome)); });
  }
  PageUnderWay(PageUnderWay&&) = default;
  PageUnderWay& operator=(PageUnderWay&& other) noexcept {
    give_up();
    client_ = other.client_;
    ticket_ = other.ticket_;
    answer_ = std::move(other.answer_);
    return *this;
  }
  ~PageUnderWay() { give_up(); }

  http::ClientOutcome wait() { return answer_.get(); }  // once

 private:
  void give_up() {
    if (answer_.valid()) client_->cancel(ticket_);
  }

  http::Client* client_;
  http::Client::Ticket ticket_ = 0;
  std::future<http::ClientOutcome> answer_;
};

}  // namespace

Rest::Rest(http::Client& client, Connection connection, std::string field_manager)
    : client_(client), connection_(std::move(connection)), field_manager_(std::move(field_manager)) {}

void Rest::note(const http::ClientOutcome& outcome) {
  if (!outcome.ok()) return;
  if (outcome->status == 401) connection_.credentials->refused();
  if (!on_warning_) return;
  for (const auto& text : warnings_of(outcome->headers)) on_warning_(text);
}

Result<json::Value> Rest::result_of(const http::ClientOutcome& outcome) {
  note(outcome);
  return json_of(outcome, connection_.server);
}

Result<json::Value> Rest::send(http::ClientRequest request) {
  request.max_body_bytes = kMaxAnswer;
  return result_of(client_.send_and_wait(std::move(request)));
}

Result<json::Value> Rest::get(const Resource& resource, std::string_view ns, std::string_view name) {
  CH_TRY_LET(request, connection_.request("GET", resource_path(resource, ns, name)));
  return send(std::move(request));
}

Result<void> Rest::list(const Resource& resource, const ListRequest& request,
                        const std::function<bool(json::Value page)>& page) {
  QueryParameters parameters;
  add(parameters, "labelSelector", request.label_selector);
  add(parameters, "fieldSelector", request.field_selector);
  if (request.limit > 0) parameters.emplace_back("limit", std::to_string(request.limit));
  const auto ask_for = [&](const std::string& next) -> Result<PageUnderWay> {
    auto these = parameters;
    add(these, "continue", next);
    CH_TRY_LET(made, connection_.request("GET", resource_path(resource, request.ns) + query_text(these)));
    if (request.table) made.headers.set("Accept", kTable);
    made.max_body_bytes = kMaxAnswer;
    return PageUnderWay(client_, std::move(made));
  };
  std::string next;
  CH_TRY_LET(under_way, ask_for(next));
  for (;;) {
    CH_TRY_LET(answer, result_of(under_way.wait()));
    const auto* metadata = json::find(answer, "metadata");
    auto following = metadata == nullptr ? "" : json::string_or(*metadata, "continue");
    if (!following.empty() && following == next) {
      return unavailable(fmt::format("{} answers the same page again and again", connection_.server));
    }
    next = std::move(following);
    if (next.empty()) {
      page(std::move(answer));
      return {};
    }
    CH_TRY_LET(following_page, ask_for(next));  // the server works on it while we print this one
    under_way = std::move(following_page);
    if (!page(std::move(answer))) return {};
  }
}

Result<json::Value> Rest::write(std::string_view method, const std::string& path, const json::Value& body,
                                const WriteOptions& options, std::string_view content_type) {
  QueryParameters parameters;
  add(parameters, "fieldManager", field_manager_);
  if (options.dry_run) parameters.emplace_back("dryRun", "All");
  parameters.emplace_back("fieldValidation", options.strict ? "Strict" : "Warn");
  CH_TRY_LET(request, connection_.request(method, path + query_text(parameters)));
  request.headers.set("Content-Type", content_type);
  request.body = json::write(body);
  return send(std::move(request));
}

Result<json::Value> Rest::create(const Resource& resource, std::string_view ns, const json::Value& object,
                                 const WriteOptions& options) {
  return write("POST", resource_path(resource, ns), object, options);
}

Result<json::Value> Rest::update(const Resource& resource, std::string_view ns, std::string_view name,
                                 const json::Value& object, const WriteOptions& options) {
  return write("PUT", resource_path(resource, ns, name), object, options);
}

Result<json::Value> Rest::update_status(const Resource& resource, std::string_view ns, std::string_view name,
                                        const json::Value& object) {
  return write("PUT", resource_path(resource, ns, name, "status"), object, {});
}

Result<json::Value> Rest::patch(const Resource& resource, std::string_view ns, std::string_view name,
                                const json::Value& patch, const WriteOptions& options) {
  return write("PATCH", resource_path(resource, ns, name), patch, options, "application/merge-patch+json");
}

Result<json::Value> Rest::remove(const Resource& resource, std::string_view ns, std::string_view name,
                                 const DeleteRequest& request) {
  CH_TRY_LET(made, connection_.request("DELETE", resource_path(resource, ns, name)));
  json::Object preconditions;
  if (!request.uid.empty()) preconditions["uid"] = request.uid;
  if (!request.resource_version.empty()) preconditions["resourceVersion"] = request.resource_version;
  json::Object body{{"apiVersion", "v1"}, {"kind", "DeleteOptions"}};
  if (!preconditions.empty()) body["preconditions"] = std::move(preconditions);
  if (!request.propagation.empty()) body["propagationPolicy"] = request.propagation;
  if (request.dry_run) body["dryRun"] = json::Array{"All"};
  made.headers.set("Content-Type", "application/json");
  made.body = json::write(json::Value(std::move(body)));
  return send(std::move(made));
}

Result<std::string> Rest::get_text(std::string_view path) {
  CH_TRY_LET(request, connection_.request("GET", path));
  request.headers.set("Accept", "*/*");
  request.max_body_bytes = kMaxAnswer;
  auto outcome = client_.send_and_wait(std::move(request));
  note(outcome);
  if (!outcome.ok()) return error_of_failure(outcome.error(), connection_.server);
  if (outcome->status < 200 || outcome->status > 299) return error_of_response(*outcome);
  return std::move(outcome->body);
}

}  // namespace chandler::client
