// What a broker has been sent and must not repeat, found again in the record that status keeps of a request: values
// from secrets stand there as "<redacted>", with a checksum of all that was sent.
#pragma once

#include <initializer_list>

#include "client/object.h"
#include "json/value.h"
#include "osb/sensitive.h"
#include "reconcilers/catalog/settings.h"

namespace chandler::reconcilers {

// `properties`: of the status of `object`; `stored`: what the secrets hold today (stored_parameters()). They are what
// was sent if the checksum says so; otherwise values are missing. Of the others those count that one of the schemas
// calls sensitive.
void add_sent_parameters(osb::Sensitive& out, const client::Object& object, const json::Value& properties,
                         const json::Object& stored, std::initializer_list<const json::Value*> schemas,
                         const Settings& settings);

}  // namespace chandler::reconcilers
