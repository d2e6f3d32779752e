// The ID under which a broker knows an instance or a binding (spec.externalID): users may choose it, else the server
// does. The kinds share these rules. Pure.
#pragma once

#include "admission/rules.h"

namespace chandler::admission {

// An update that leaves the ID out keeps it; an object without one gets its own uid, so what a broker has under that
// is ours.
void default_external_id(Context& context);

// Of a new ID only, so that an object that is stored with another one can still be changed and deleted. The
// reconcilers check it again (reconcilers/catalog/claimed_id.h), for clusters without these rules.
void check_external_id(const Context& context, meta::FieldErrors& errors);

}  // namespace chandler::admission
