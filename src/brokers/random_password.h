// Passwords for logins that brokers make. Thread-safe.
#pragma once

#include <string>

namespace chandler::brokers {

// 40 letters and digits from the kernel's generator (more than 230 bits): safe in URLs, SQL and Redis ACLs as it is.
std::string random_password();

}  // namespace chandler::brokers
