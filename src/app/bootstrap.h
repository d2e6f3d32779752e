// The objects that every server has from its first start: namespaces, roles, bindings and UsageKinds, from
// api/bootstrap.
#pragma once

#include "base/result.h"
#include "registry/kinds.h"
#include "registry/objects.h"

namespace chandler::app {

// Makes what is missing; what is there stays as it is. UsageKinds are made once and never again, so that one can be
// deleted for good: the ConfigMap kube-system/shipped-usage-kinds says which have been made. Blocking.
Result<void> bootstrap_objects(const registry::Kinds& kinds, registry::Objects& objects);

}  // namespace chandler::app
