// Versions of engines: what a claim asks for against what a class offers. Pure, thread-safe.
#pragma once

#include <optional>
#include <string>
#include <string_view>

namespace chandler::resolve {

// The version on which both agree; nullopt when they do not. Components, separated by dots, are compared one by one:
// what is asked for must be the beginning of what is offered, so 5.7 agrees with 5.7.21 and 5 does not agree with 56.
// Numbers count by value. A side that says nothing agrees with everything; the result is empty when neither says
// anything.
std::optional<std::string> agree_on_version(std::string_view asked, std::string_view offered);

}  // namespace chandler::resolve
