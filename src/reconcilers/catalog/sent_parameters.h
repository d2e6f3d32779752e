// What a broker has been sent and must not repeat, found again in the record that status keeps of a request: values
// from secrets stand there as "<redacted>", with a checksum of all that was sent.
#pragma once

#include <initializer_list>

#include "json/value.h"
#include "osb/sensitive.h"

namespace chandler::reconcilers {

// `properties`: of a status; `stored`: what the secrets hold today (stored_parameters()). They are what was sent if the
// checksum says so; otherwise values are missing. Of the others those count that one of the schemas calls sensitive.
void add_sent_parameters(osb::Sensitive& out, const json::Value& properties, const json::Object& stored,
                         std::initializer_list<const json::Value*> schemas);

}  // namespace chandler::reconcilers
