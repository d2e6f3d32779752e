// Addresses that a broker wants people to open. Pure.
#pragma once

#include <string>
#include <string_view>

namespace chandler::osb {

// Empty when a browser can be trusted with it: http or https with a host, in printable ASCII as URLs are written.
// Otherwise what is wrong, without repeating any of it.
std::string web_link_fault(std::string_view url);

}  // namespace chandler::osb
