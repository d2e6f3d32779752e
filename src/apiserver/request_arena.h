// Memory for the document of one request: a block that each thread keeps for its next request, growing from the heap
// when a document is larger. So a request does not cost an allocation per value. The arena lives as long as any value
// in it; those belong to one thread at a time, like every Value. Thread-safe.
#pragma once

#include "json/value.h"

namespace chandler::apiserver {

json::Storage request_arena();

}  // namespace chandler::apiserver
