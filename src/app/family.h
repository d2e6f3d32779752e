// A family of controllers: everything that one area of the product needs to run over an API, in this process or over
// HTTP. Plain data and one function; who runs it is a FamilyRun.
#pragma once

#include <functional>
#include <memory>
#include <string_view>
#include <vector>

#include "base/clock.h"
#include "base/metrics.h"
#include "base/result.h"
#include "client/api.h"
#include "controller/call_sender.h"
#include "controller/engine.h"

namespace chandler::app {

struct Family {
  std::string_view duty;       // what --controllers calls it
  std::string_view account;    // the service account in kube-system that it acts as
  std::string_view component;  // who its events come from
  // The API groups it is about. It does not run where one of them is not served.
  std::vector<std::string_view> groups;
  std::vector<client::KindName> kinds;            // what it reads; over HTTP these are fetched before it starts
  std::shared_ptr<controller::CallSender> calls;  // where its calls go; none: to brokers over HTTP
  // Adds the reconcilers. The API is filled; it may be written to before anything runs.
  std::function<Result<void>(client::Api&, controller::Engine&)> furnish;
  // Figures and the like that live as long as the controllers run; may be none.
  std::function<std::shared_ptr<void>(client::Api&, metrics::Registry&, const Clock&)> accompany;
};

}  // namespace chandler::app
