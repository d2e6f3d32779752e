// IDs under which brokers know instances and bindings, where users choose them (spec.externalID). Pure.
#pragma once

#include <string_view>

namespace chandler::resolve {

// What is wrong with a chosen ID, as the end of a sentence that begins with it; empty if the ID is
// valid. IDs become segments of URLs: whoever passes them on may decode, encode or normalise them, so that only the
// unreserved characters of RFC 3986 are guaranteed to arrive as they were sent. How long they may be is in the schema.
std::string_view external_id_fault(std::string_view id);

}  // namespace chandler::resolve
