#include "brokers/database/connection_share.h"

#include <algorithm>

#include <fmt/format.h>

namespace chandler::brokers {

Result<std::optional<int64_t>> connection_share(const Tenant& tenant, size_t logins) {
  if (tenant.is_whole_server) return std::optional<int64_t>();
  const int64_t wanted = number(tenant.settings, "maxConnections");
  if (tenant.max_connections == 0) return std::optional<int64_t>(wanted);
  const int64_t share = tenant.max_connections / static_cast<int64_t>(std::max<size_t>(logins, 1));
  if (share == 0) {
    Error error;
    error.reason = Reason::kInvalid;
    error.message = fmt::format(
        "the bindings of an instance share {0} connections, so there can be no more than {0} bindings; unbind one "
        "first",
        tenant.max_connections);
    return error;
  }
  return std::optional<int64_t>(std::min(wanted, share));
}

}  // namespace chandler::brokers
