// Under which account a database server runs. Servers never run as root: when we are root, they run as the account that
// the distribution made for them, else as nobody. When we are not, they run as we do.
#pragma once

#include <sys/types.h>

#include <optional>
#include <string>
#include <vector>

#include "base/result.h"

namespace chandler::brokers {

struct Account {
  std::string name;
  uid_t uid = 0;
  gid_t gid = 0;
};

// The first of `names` that exists, else nobody; nullopt when we are not root and stay who we are.
Result<std::optional<Account>> server_account(const std::vector<std::string>& names);

// Creates `path` (its parent exists) for the account alone, or corrects owner and mode of what is there.
Result<void> make_private_directory(const std::string& path, const std::optional<Account>& account);

// The uppermost directory above `top` that is closed to the account, "" if there is none.
Result<std::string> closed_above(const std::string& top, const std::optional<Account>& account);

// Makes `path` reachable for the account: directories from `top` down to `path` may be passed through by anybody (what
// is in them keeps its own modes). Directories above `top` are not ours and stay as they are: closed_above() is
// returned.
Result<std::string> open_way(const std::string& top, const std::string& path, const std::optional<Account>& account);

}  // namespace chandler::brokers
