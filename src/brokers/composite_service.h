// Several services behind one broker: one catalog, and each request goes to the service whose id it names.
#pragma once

#include <memory>
#include <vector>

#include "osb/server/service.h"

namespace chandler::brokers {

// Ids of services and plans are different from each other. Thread-safe as far as the services are.
std::unique_ptr<osb::server::Service> make_composite_service(
    std::vector<std::unique_ptr<osb::server::Service>> services);

}  // namespace chandler::brokers
