// The addresses of existing database servers hold passwords: `@FILE` keeps them out of the process list.
#pragma once

#include "base/result.h"
#include "brokers/bundled_services.h"

namespace chandler::app {

// Puts the content of the file in the place of each `@FILE`.
Result<brokers::DatabaseUrls> read_database_urls(brokers::DatabaseUrls urls);

}  // namespace chandler::app
