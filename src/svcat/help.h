// Help texts, made from the data of the commands. Pure.
#pragma once

#include <string>
#include <string_view>
#include <vector>

#include "svcat/command.h"

namespace chandler::svcat {

std::string help_of(const Command& command, std::string_view program);
std::string help_of_all(const std::vector<Command>& commands, std::string_view program);
// Of the commands with this verb.
std::string help_of_verb(const std::vector<Command>& commands, std::string_view verb, std::string_view program);

}  // namespace chandler::svcat
