// A request to provision or bind whose outcome is unknown may be carried out late: it sits in a queue of the broker, or
// of a proxy before it, while the deletion that follows is answered already ("done", or "there is no such thing"). What
// it then makes would belong to nobody. So such a deletion is repeated once, the timeout of a request later, and the
// object stays until the second one is answered. Where every request was answered, one deletion is enough.
//
// status.lateRequestUntil has it across restarts: until when such a request is reckoned with. When an instance is
// updated meanwhile, status.lateRequestProperties keeps what the request asked for.
#pragma once

#include <optional>

#include "controller/step.h"
#include "reconcilers/catalog/broker_reply.h"

namespace chandler::reconcilers {

// Nobody knows what became of a request with this answer, or when: there was none, or a server error, which is often
// that of a proxy that has waited long enough.
bool leaves_open(const osb::Answer& answer);
// And its request would make something.
bool may_come_late(const controller::CallOutcome& outcome);

// An answer has come to what is under way according to `stored`. Its request may be carried out late if the answer
// leaves that open; and so may that of an earlier run, which died with its request on the way.
void note_late_request(json::Object& status, const json::Value& stored, const controller::CallOutcome& outcome,
                       const Settings& settings, WallTime now);
// The operation in `stored` ends without an answer. As above, if another run began it.
void note_dead_run(json::Object& status, const json::Value& stored, const Settings& settings, WallTime now);
// An operation begins: what would have been carried out late by now is not reckoned with any more.
void forget_late_request(json::Object& status, WallTime now);

// After the broker has answered that it is removed: the step that has it removed once more; none: it is over.
std::optional<controller::Step> remove_once_more(BrokerReply& reply);

}  // namespace chandler::reconcilers
