// Requests about bindings.
#include <algorithm>
#include <utility>

#include <fmt/format.h>

#include "osb/server/operations.h"

namespace chandler::osb::server {
namespace {

std::optional<http::Response> refuse(int status, std::string description) {
  return reply(Refusal{status, "", std::move(description)});
}

std::optional<http::Response> busy(std::string_view what) { return reply(concurrency_error(what)); }

struct Running {
  const OperationRecord* instance = nullptr;
  const OperationRecord* binding = nullptr;
};

Running find_running(const std::vector<OperationRecord>& all, const std::string& binding_id) {
  Running found;
  for (const auto& operation : all) {
    if (operation.binding_id.empty()) found.instance = &operation;
    if (operation.binding_id == binding_id) found.binding = &operation;
  }
  return found;
}

}  // namespace

Operations::Reply Operations::bind(const BrokerRequest& request, Caller& caller) {
  const Plan& plan = *catalog_.plan(request.service_id, request.plan_id);
  const bool is_async = service_.is_async(Work::kBind, plan.id);
  if (auto refusal = check_plan(request, plan, is_async, options_.check)) return std::optional(reply(*refusal));

  CH_TRY_LET(instance, state_.instance(request.instance_id));
  if (!instance) return refuse(404, "there is no such instance");
  if (instance->spec.service_id != request.service_id || instance->spec.plan_id != request.plan_id) {
    return refuse(400, "the instance is of another service or plan");
  }
  CH_TRY_LET(all, state_.running(request.instance_id));
  const auto running = find_running(all, request.binding_id);
  if (running.instance != nullptr) return busy("an operation on the instance is under way");

  BindingSpec wanted = binding_of(request);
  if (!wanted.predecessor_id.empty()) {
    CH_TRY_LET(predecessor, state_.binding(request.instance_id, wanted.predecessor_id));
    if (!predecessor || predecessor->phase != Phase::kReady || wanted.predecessor_id == wanted.id) {
      return refuse(400, "predecessor_binding_id names no binding of this instance");
    }
    if (!request.parameters) wanted.parameters = predecessor->spec.parameters;
  }
  CH_TRY_LET(there, state_.binding(request.instance_id, request.binding_id));
  if (there) {
    if (running.binding != nullptr && running.binding->work != Work::kBind) return busy("the binding is being deleted");
    if (!is_same(wanted, there->spec)) {
      return refuse(409, "a binding with this id exists with other attributes; use another id");
    }
    if (running.binding != nullptr) return join(*running.binding, caller);
    if (there->phase == Phase::kReady) return std::optional(reply(200, there->result));
  }
  if (instance->phase != Phase::kReady) {
    return refuse(422, "the instance could not be created or deleted completely; delete it");
  }
  Job job;
  job.operation.work = Work::kBind;
  job.operation.is_async = is_async;
  job.instance = std::move(*instance);
  job.binding = {std::move(wanted), Phase::kCreating, {}};
  StateChange intent;
  intent.put_binding = job.binding;
  return start(std::move(intent), std::move(job), caller);
}

Operations::Reply Operations::unbind(const BrokerRequest& request, Caller& caller) {
  CH_TRY_LET(there, state_.binding(request.instance_id, request.binding_id));
  const auto is_named = [&](const BindingSpec& spec) {
    return spec.service_id == request.service_id && spec.plan_id == request.plan_id;
  };
  CH_TRY_LET(instance, state_.instance(request.instance_id));
  // After a change of plan the platform names the new one.
  const bool fits = there && instance &&
                    (is_named(there->spec) ||
                     (instance->spec.service_id == request.service_id && instance->spec.plan_id == request.plan_id));
  if (catalog_.plan(request.service_id, request.plan_id) == nullptr && !fits) {
    return refuse(400, "service_id and plan_id are not in the catalog");
  }
  const bool is_async = service_.is_async(Work::kUnbind, request.plan_id);
  if (auto refusal = check_plan(request, Plan(), is_async, options_.check)) return std::optional(reply(*refusal));
  if (!there || !instance) return std::optional(reply(410, json::Object()));
  if (!fits) return refuse(400, "the binding is of another service or plan");

  CH_TRY_LET(all, state_.running(request.instance_id));
  const auto running = find_running(all, request.binding_id);
  if (running.instance != nullptr) return busy("an operation on the instance is under way");
  if (running.binding != nullptr) {
    if (running.binding->work == Work::kUnbind) return join(*running.binding, caller);
    return busy("the binding is being created");
  }
  Job job;
  job.operation.work = Work::kUnbind;
  job.operation.is_async = is_async;
  job.instance = std::move(*instance);
  job.binding = std::move(*there);
  job.binding.phase = Phase::kDeleting;
  StateChange intent;
  intent.put_binding = job.binding;
  return start(std::move(intent), std::move(job), caller);
}

Operations::Reply Operations::get_binding(const BrokerRequest& request) {
  CH_TRY_LET(there, state_.binding(request.instance_id, request.binding_id));
  // The plan is no hint here: the instance may have changed its plan since.
  const bool other = there && !request.service_id.empty() && request.service_id != there->spec.service_id;
  if (!there || other || there->phase == Phase::kCreating) return refuse(404, "there is no such binding");
  const Plan* plan = catalog_.plan(there->spec.service_id, there->spec.plan_id);
  if (plan != nullptr && !plan->bindings_retrievable) return refuse(400, "bindings of this service cannot be read");
  if (there->phase == Phase::kBroken) {
    return refuse(422, "the binding could not be created or deleted completely; delete it");
  }
  if (there->phase != Phase::kReady) return busy("the binding is being deleted");
  json::Object body = there->result.as_object();
  body["parameters"] = there->spec.parameters;
  return std::optional(reply(200, body));
}

}  // namespace chandler::osb::server
