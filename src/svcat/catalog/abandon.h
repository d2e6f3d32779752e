// Letting go of an instance or a binding without its broker being asked: the last resort when a broker is gone for
// good.
#pragma once

#include <string>

#include "svcat/call.h"

namespace chandler::svcat {

// Says what is left behind, with --yes too, and asks unless that was given.
Result<bool> confirm_abandon(Call& call, const Kind& kind, const std::string& name);

// Controllers of ours honour an annotation, keep a record and let the object go. Others know nothing of it: there the
// finalizer is taken away before the deletion, so that their controller has nothing left to do.
Result<void> abandon(Call& call, const Kind& kind, const std::string& ns, const std::string& name);

}  // namespace chandler::svcat
