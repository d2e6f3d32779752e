// The table of classes, for get and create.
#pragma once

#include "svcat/listing.h"

namespace chandler::svcat {

Listing class_listing(Call& call);

}  // namespace chandler::svcat
