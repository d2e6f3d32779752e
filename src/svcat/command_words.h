// Which command the words of a line mean: what running and completing have in common. Flags may stand in front of the
// verb and between verb and noun. Pure.
#pragma once

#include <string>
#include <string_view>
#include <vector>

#include "svcat/command.h"

namespace chandler::svcat {

// By its noun, or by another word for it (for the verb, when that stands alone).
bool is_called(const Command& command, std::string_view word);

// The verb first, then its noun, then everything else; words without a verb are returned as none. Older words for verbs
// are replaced by those that we use.
std::vector<std::string> in_order(const std::vector<Command>& commands, const std::vector<std::string>& words);

// The command that these words, in order, begin with, and how many of them name it; null: none.
const Command* find_command(const std::vector<Command>& commands, const std::vector<std::string>& words, size_t& used);

}  // namespace chandler::svcat
