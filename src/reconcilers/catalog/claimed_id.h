// An ID at a broker belongs to one object. Where people choose it (spec.externalID), several may choose the same one,
// in different namespaces too: they would share what the broker has, and one would delete it under the other.
#pragma once

#include <optional>

#include "controller/view.h"
#include "reconcilers/catalog/problem.h"

namespace chandler::reconcilers {

// Another object of the kind that has the same ID and comes first: it may have something at the broker, or it is
// older. An ID that is the object's own uid was chosen by nobody, and is not looked for.
std::optional<Problem> claimed_id(const client::KindName& kind, const client::Object& object, controller::View& view);

}  // namespace chandler::reconcilers
