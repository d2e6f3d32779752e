// Names of ports, as containers give and Services and probes use them. Pure.
#pragma once

#include <string>
#include <string_view>

#include "json/value.h"

namespace chandler::admission {

// "" when fine, else what is wrong: up to 15 lower case letters, digits and single '-', at least one letter.
std::string check_port_name(std::string_view name);

// A port by number or name; numbers out of range are the schema's business unless it leaves them to us.
std::string check_port_ref(const json::Value& port);

}  // namespace chandler::admission
