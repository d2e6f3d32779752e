#include "osb/server/task.h"

#include <utility>

namespace chandler::osb::server {
namespace {

Result<void> check(Service& service, const Task& task) {
  switch (task.work) {
    case Work::kCreate:
      return service.check_create(task.instance);
    case Work::kUpdate:
      return service.check_update(task.instance, *task.target);
    case Work::kBind:
      return service.check_binding(task.instance, task.binding);
    case Work::kDelete:
    case Work::kUnbind:
      break;
  }
  return {};
}

TaskOutcome failed(Error error, bool is_clean = true) {
  TaskOutcome outcome;
  outcome.error = std::move(error);
  outcome.is_clean = is_clean;
  return outcome;
}

TaskOutcome create(Service& service, const Task& task, const Progress& progress) {
  auto made = service.create_instance(task.instance, progress);
  if (!made.ok()) return failed(made.error(), service.delete_instance(task.instance, progress).ok());
  TaskOutcome outcome;
  outcome.description = std::move(*made);
  return outcome;
}

TaskOutcome update(Service& service, const Task& task, const Progress& progress) {
  auto made = service.update_instance(task.instance, *task.target, progress);
  if (!made.ok()) return failed(made.error());
  TaskOutcome outcome;
  outcome.description = std::move(*made);
  return outcome;
}

TaskOutcome remove(Service& service, const Task& task, const Progress& progress) {
  // One that cannot be removed by itself, because its server is broken, goes with the instance.
  for (const auto& binding : task.leftovers) (void)service.delete_binding(task.instance, binding).ok();
  if (auto gone = service.delete_instance(task.instance, progress); !gone.ok()) return failed(gone.error());
  return {};
}

TaskOutcome bind(Service& service, const Task& task, const Progress& progress) {
  auto made = service.create_binding(task.instance, task.binding, progress);
  if (!made.ok()) return failed(made.error(), service.delete_binding(task.instance, task.binding).ok());
  TaskOutcome outcome;
  outcome.result = std::move(*made);
  return outcome;
}

}  // namespace

TaskOutcome perform(Service& service, const Task& task, const Progress& progress,
                    const std::function<void()>& accepted) {
  if (auto checked = check(service, task); !checked.ok()) return failed(checked.error());
  accepted();
  switch (task.work) {
    case Work::kCreate:
      return create(service, task, progress);
    case Work::kUpdate:
      return update(service, task, progress);
    case Work::kDelete:
      return remove(service, task, progress);
    case Work::kBind:
      return bind(service, task, progress);
    case Work::kUnbind:
      break;
  }
  if (auto gone = service.delete_binding(task.instance, task.binding); !gone.ok()) return failed(gone.error());
  return {};
}

}  // namespace chandler::osb::server
