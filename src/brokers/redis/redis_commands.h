// What tenants of a shared Redis server may run. A list of what is allowed, because the server adds commands with every
// version: one that is not named here is refused. What is refused on purpose is named too, with the reason; the test
// walks over all commands of the server and finds those without a verdict. Pure.
#pragma once

#include <optional>
#include <string>
#include <string_view>
#include <vector>

namespace chandler::brokers {

struct CommandVerdict {
  bool is_allowed = false;
  std::string_view reason;  // for refusing it
};

// Of a command as the server names it, such as "get" or "client|list". A command that consists of subcommands counts as
// allowed when one of them is; nullopt: not known here.
std::optional<CommandVerdict> shared_command(std::string_view name);

// The rules of a user that give exactly what is allowed, beginning with "-@all". For Redis 7.0 and later.
const std::vector<std::string>& shared_command_rules();

// Users of tenants used to have all commands but some. Whether a line of ACL LIST, or of the file with users, is such
// a user of ours on a shared server; and the lines of a file with those users as they are now.
bool has_former_rules(std::string_view acl_line);
std::string with_present_rules(std::string_view acl_file);

}  // namespace chandler::brokers
