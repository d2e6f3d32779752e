// From flags to an audit log.
#pragma once

#include <memory>

#include "apiserver/audit/audit_log.h"
#include "app/access_options.h"

namespace chandler::app {

// Null when none is asked for. A policy that cannot be read or a file that cannot be opened is an error, with the file,
// the rule and the field: a server that logs less than was meant must not start.
Result<std::unique_ptr<apiserver::AuditLog>> make_audit_log(const AuditOptions& options, const Clock& clock,
                                                            metrics::Registry& metrics);

}  // namespace chandler::app
