// Whether what a broker has of an instance may become what the spec asks for now. Admission says the same, earlier; but
// not every cluster has it, and a catalog may change after it was asked.
#pragma once

#include <optional>

#include "controller/view.h"
#include "reconcilers/catalog/problem.h"
#include "reconcilers/instance/instance_view.h"
#include "reconcilers/instance/resolution.h"

namespace chandler::reconcilers {

// Another plan only where that is allowed, which the plan that is left says, else the class; another class never.
std::optional<Problem> refused_move(const InstanceView& instance, const Resolution& resolution, controller::View& view);

}  // namespace chandler::reconcilers
