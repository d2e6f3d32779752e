// The objects that every server has from its first start: namespaces, roles and bindings, from api/bootstrap.
#pragma once

#include "base/result.h"
#include "registry/kinds.h"
#include "registry/objects.h"

namespace chandler::app {

// Makes what is missing; what is there stays as it is. Blocking.
Result<void> bootstrap_objects(const registry::Kinds& kinds, registry::Objects& objects);

}  // namespace chandler::app
