// Pages of a list: where a request's options lead, and what the answer says about going on. Used by list and by
// deletecollection.
#pragma once

#include "apiserver/call.h"
#include "apiserver/list_options.h"
#include "base/result.h"
#include "json/value.h"
#include "registry/cache.h"

namespace chandler::apiserver {

// The objects that the options ask for. When the snapshot of a continue token is gone, the error (410) carries a token
// that goes on in the current state, for clients that can live with that.
Result<registry::Page> read_page(const Services& services, const Call& call, const ListOptions& options);

// resourceVersion, and how to go on when there is more.
json::Object page_metadata(const registry::Page& page);

}  // namespace chandler::apiserver
