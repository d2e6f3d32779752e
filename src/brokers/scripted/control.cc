// What tests say to the scripted broker, below /control.
#include <utility>

#include "brokers/scripted/scripted_broker.h"
#include "json/reader.h"

namespace chandler::brokers {

using http::Method;
using osb::server::Refusal;
using osb::server::reply;

http::Response ScriptedBroker::control(const http::Request& request) {
  const std::string_view path = std::string_view(request.target).substr(0, request.target.find('?'));
  const Method method = request.method;
  if (path == "/control/rules") {
    if (method == Method::kPut) return put_rules(request);
    if (method == Method::kGet) return reply(200, write_rules(*rules()));
    if (method == Method::kDelete) {
      set_rules({});
      release();
      return reply(200, json::Object());
    }
  } else if (path == "/control/release" && method == Method::kPost) {
    release();
    return reply(200, json::Object());
  } else if (path == "/control/ledger" && method == Method::kGet) {
    return reply(200, memory_.ledger());
  } else if (path == "/control/requests") {
    if (method == Method::kGet) return reply(200, log_.write());
    if (method == Method::kDelete) {
      log_.clear();
      return reply(200, json::Object());
    }
  } else if (path == "/control/catalog" && method == Method::kPut) {
    return put_catalog(request);
  } else if (path == "/control/reset" && method == Method::kPost) {
    set_rules({});
    release();
    memory_.clear();
    log_.clear();
    MutexLock lock(mutex_);
    catalog_ = first_catalog_;
    return reply(200, json::Object());
  }
  return reply(Refusal{404, "",
                       "there are GET, PUT, DELETE /control/rules; POST /control/release; GET /control/ledger; GET, "
                       "DELETE /control/requests; PUT /control/catalog; POST /control/reset"});
}

http::Response ScriptedBroker::put_rules(const http::Request& request) {
  const auto document = json::parse(request.body);
  if (!document.ok()) return reply(Refusal{400, "", document.error().message});
  auto rules = read_rules(*document);
  if (!rules.ok()) return reply(Refusal{400, "", rules.error().message});
  set_rules(std::move(*rules));
  return reply(200, json::Object());
}

http::Response ScriptedBroker::put_catalog(const http::Request& request) {
  auto document = json::parse(request.body);
  if (!document.ok()) return reply(Refusal{400, "", document.error().message});
  auto catalog = osb::server::Catalog::read(std::move(*document));
  if (!catalog.ok()) return reply(Refusal{400, "", catalog.error().message});
  auto shared = std::make_shared<const osb::server::Catalog>(std::move(*catalog));
  MutexLock lock(mutex_);
  catalog_ = std::move(shared);
  return reply(200, json::Object());
}

void ScriptedBroker::set_rules(Rules rules) {
  auto shared = std::make_shared<const Rules>(std::move(rules));
  MutexLock lock(mutex_);
  rules_ = std::move(shared);
}

void ScriptedBroker::release() {
  std::vector<std::shared_ptr<Exchange>> free;
  {
    MutexLock lock(mutex_);
    free.swap(hanging_);
  }
  for (const auto& exchange : free) finish(*exchange);
}

}  // namespace chandler::brokers
