// Memory for a document that is made, used and forgotten as a whole: a block that each thread keeps for its next
// document, growing from the heap when one is larger. So a document does not cost an allocation per value, and its
// memory is at hand. The arena lives as long as any value in it; those belong to one thread at a time, like every
// Value. Thread-safe.
#pragma once

#include "json/value.h"

namespace chandler::json {

Storage arena();

}  // namespace chandler::json
