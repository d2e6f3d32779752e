// For tests of reconcilers: a broker in memory that follows the Open Service Broker API and keeps a ledger, so that a
// story can be checked by what exists in the end. A test may answer calls itself, or keep them unanswered.
#pragma once

#include <deque>
#include <functional>
#include <map>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include <fmt/format.h>

#include "controller/call_sender.h"
#include "json/writer.h"
#include "json/yaml.h"

namespace chandler::reconcilers::testing {

inline osb::Answer answer_of(int status, std::string_view body = "{}") {
  osb::Answer answer;
  answer.status = status;
  auto parsed = json::parse_yaml(body);
  if (parsed.ok()) answer.body = std::move(parsed).value();
  answer.error = json::string_or(answer.body, "error");
  answer.description = json::string_or(answer.body, "description");
  return answer;
}
inline osb::Answer malformed(int status) {
  osb::Answer answer;
  answer.status = status;
  answer.well_formed = false;
  answer.malformed_why = "it is no JSON";
  return answer;
}
inline osb::Answer no_answer(http::ClientFailure::Kind kind, bool sent = true) {
  osb::Answer answer;
  answer.failure = http::ClientFailure{kind, "test", sent};
  return answer;
}

class FakeBroker final : public controller::CallSender {
 public:
  struct Instance {
    std::string service_id, plan_id;
    json::Value parameters;
    std::map<std::string, json::Value> bindings;
  };
  // nullopt: the ledger answers.
  using Script = std::function<std::optional<osb::Answer>(const osb::Call&)>;

  void send(const osb::Endpoint& endpoint, const osb::Call& call, Done done) override {
    calls.push_back(call);
    authorizations.push_back(endpoint.authorization);
    if (hold) {
      held.push_back(call);
      return;
    }
    if (script) {
      if (auto answer = script(call)) return done(*std::move(answer));
    }
    done(carry_out(call));
  }

  // "ProvisionInstance id-mydb", for comparing what was asked.
  static std::string line(const osb::Call& call) {
    return fmt::format("{} {}{}{}", osb::method_name(call.method), call.instance_id, call.binding_id.empty() ? "" : "/",
                       call.binding_id);
  }
  std::vector<std::string> take_lines() {
    std::vector<std::string> out;
    for (const auto& call : std::exchange(calls, {})) out.push_back(line(call));
    return out;
  }
  // Everything about the last call of that method that reaches the broker.
  std::string recorded(osb::Method method) const {
    for (auto it = calls.rbegin(); it != calls.rend(); ++it) {
      if (it->method != method) continue;
      return fmt::format("{} service={} plan={} operation={} incomplete={} body={} identity={}", line(*it),
                         it->service_id, it->plan_id, it->operation.value_or("-"), it->accepts_incomplete,
                         json::write(it->body), it->originating_identity);
    }
    return "never";
  }

  std::map<std::string, Instance> instances;
  std::vector<std::string> violations;  // what no platform may do
  size_t most_instances = 0;
  bool async = false;  // instances
  bool async_bindings = false;
  int polls_needed = 1;   // before an operation has succeeded
  std::string dashboard;  // when set, what a provision answers
  bool hold = false;      // nothing is answered, nor carried out, any more
  Script script;
  std::vector<osb::Call> calls;
  std::vector<osb::Call> held;
  std::vector<std::string> authorizations;

 private:
  osb::Answer carry_out(const osb::Call& call) {
    switch (call.method) {
      case osb::Method::kProvision:
        return provision(call);
      case osb::Method::kUpdate:
        return update(call);
      case osb::Method::kDeprovision:
        return deprovision(call);
      case osb::Method::kBind:
        return bind(call);
      case osb::Method::kUnbind:
        return unbind(call);
      case osb::Method::kGetBinding:
        return get_binding(call);
      case osb::Method::kGetInstance:
        return get_instance(call);
      case osb::Method::kPollInstance:
      case osb::Method::kPollBinding:
        return poll(call);
      case osb::Method::kGetCatalog:
        break;
    }
    return answer_of(404);
  }

  static json::Value parameters_of(const osb::Call& call) {
    const auto* found = json::find(call.body, "parameters");
    return found == nullptr ? json::Value() : *found;
  }
  osb::Answer accepted() {
    polls_left_ = polls_needed;
    return answer_of(202, fmt::format("{{operation: op-{}}}", ++operations_));
  }

  osb::Answer provision(const osb::Call& call) {
    const Instance wanted{
        json::string_or(call.body, "service_id"), json::string_or(call.body, "plan_id"), parameters_of(call), {}};
    if (const auto found = instances.find(call.instance_id); found != instances.end()) {
      const auto& has = found->second;
      const bool same = has.plan_id == wanted.plan_id && json::equal(has.parameters, wanted.parameters);
      if (same && async && polls_left_ > 0) return accepted();
      return answer_of(same ? 200 : 409);
    }
    instances[call.instance_id] = wanted;
    most_instances = std::max(most_instances, instances.size());
    if (async) return accepted();
    return answer_of(201, dashboard.empty() ? "{}" : fmt::format("{{dashboard_url: \"{}\"}}", dashboard));
  }
  osb::Answer update(const osb::Call& call) {
    const auto found = instances.find(call.instance_id);
    if (found == instances.end()) {
      violations.push_back("update of what does not exist");
      return answer_of(400);
    }
    if (const auto plan = json::string_at(call.body, "plan_id")) found->second.plan_id = std::string(*plan);
    if (const auto* parameters = json::find(call.body, "parameters")) {
      found->second.parameters = parameters->as_object().empty() ? json::Value() : *parameters;
    }
    return async ? accepted() : answer_of(200);
  }
  osb::Answer deprovision(const osb::Call& call) {
    const auto found = instances.find(call.instance_id);
    if (call.service_id.empty() || call.plan_id.empty()) violations.push_back("deprovision without service or plan");
    if (found == instances.end()) return answer_of(410);
    if (!found->second.bindings.empty()) violations.push_back("deprovision of what is bound");
    instances.erase(found);
    return async ? accepted() : answer_of(200);
  }
  osb::Answer credentials_of(const osb::Call& call, int status) {
    return answer_of(status,
                     fmt::format("{{credentials: {{user: {}, password: s3cret, db-name: d}}}}", call.binding_id));
  }
  osb::Answer bind(const osb::Call& call) {
    const auto found = instances.find(call.instance_id);
    if (found == instances.end()) {
      violations.push_back("bind of what does not exist");
      return answer_of(400);
    }
    auto& bindings = found->second.bindings;
    const auto bound = bindings.find(call.binding_id);
    if (bound != bindings.end() && !json::equal(bound->second, parameters_of(call))) return answer_of(409);
    const bool is_new = bound == bindings.end();
    bindings[call.binding_id] = parameters_of(call);
    if (async_bindings && call.accepts_incomplete && (is_new || polls_left_ > 0)) return accepted();
    return credentials_of(call, is_new ? 201 : 200);
  }
  osb::Answer unbind(const osb::Call& call) {
    if (call.service_id.empty() || call.plan_id.empty()) violations.push_back("unbind without service or plan");
    const auto found = instances.find(call.instance_id);
    if (found == instances.end() || found->second.bindings.erase(call.binding_id) == 0) return answer_of(410);
    return async_bindings && call.accepts_incomplete ? accepted() : answer_of(200);
  }
  osb::Answer get_binding(const osb::Call& call) {
    const auto found = instances.find(call.instance_id);
    if (found == instances.end() || !found->second.bindings.contains(call.binding_id)) return answer_of(404);
    return credentials_of(call, 200);
  }
  osb::Answer get_instance(const osb::Call& call) {
    const auto found = instances.find(call.instance_id);
    if (found == instances.end()) return answer_of(404);
    return answer_of(200,
                     fmt::format("{{service_id: {}, plan_id: {}}}", found->second.service_id, found->second.plan_id));
  }
  osb::Answer poll(const osb::Call& call) {
    if (!call.operation)
      return instances.contains(call.instance_id) ? answer_of(200, "{state: succeeded}") : answer_of(404);
    if (call.operation != fmt::format("op-{}", operations_)) violations.push_back("poll of another operation");
    if (--polls_left_ > 0) return answer_of(200, "{state: in progress, description: half way}");
    return answer_of(200, "{state: succeeded}");
  }

  int operations_ = 0;
  int polls_left_ = 0;
};

}  // namespace chandler::reconcilers::testing
