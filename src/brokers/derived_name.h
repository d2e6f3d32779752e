// Names of things that brokers make (directories, databases, users), derived from the ids that clients choose, so that
// no text of a client ever becomes part of a path or a statement. Pure.
#pragma once

#include <string>
#include <string_view>

namespace chandler::brokers {

// `prefix` and 24 characters of a-z and 2-7, from the SHA-256 of the id: lower case, no separators, safe in paths, SQL
// and URLs, and with a prefix of up to 8 characters within the 32 that the strictest server allows.
std::string derived_name(std::string_view prefix, std::string_view id);

}  // namespace chandler::brokers
