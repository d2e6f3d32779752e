// What instances and bindings hear from a broker may concern the broker as such: it refuses our credentials or the
// version of the API, or it says that the catalog we go by is out of date. Then its catalog is read again at once. If
// the trouble is the broker's, reading shows it, and the broker object tells it to everybody; if it was the catalog,
// there is a new one.
#pragma once

#include "controller/step.h"
#include "controller/view.h"
#include "osb/answer.h"
#include "reconcilers/catalog/kinds.h"

namespace chandler::reconcilers {

// The answer concerns the broker as such.
bool raises_doubt(const osb::Verdict& verdict);

// Asks for the catalog to be read, by status.catalogDoubtTime. The write stands behind what the step writes, so that no
// answer is lost because of it. There is none when the broker's trouble is shown already, or when its catalog was read
// a moment ago: many objects may hear the same.
void add_doubt(controller::Step& step, const BrokerRef& broker, controller::View& view);

}  // namespace chandler::reconcilers
