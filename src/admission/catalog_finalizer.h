// The finalizer by which an instance or a binding waits until its broker holds nothing for it any more. Removing it by
// hand abandons what the broker holds, so it needs the same right as the annotation and leaves the same record. Pure.
#pragma once

#include "admission/rules.h"

namespace chandler::admission {

// Decides about an update that leaves the finalizer out.
// The catalog's controller may remove it. So may everybody, from an object that is being deleted, if the broker holds
// nothing or the object is abandoned and that is on record. A PUT of an object that is not being deleted is not
// taken as a removal, because a manifest does not list what the server added: it stays. It also stays, with a warning,
// where the broker holds nothing, because a request may be about to be sent. Everything else is a request to abandon:
// the finalizer stays, the annotation is set, permit_abandon() asks for the right, and the controller removes the
// finalizer once the record is written.
void keep_catalog_finalizer(Context& context);

}  // namespace chandler::admission
