// The key of the checksums of parameters in status (resolve/parameter_checksum.h). It is a Secret like any other, so it
// is encrypted at rest, comes back with a backup, does not change when the keys of encryption do, and all candidates of
// an election share it.
#pragma once

#include "base/result.h"
#include "client/api.h"
#include "resolve/parameter_checksum.h"

namespace chandler::app {

// Made by whoever starts first. Waits for the answer.
Result<resolve::ChecksumKey> checksum_key(client::Api& api);

}  // namespace chandler::app
