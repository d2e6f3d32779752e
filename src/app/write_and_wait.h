// For the few writes that must be done before anything else starts.
#pragma once

#include "base/result.h"
#include "client/api.h"

namespace chandler::app {

// Writes and waits. Never on the store's thread.
Result<client::Object> write_and_wait(client::Writer& writer, client::Write write);

}  // namespace chandler::app
