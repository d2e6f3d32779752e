// DeleteOptions from the body or, when that is empty, from the query.
#pragma once

#include "apiserver/call.h"
#include "base/result.h"
#include "registry/objects.h"

namespace chandler::apiserver {

// `request.dry_run` is set when the options ask for it.
Result<registry::DeleteOptions> delete_options(const Call& call, registry::WriteRequest& request);

}  // namespace chandler::apiserver
