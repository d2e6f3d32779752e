#include "auth/user.h"

namespace chandler::auth {

std::string service_account_user(std::string_view ns, std::string_view name) {
  std::string user = "system:serviceaccount:";
  user.append(ns).append(":").append(name);
  return user;
}

std::vector<std::string> service_account_groups(std::string_view ns) {
  return {"system:serviceaccounts", "system:serviceaccounts:" + std::string(ns)};
}

}  // namespace chandler::auth
