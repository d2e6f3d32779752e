// SQLite databases as a service: an instance is a directory with one database file in it, a binding tells its path. It
// needs nothing but a disk, so it is what newcomers and tests use first.
//
// There are no users inside SQLite: whoever may read the file may use it. The size limit of a plan is told to clients
// (maxPageCount in the credentials) and checked whenever the plan changes; SQLite itself keeps it per connection only.
#pragma once

#include <memory>
#include <string>
#include <string_view>

#include "base/result.h"
#include "osb/server/service.h"

namespace chandler::brokers {

// Databases live below `directory`, which is created for the owner only. What earlier deletions left is removed.
// Thread-safe for different instances, which is all that BrokerServer asks for.
Result<std::unique_ptr<osb::server::Service>> open_sqlite_service(const std::string& directory);

// Where the database of an instance is, below that directory. The name is derived, never taken from what a client sent.
std::string sqlite_database_path(const std::string& directory, std::string_view instance_id);

}  // namespace chandler::brokers
