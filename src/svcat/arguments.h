// The words after a command, read as pflag reads them, because people type kubectl and svcat side by side: flags
// anywhere, -n x, -nx, -n=x, --name x, --name=x, switches as --wait or --wait=false, "--" ends the flags. Pure.
#pragma once

#include <map>
#include <string>
#include <string_view>
#include <vector>

#include "base/result.h"
#include "svcat/command.h"

namespace chandler::svcat {

struct Arguments {
  std::vector<std::string> words;  // without flags
  std::map<std::string, std::vector<std::string>, std::less<>> flags;

  bool has(std::string_view flag) const { return flags.find(flag) != flags.end(); }
};

// A mistake of the user on the command line: exit code 2.
Error usage_error(std::string message);
bool is_usage_error(const Error& error);

Result<Arguments> parse_arguments(const Command& command, const std::vector<std::string>& words);

// The flag of that name; null: the command has none.
const Flag* find_flag(const Command& command, std::string_view name);
const Flag* find_flag(const Command& command, char letter);

}  // namespace chandler::svcat
