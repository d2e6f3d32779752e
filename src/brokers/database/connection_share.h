// How many connections each login of an instance may have, so that one instance cannot take all of a server that serves
// others too. SQL servers limit logins, not databases (or let the owner of a database change that limit), so the logins
// of an instance share what the instance may have. Pure.
#pragma once

#include <cstddef>
#include <cstdint>
#include <optional>

#include "base/result.h"
#include "brokers/database/engine.h"

namespace chandler::brokers {

// For each of `logins`, at least one. nullopt: no limit besides the server's, which is the instance's own. The error
// (422) says how many bindings there can be.
Result<std::optional<int64_t>> connection_share(const Tenant& tenant, size_t logins);

}  // namespace chandler::brokers
