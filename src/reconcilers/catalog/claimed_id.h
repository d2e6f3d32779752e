// An ID at a broker belongs to one object, and when that was abandoned, to its namespace. Where people choose it
// (spec.externalID), several may choose the same one, in different namespaces too: they would share what the broker
// has, and one would delete it under the other. Or they choose an ID that is not safe in a URL. Our admission refuses
// such IDs, but other clusters do not have it.
#pragma once

#include <optional>

#include "controller/view.h"
#include "reconcilers/catalog/problem.h"

namespace chandler::reconcilers {

// Another object of the kind that has the same ID and comes first: it may have something at the broker, or it is
// older. Brokers may take upper and lower case for the same, so IDs that differ in nothing else are the same here. An
// ID that is the object's own uid was chosen by nobody, and is not looked for.
// Or what was abandoned under that ID belonged to another namespace, going by the record: stating the ID must not hand
// its data to another tenant. Deleting the record, which takes rights in kube-system, gives the ID free.
std::optional<Problem> claimed_id(const client::KindName& kind, const client::Object& object, controller::View& view);

// An ID that must not be sent to a broker (resolve/external_id.h), while the broker has nothing under it: what it may
// have is kept and deleted under any ID.
std::optional<Problem> malformed_id(const client::Object& object);

}  // namespace chandler::reconcilers
