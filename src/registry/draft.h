// A document on its way through the store: made by the writer, finished by the cache when its revision is known, and
// handed back, so that the bytes are read once per write and not on the committing thread. Used by one thread at a
// time: the writer's until the write is queued, the store's from then on.
#pragma once

#include "registry/collection.h"
#include "registry/document.h"
#include "storage/store.h"

namespace chandler::registry {

struct Draft : storage::Attachment {
  ReadingPtr reading;     // how the document was read; the cache takes it only if it would read it the same way
  DraftPtr document;      // null when there is none, or when the cache has taken it
  size_t claimed = 0;     // of the quota; 0 when the cache has counted what the write took
  DocumentPtr published;  // what the cache shows for this write; null until then
};

}  // namespace chandler::registry
