// One piece of work for a Service, from its check to its end, as a worker thread performs it. A failed creation is
// cleaned up at once, so that a refusal leaves nothing behind.
#pragma once

#include <functional>
#include <optional>
#include <string>
#include <vector>

#include "base/error.h"
#include "json/value.h"
#include "osb/server/service.h"

namespace chandler::osb::server {

struct Task {
  Work work = Work::kCreate;
  InstanceSpec instance;               // as it is before the work
  std::optional<InstanceSpec> target;  // of an update
  BindingSpec binding;                 // of bind and unbind
  std::vector<BindingSpec> leftovers;  // bindings that go with the instance
};

struct TaskOutcome {
  std::optional<Error> error;
  bool is_clean = true;     // after a failed creation: nothing is left
  std::string description;  // of a success
  json::Value result;       // of a bind
};

// `accepted` is called once when the checks are passed and the work begins.
TaskOutcome perform(Service& service, const Task& task, const Progress& progress,
                    const std::function<void()>& accepted);

}  // namespace chandler::osb::server
