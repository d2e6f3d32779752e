#include "brokers/scripted/scripted_broker.h"

#include <utility>

#include "brokers/scripted/scripted_catalog.h"

namespace chandler::brokers {

using osb::server::Action;
using osb::server::Catalog;
using osb::server::Gate;
using osb::server::reply;

Result<std::unique_ptr<ScriptedBroker>> ScriptedBroker::create(ScriptedOptions options) {
  if (options.catalog.is_null()) options.catalog = scripted_catalog();
  CH_TRY_LET(catalog, Catalog::read(options.catalog));
  auto shared = std::make_shared<const Catalog>(std::move(catalog));
  // The constructor is private.
  return std::unique_ptr<ScriptedBroker>(new ScriptedBroker(std::move(options), std::move(shared)));
}

ScriptedBroker::ScriptedBroker(ScriptedOptions options, CatalogPtr catalog)
    : options_(std::move(options)),
      gate_(options_.username, options_.password),
      first_catalog_(catalog),
      catalog_(std::move(catalog)) {}

std::shared_ptr<const Rules> ScriptedBroker::rules() const {
  MutexLock lock(mutex_);
  return rules_;
}

ScriptedBroker::CatalogPtr ScriptedBroker::catalog() const {
  MutexLock lock(mutex_);
  return catalog_;
}

http::Handler ScriptedBroker::handler() {
  return [this](std::shared_ptr<http::Request> request, std::unique_ptr<http::Responder> responder) {
    handle(std::move(request), std::move(responder));
  };
}

void ScriptedBroker::handle(std::shared_ptr<http::Request> http, std::unique_ptr<http::Responder> responder) {
  osb::server::Caller caller(*http, std::move(responder));
  if (http->target.starts_with("/control/")) {
    if (const auto refusal = gate_.check_credentials(http->headers)) return caller.send(*refusal);
    return caller.send(control(*http));
  }
  log_.add(http);
  if (const auto refusal = gate_.check_credentials(http->headers)) return caller.send(*refusal);
  if (const auto refusal = Gate::check_version(http->headers)) return caller.send(*refusal);
  auto read = osb::server::read_target(*http);
  if (!read.ok()) return caller.send(read.error());
  auto body_fault = osb::server::read_body(*read, http->body);
  const auto rules = this->rules();
  RulePtr rule;
  if (!rules->empty()) {
    const auto& plan_id = read->plan_id;
    rule = take_rule(*rules, *read, plan_id.empty() ? memory_.plan_of(read->instance_id) : plan_id);
  }
  Exchange exchange{std::move(http), std::move(*read), std::move(body_fault), std::move(caller), std::move(rule)};
  if (!exchange.rule) return exchange.caller.send(answer_as_usual(exchange, std::nullopt));
  follow_rule(std::make_shared<Exchange>(std::move(exchange)));
}

void ScriptedBroker::follow_rule(std::shared_ptr<Exchange> exchange) {
  const Rule& rule = *exchange->rule;
  if (rule.hang) {
    MutexLock lock(mutex_);
    hanging_.push_back(std::move(exchange));
  } else if (rule.delay.count() > 0) {
    timer_.after(rule.delay, [this, exchange = std::move(exchange)] { finish(*exchange); });
  } else {
    finish(*exchange);
  }
}

void ScriptedBroker::finish(Exchange& exchange) {
  const Rule& rule = *exchange.rule;
  http::Response response;
  const bool is_dropped = rule.disconnect != Rule::Disconnect::kNo;
  const bool is_done = rule.apply || rule.disconnect == Rule::Disconnect::kAfter || (!rule.has_answer() && !is_dropped);
  if (is_done) response = answer_as_usual(exchange, rule.async);
  if (rule.has_answer()) {
    response = {};
    response.status = rule.status.value_or(200);
    response.body = rule.body.value_or("{}");
    response.headers.add("Content-Type", "application/json");
  }
  for (const auto& [name, value] : rule.headers) response.headers.set(name, value);
  response.abort = is_dropped;
  exchange.caller.send(std::move(response));
}

http::Response ScriptedBroker::answer_as_usual(const Exchange& exchange, const std::optional<AsyncScript>& script) {
  const auto catalog = this->catalog();
  if (exchange.request.action == Action::kCatalog) {
    http::Response response;
    response.headers.add("ETag", catalog->etag());
    response.status = exchange.http->headers.get("If-None-Match") == catalog->etag() ? 304 : 200;
    if (response.status == 304) return response;
    response.headers.add("Content-Type", "application/json");
    response.owner = catalog;
    response.tail = catalog->body();
    return response;
  }
  if (exchange.body_fault) return reply(*exchange.body_fault);
  return memory_.answer(exchange.request, *catalog, options_.check, script);
}

}  // namespace chandler::brokers
