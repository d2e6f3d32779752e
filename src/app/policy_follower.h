// Keeps the access policy in step with the stored roles and bindings: a change is in force before its writer is told.
#pragma once

#include "auth/policy_store.h"
#include "registry/cache.h"
#include "registry/kinds.h"

namespace chandler::app {

// Before the cache follows the store.
void follow_policy(registry::Cache& cache, auth::PolicyStore& policy);
// After: everything that is stored.
void load_policy(const registry::Kinds& kinds, const registry::Cache& cache, auth::PolicyStore& policy);

}  // namespace chandler::app
