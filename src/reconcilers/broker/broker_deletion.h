// Ends a broker object: it waits for the instances that use it, and for bindings that an abandoned instance left; then
// its classes and plans go, then the object itself. Neither the broker nor its secret is needed for that. Pure.
#pragma once

#include "controller/view.h"
#include "reconcilers/broker/broker_view.h"

namespace chandler::reconcilers {

controller::Step end_broker(const BrokerView& broker, controller::View& view);

}  // namespace chandler::reconcilers
