// Which revisions can be read: from the floor to the newest. Pure; the one place that words these two errors.
#pragma once

#include "storage/store.h"

namespace chandler::storage {

// The revision that a read `at` (0: now) shows.
Result<Revision> readable_revision(Revision at, Revision floor, Revision newest);

}  // namespace chandler::storage
