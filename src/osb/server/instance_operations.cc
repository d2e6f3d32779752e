// Requests about instances.
#include <algorithm>
#include <utility>

#include <fmt/format.h>

#include "osb/server/operations.h"

namespace chandler::osb::server {
namespace {

std::optional<http::Response> refuse(int status, std::string description) {
  return reply(Refusal{status, "", std::move(description)});
}

std::optional<http::Response> busy(const OperationRecord& operation) {
  return reply(concurrency_error(
      fmt::format("{} is under way ({})",
                  operation.binding_id.empty() ? "an operation on the instance" : "an operation on a binding",
                  work_name(operation.work))));
}

// The one under way for the instance itself.
const OperationRecord* on_instance(const std::vector<OperationRecord>& running) {
  const auto found =
      std::find_if(running.begin(), running.end(), [](const OperationRecord& o) { return o.binding_id.empty(); });
  return found == running.end() ? nullptr : &*found;
}

bool names(const BrokerRequest& request, const InstanceSpec& spec) {
  return request.service_id == spec.service_id && request.plan_id == spec.plan_id;
}

std::string_view state_name(OperationState state) {
  switch (state) {
    case OperationState::kRunning:
      return "in progress";
    case OperationState::kSucceeded:
      return "succeeded";
    case OperationState::kFailed:
      break;
  }
  return "failed";
}

}  // namespace

Operations::Reply Operations::provision(const BrokerRequest& request, Caller& caller) {
  const Plan& plan = *catalog_.plan(request.service_id, request.plan_id);
  const bool is_async = service_.is_async(Work::kCreate, plan.id);
  if (auto refusal = check_plan(request, plan, is_async, options_.check)) return std::optional(reply(*refusal));

  InstanceSpec wanted = instance_of(request, plan);
  CH_TRY_LET(there, state_.instance(request.instance_id));
  if (there) {
    CH_TRY_LET(running, state_.running(request.instance_id));
    const auto* operation = on_instance(running);
    if (operation != nullptr && operation->work != Work::kCreate) return busy(*operation);
    if (!is_same(wanted, there->spec)) {
      return refuse(409,
                    "an instance with this id exists with another service, plan, organization, space or other "
                    "parameters; use another id");
    }
    if (operation != nullptr) return join(*operation, caller);
    if (there->phase == Phase::kReady) return std::optional(reply(200, service_.describe(there->spec)));
  }
  Job job;
  job.operation.work = Work::kCreate;
  job.operation.is_async = is_async;
  job.instance = {std::move(wanted), Phase::kCreating};
  StateChange intent;
  intent.put_instance = job.instance;
  return start(std::move(intent), std::move(job), caller);
}

Operations::Reply Operations::update(const BrokerRequest& request, Caller& caller) {
  CH_TRY_LET(there, state_.instance(request.instance_id));
  const std::string plan_id = request.plan_id.empty() && there ? there->spec.plan_id : request.plan_id;
  const Plan* plan = catalog_.plan(request.service_id, plan_id);
  const bool is_async = plan != nullptr && service_.is_async(Work::kUpdate, plan->id);
  if (plan != nullptr) {
    if (auto refusal = check_plan(request, *plan, is_async, options_.check)) return std::optional(reply(*refusal));
  }
  if (!there) return refuse(404, "there is no such instance");
  if (request.service_id != there->spec.service_id) return refuse(400, "the instance is of another service");
  if (plan == nullptr) return refuse(400, "the plan of the instance is no longer in the catalog; name another plan");

  InstanceSpec wanted = there->spec;
  wanted.plan_id = plan_id;
  if (request.parameters) wanted.parameters = *request.parameters;
  if (request.maintenance_version || plan_id != there->spec.plan_id) {
    wanted.maintenance_version = plan->maintenance_version;
  }
  CH_TRY_LET(running, state_.running(request.instance_id));
  if (const auto* operation = on_instance(running)) {
    const bool same = operation->target && is_same(*operation->target, wanted) &&
                      operation->target->maintenance_version == wanted.maintenance_version;
    if (same) return join(*operation, caller);
  }
  if (!running.empty()) return busy(running.front());
  if (there->phase != Phase::kReady) {
    return refuse(422, "the instance could not be created or deleted completely; delete it");
  }
  if (is_same(wanted, there->spec) && wanted.maintenance_version == there->spec.maintenance_version) {
    return std::optional(reply(200, json::Object()));
  }
  const Plan* current = catalog_.plan(there->spec.service_id, there->spec.plan_id);
  if (plan_id != there->spec.plan_id && current != nullptr && !current->is_updateable) {
    return refuse(422, "instances of this plan cannot change to another plan");
  }
  Job job;
  job.operation.work = Work::kUpdate;
  job.operation.is_async = is_async;
  job.operation.target = std::move(wanted);
  job.instance = std::move(*there);
  job.instance.phase = Phase::kUpdating;
  StateChange intent;
  intent.put_instance = job.instance;
  return start(std::move(intent), std::move(job), caller);
}

Operations::Reply Operations::deprovision(const BrokerRequest& request, Caller& caller) {
  CH_TRY_LET(there, state_.instance(request.instance_id));
  if (catalog_.plan(request.service_id, request.plan_id) == nullptr && !(there && names(request, there->spec))) {
    return refuse(400, "service_id and plan_id are not in the catalog");
  }
  const bool is_async = service_.is_async(Work::kDelete, request.plan_id);
  if (auto refusal = check_plan(request, Plan(), is_async, options_.check)) return std::optional(reply(*refusal));
  if (!there) return std::optional(reply(410, json::Object()));
  if (!names(request, there->spec)) return refuse(400, "the instance is of another service or plan");

  CH_TRY_LET(running, state_.running(request.instance_id));
  if (const auto* operation = on_instance(running); operation != nullptr && operation->work == Work::kDelete) {
    return join(*operation, caller);
  }
  if (!running.empty()) return busy(running.front());
  Job job;
  job.operation.work = Work::kDelete;
  job.operation.is_async = is_async;
  job.instance = std::move(*there);
  job.instance.phase = Phase::kDeleting;
  CH_TRY_LET(leftovers, state_.bindings_of(request.instance_id));
  job.leftovers = std::move(leftovers);
  StateChange intent;
  intent.put_instance = job.instance;
  return start(std::move(intent), std::move(job), caller);
}

Operations::Reply Operations::get_instance(const BrokerRequest& request) {
  CH_TRY_LET(there, state_.instance(request.instance_id));
  const bool other = there && ((!request.service_id.empty() && request.service_id != there->spec.service_id) ||
                               (!request.plan_id.empty() && request.plan_id != there->spec.plan_id));
  if (!there || other || there->phase == Phase::kCreating) return refuse(404, "there is no such instance");
  const Plan* plan = catalog_.plan(there->spec.service_id, there->spec.plan_id);
  if (plan != nullptr && !plan->instances_retrievable) return refuse(400, "instances of this service cannot be read");
  switch (there->phase) {
    case Phase::kReady:
      return std::optional(reply(200, instance_body(there->spec)));
    case Phase::kBroken:
      return refuse(422, "the instance could not be created or deleted completely; delete it");
    default:
      return std::optional(reply(concurrency_error("the instance is being changed")));
  }
}

// Of instances and bindings alike.
Operations::Reply Operations::poll(const BrokerRequest& request) {
  std::optional<OperationRecord> operation;
  if (request.operation.empty()) {
    CH_TRY_LET(latest, state_.latest_operation(request.instance_id, request.binding_id));
    operation = std::move(latest);
  } else {
    CH_TRY_LET(named, state_.operation(request.operation));
    if (named && named->instance_id == request.instance_id && named->binding_id == request.binding_id) {
      operation = std::move(named);
    }
  }
  json::Object body;
  if (operation) {
    body["state"] = state_name(operation->state);
    std::string description = operation->description;
    if (operation->state == OperationState::kRunning) {
      CH_TRY_LET(job, job_of(*operation));
      MutexLock lock(job->progress->mutex);
      description = job->progress->text;
    }
    if (!description.empty()) body["description"] = description;
    if (operation->state == OperationState::kFailed && operation->binding_id.empty()) {
      if (operation->work != Work::kCreate) body["instance_usable"] = operation->work != Work::kDelete;
      if (operation->work == Work::kUpdate) body["update_repeatable"] = operation->is_repeatable;
    }
    return std::optional(reply(200, body));
  }
  // Forgotten, or never there.
  std::optional<Phase> phase;
  if (request.binding_id.empty()) {
    CH_TRY_LET(there, state_.instance(request.instance_id));
    if (there) phase = there->phase;
  } else {
    CH_TRY_LET(there, state_.binding(request.instance_id, request.binding_id));
    if (there) phase = there->phase;
  }
  if (!phase) {
    const bool was_deletion = request.operation.starts_with("delete-") || request.operation.starts_with("unbind-");
    if (was_deletion) return std::optional(reply(410, json::Object()));
    return refuse(404, "there is no such operation, and nothing with this id");
  }
  body["state"] = *phase == Phase::kBroken ? "failed" : *phase == Phase::kReady ? "succeeded" : "in progress";
  return std::optional(reply(200, body));
}

}  // namespace chandler::osb::server
