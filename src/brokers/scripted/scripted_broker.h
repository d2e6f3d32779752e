// A broker for tests and demonstrations. It behaves like a correct broker that keeps its state in memory, except where
// rules say otherwise: wrong codes, broken bodies, delays, hanging, cut connections, failing or slow operations. Rules
// and inspection are served on the same listener below /control; README.md has the whole of it.
//
// Everything runs on the calling I/O threads, except answers that are told to be late. Thread-safe.
#pragma once

#include <memory>
#include <string>
#include <vector>

#include "base/mutex.h"
#include "base/result.h"
#include "brokers/scripted/memory_broker.h"
#include "brokers/scripted/request_log.h"
#include "brokers/scripted/rules.h"
#include "brokers/scripted/timer.h"
#include "http/message.h"
#include "osb/server/catalog.h"
#include "osb/server/gate.h"
#include "osb/server/request.h"

namespace chandler::brokers {

struct ScriptedOptions {
  std::string username;  // both empty: no authentication; else for /control too
  std::string password;
  osb::server::ParameterCheck check;
  json::Value catalog;  // null: scripted_catalog()
};

class ScriptedBroker {
 public:
  static Result<std::unique_ptr<ScriptedBroker>> create(ScriptedOptions options);

  void handle(std::shared_ptr<http::Request> request, std::unique_ptr<http::Responder> responder);
  http::Handler handler();  // handle(), for as long as this lives

 private:
  // One request on its way to an answer.
  struct Exchange {
    std::shared_ptr<http::Request> http;
    osb::server::BrokerRequest request;
    std::optional<osb::server::Refusal> body_fault;
    osb::server::Caller caller;
    RulePtr rule;
  };
  using CatalogPtr = std::shared_ptr<const osb::server::Catalog>;

  ScriptedBroker(ScriptedOptions options, CatalogPtr catalog);
  void follow_rule(std::shared_ptr<Exchange> exchange) CH_EXCLUDES(mutex_);
  void finish(Exchange& exchange);
  http::Response answer_as_usual(const Exchange& exchange, const std::optional<AsyncScript>& script);

  // control.cc
  http::Response control(const http::Request& request);
  http::Response put_rules(const http::Request& request) CH_EXCLUDES(mutex_);
  http::Response put_catalog(const http::Request& request) CH_EXCLUDES(mutex_);
  void set_rules(Rules rules) CH_EXCLUDES(mutex_);
  void release() CH_EXCLUDES(mutex_);  // those that hang go on

  std::shared_ptr<const Rules> rules() const CH_EXCLUDES(mutex_);
  CatalogPtr catalog() const CH_EXCLUDES(mutex_);

  const ScriptedOptions options_;
  const osb::server::Gate gate_;
  const CatalogPtr first_catalog_;
  MemoryBroker memory_;
  RequestLog log_;
  mutable Mutex mutex_;  // held for a copy of a pointer, never longer
  CatalogPtr catalog_ CH_GUARDED_BY(mutex_);
  std::shared_ptr<const Rules> rules_ CH_GUARDED_BY(mutex_) = std::make_shared<Rules>();
  std::vector<std::shared_ptr<Exchange>> hanging_ CH_GUARDED_BY(mutex_);
  Timer timer_;  // last: its thread uses the rest
};

}  // namespace chandler::brokers
