#include "osb/server/operations.h"

#include <utility>

#include <fmt/format.h>

#include "base/ids.h"
#include "base/log.h"

namespace chandler::osb::server {
namespace {

constexpr size_t kMaxWaiting = 64;  // callers for one operation

StateChange intent_of(const OperationRecord& operation) {
  StateChange change;
  change.put_operation = operation;
  return change;
}

}  // namespace

Operations::Operations(Service& service, const Catalog& catalog, State state, OperationsOptions options,
                       const Clock& clock, Run on_worker, Run on_lane)
    : service_(service),
      catalog_(catalog),
      state_(std::move(state)),
      options_(std::move(options)),
      clock_(clock),
      on_worker_(std::move(on_worker)),
      on_lane_(std::move(on_lane)) {}

int64_t Operations::now() const {
  return std::chrono::duration_cast<std::chrono::seconds>(clock_.now().time_since_epoch()).count();
}

Result<void> Operations::resume() {
  CH_TRY_LET(running, state_.running(""));
  for (const auto& operation : running) CH_TRY(job_of(operation));
  return {};
}

void Operations::handle(const BrokerRequest& request, Caller caller) {
  auto answered = answer(request, caller);
  if (!answered.ok()) {
    log::error("the broker's state failed",
               {{"request", action_name(request.action)}, {"error", answered.error().message}});
    caller.send(Refusal{500, "", "the broker cannot reach its own state; see its log"});
  } else if (*answered) {
    caller.send(std::move(**answered));
  }
}

Operations::Reply Operations::answer(const BrokerRequest& request, Caller& caller) {
  switch (request.action) {
    case Action::kProvision:
      return provision(request, caller);
    case Action::kUpdate:
      return update(request, caller);
    case Action::kDeprovision:
      return deprovision(request, caller);
    case Action::kBind:
      return bind(request, caller);
    case Action::kUnbind:
      return unbind(request, caller);
    case Action::kGetInstance:
      return get_instance(request);
    case Action::kGetBinding:
      return get_binding(request);
    case Action::kPollInstance:
    case Action::kPollBinding:
      return poll(request);
    case Action::kCatalog:
      break;
  }
  return internal_error("the catalog is not answered here");
}

Operations::Reply Operations::start(StateChange intent, Job job, Caller& caller) {
  if (jobs_.size() >= options_.max_running) {
    return std::optional(reply(Refusal{429, "", "too many operations are under way; try again later"}));
  }
  OperationRecord& operation = job.operation;
  operation.id = fmt::format("{}-{}", work_name(operation.work), new_uuid());
  operation.instance_id = job.instance.spec.id;
  operation.binding_id = job.binding.spec.id;
  intent.put_operation = operation;
  CH_TRY(state_.commit(intent));
  job.waiting.push_back(std::move(caller));
  std::string id = operation.id;
  launch(jobs_.emplace(std::move(id), std::move(job)).first->second);
  return std::optional<http::Response>();
}

Operations::Reply Operations::join(const OperationRecord& operation, Caller& caller) {
  CH_TRY_LET(job, job_of(operation));
  if (job->is_accepted) return std::optional(reply(202, json::Object{{"operation", operation.id}}));
  if (job->waiting.size() >= kMaxWaiting) {
    return std::optional(reply(concurrency_error("the same request is under way many times")));
  }
  job->waiting.push_back(std::move(caller));
  return std::optional<http::Response>();
}

Result<Operations::Job*> Operations::job_of(const OperationRecord& operation) {
  if (const auto found = jobs_.find(operation.id); found != jobs_.end()) return &found->second;
  Job job;
  job.operation = operation;
  CH_TRY_LET(instance, state_.instance(operation.instance_id));
  if (!instance) {
    return internal_error(fmt::format("operation {} is about an instance that is not stored", operation.id));
  }
  job.instance = std::move(*instance);
  if (!operation.binding_id.empty()) {
    CH_TRY_LET(binding, state_.binding(operation.instance_id, operation.binding_id));
    if (!binding) {
      return internal_error(fmt::format("operation {} is about a binding that is not stored", operation.id));
    }
    job.binding = std::move(*binding);
  }
  if (operation.work == Work::kDelete) {
    CH_TRY_LET(leftovers, state_.bindings_of(operation.instance_id));
    job.leftovers = std::move(leftovers);
  }
  auto& kept = jobs_.emplace(operation.id, std::move(job)).first->second;
  launch(kept);
  return &kept;
}

void Operations::launch(Job& job) {
  if (busy_ >= options_.workers) {
    backlog_.push_back(job.operation.id);
    return;
  }
  Task task;
  task.work = job.operation.work;
  task.instance = job.instance.spec;
  task.target = job.operation.target;
  task.binding = job.binding.spec;
  for (const auto& binding : job.leftovers) task.leftovers.push_back(binding.spec);
  const bool started = on_worker_([this, task = std::move(task), id = job.operation.id, progress = job.progress,
                                   is_async = job.operation.is_async] {
    const auto tell = [&progress](std::string text) {
      MutexLock lock(progress->mutex);
      progress->text = std::move(text);
    };
    const auto accepted = [&] {
      if (is_async) on_lane_([this, id] { accept(id); });
    };
    auto outcome = perform(service_, task, tell, accepted);
    on_lane_([this, id, outcome = std::move(outcome)] { finish(id, outcome); });
  });
  // Not started: the broker stops. What is stored as running is begun again at its next start.
  if (started) ++busy_;
}

void Operations::launch_waiting() {
  while (busy_ < options_.workers && !backlog_.empty()) {
    const auto found = jobs_.find(backlog_.front());
    backlog_.pop_front();
    const size_t before = busy_;
    if (found != jobs_.end()) launch(found->second);
    if (found != jobs_.end() && busy_ == before) return;
  }
}

void Operations::accept(const std::string& operation_id) {
  const auto found = jobs_.find(operation_id);
  if (found == jobs_.end()) return;
  Job& job = found->second;
  job.is_accepted = true;
  json::Object body;
  if (job.operation.work == Work::kCreate) body = service_.describe(job.instance.spec).as_object();
  if (job.operation.target) body = service_.describe(*job.operation.target).as_object();
  body["operation"] = operation_id;
  for (auto& caller : std::exchange(job.waiting, {})) caller.send(202, body);
}

void Operations::finish(const std::string& operation_id, TaskOutcome outcome) {
  --busy_;
  auto node = jobs_.extract(operation_id);
  launch_waiting();
  if (node.empty()) return;
  Job& job = node.mapped();
  auto stored = state_.commit(settle(job, outcome));
  if (stored.ok()) stored = state_.forget_operations(now() - options_.remember.count());
  if (!stored.ok()) {
    log::error("the end of an operation could not be stored; it is repeated when asked for again",
               {{"operation", operation_id}, {"error", stored.error().message}});
    outcome = {};
    outcome.error = internal_error("the broker cannot reach its own state; see its log");
  }
  tell_waiting(job, outcome);
}

StateChange Operations::settle(const Job& job, const TaskOutcome& outcome) const {
  OperationRecord operation = job.operation;
  const bool ok = !outcome.error;
  operation.state = ok ? OperationState::kSucceeded : OperationState::kFailed;
  operation.description = ok ? outcome.description : outcome.error->message;
  operation.is_repeatable = ok || refusal_of(*outcome.error).status == 500;
  operation.finished = now();
  StateChange change = intent_of(operation);
  if (!ok && !job.is_accepted) {
    // Those who asked hear it themselves, and there is nothing to poll.
    change.put_operation.reset();
    change.erase_operation = operation.id;
  }
  const bool is_binding = !operation.binding_id.empty();
  const bool is_gone = operation.work == Work::kDelete || operation.work == Work::kUnbind
                           ? ok
                           : !ok && outcome.is_clean && operation.work != Work::kUpdate;
  if (is_gone) {
    (is_binding ? change.erase_binding : change.erase_instance) =
        is_binding ? operation.binding_id : operation.instance_id;
    if (is_binding) change.erase_binding_instance = operation.instance_id;
  } else if (is_binding) {
    change.put_binding = job.binding;
    change.put_binding->phase = ok ? Phase::kReady : Phase::kBroken;
    if (ok) change.put_binding->result = outcome.result;
  } else {
    change.put_instance = job.instance;
    change.put_instance->phase = ok || operation.work == Work::kUpdate ? Phase::kReady : Phase::kBroken;
    if (ok && operation.target) change.put_instance->spec = *operation.target;
  }
  return change;
}

void Operations::tell_waiting(Job& job, const TaskOutcome& outcome) {
  const Work work = job.operation.work;
  int status = work == Work::kCreate || work == Work::kBind ? 201 : 200;
  json::Value body = json::Object();
  if (work == Work::kCreate) body = service_.describe(job.instance.spec);
  if (work == Work::kUpdate) body = service_.describe(*job.operation.target);
  if (work == Work::kBind) body = outcome.result;
  for (auto& caller : std::exchange(job.waiting, {})) {
    if (outcome.error) {
      caller.send(refusal_of(*outcome.error));
    } else {
      caller.send(std::exchange(status, 200), body);  // the first one's request made it, the others found it
    }
  }
}

json::Value Operations::instance_body(const InstanceSpec& spec) const {
  json::Object body = service_.describe(spec).as_object();
  body["service_id"] = spec.service_id;
  body["plan_id"] = spec.plan_id;
  body["parameters"] = spec.parameters;
  if (!spec.maintenance_version.empty()) body["maintenance_info"] = json::Object{{"version", spec.maintenance_version}};
  return body;
}

}  // namespace chandler::osb::server
