// Addresses of service brokers. Pure.
#pragma once

#include <string>
#include <string_view>

namespace chandler::admission {

// "" when the broker can be called at this address, else what is wrong with it.
std::string broker_url_fault(std::string_view url);

// The address as messages may show it: without user name and password.
std::string shown_url(std::string_view url);

}  // namespace chandler::admission
