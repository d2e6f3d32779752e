// Users that are part of the server.
#pragma once

#include <string_view>

namespace chandler::auth {

inline constexpr std::string_view kSystemAccounts = "system:serviceaccounts:kube-system";  // group of the controllers
inline constexpr std::string_view kServer = "system:apiserver";  // what the server writes for itself

}  // namespace chandler::auth
