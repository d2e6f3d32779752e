// Who makes a request: what authentication found out and authorization goes by. Plain value.
#pragma once

#include <algorithm>
#include <map>
#include <string>
#include <string_view>
#include <vector>

namespace chandler::auth {

inline constexpr std::string_view kMasters = "system:masters";  // may everything, whatever the roles say
inline constexpr std::string_view kAuthenticated = "system:authenticated";
inline constexpr std::string_view kUnauthenticated = "system:unauthenticated";
inline constexpr std::string_view kAnonymous = "system:anonymous";

struct User {
  std::string name;
  std::string uid;
  std::vector<std::string> groups;
  std::map<std::string, std::vector<std::string>> extra;
  bool operator==(const User&) const = default;

  bool in_group(std::string_view group) const { return std::find(groups.begin(), groups.end(), group) != groups.end(); }
};

// Whoever offers no credential.
inline User anonymous() {
  User user;
  user.name = kAnonymous;
  user.groups.emplace_back(kUnauthenticated);
  return user;
}

std::string service_account_user(std::string_view ns, std::string_view name);  // system:serviceaccount:<ns>:<name>
// system:serviceaccounts and system:serviceaccounts:<ns>
std::vector<std::string> service_account_groups(std::string_view ns);

}  // namespace chandler::auth
