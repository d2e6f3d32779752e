// What our provisioner is asked for, as calls that the engine sends: to make a volume, to remove one. A pool is treated
// as two brokers are, so it has lanes of its own, one to make and one to remove, with a bound and a breaker each. Pure.
#pragma once

#include <string>
#include <string_view>

#include "controller/step.h"
#include "reconcilers/volume/local_order.h"

namespace chandler::reconcilers {

// Scheme of the endpoints that the sender of local volumes takes.
inline constexpr std::string_view kLocalVolumesUrl = "local-volumes:";

controller::BrokerCall make_call(const std::string& volume, const LocalOrder& order);
controller::BrokerCall remove_call(const std::string& volume, const std::string& pool);

// The answer belongs to this call and not to an earlier intention.
bool answers(const controller::CallOutcome* outcome, const controller::BrokerCall& call);
bool succeeded(const controller::CallOutcome& outcome);
std::string path_in(const controller::CallOutcome& outcome);  // of a volume that was made
std::string fault_in(const controller::CallOutcome& outcome);
// When to try again after a fault: soon when the disk may recover, seldom when the request cannot work.
WallTime retry_at(const controller::CallOutcome& outcome, WallTime now);

}  // namespace chandler::reconcilers
