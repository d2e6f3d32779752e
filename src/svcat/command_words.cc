#include "svcat/command_words.h"

#include <algorithm>

#include "svcat/arguments.h"

namespace chandler::svcat {
namespace {

// How many words from here on belong to flags.
size_t flags_in_front(const std::vector<std::string>& words) {
  const Command none{.verb = ""};
  size_t next = 0;
  while (next < words.size() && words[next].size() > 1 && words[next].starts_with('-')) {
    const std::string& word = words[next++];
    const auto name = std::string_view(word).substr(std::min(word.find_first_not_of('-'), word.size()));
    const Flag* flag = word.starts_with("--") ? find_flag(none, name)
                       : word.size() == 2     ? find_flag(none, word[1])
                                              : nullptr;
    const bool is_namespace = word == "-n" || word == "--namespace";
    if ((is_namespace || (flag != nullptr && !flag->value.empty())) && next < words.size()) ++next;
  }
  return next;
}

// `get --cluster classes`: the noun is the first word that is one.
void move_noun_forward(const std::vector<Command>& commands, std::vector<std::string>& words) {
  if (words.size() < 3 || !words[1].starts_with('-')) return;
  const auto is_noun = [&](const std::string& word) {
    return std::any_of(commands.begin(), commands.end(), [&](const Command& command) {
      return !command.noun.empty() && command.verb == words[0] && is_called(command, word);
    });
  };
  const auto noun = std::find_if(words.begin() + 1, words.end(), is_noun);
  if (noun != words.end()) std::rotate(words.begin() + 1, noun, noun + 1);
}

}  // namespace

bool is_called(const Command& command, std::string_view word) {
  const auto& aliases = command.noun_aliases;
  if (word.empty()) return false;
  return command.noun == word || std::find(aliases.begin(), aliases.end(), word) != aliases.end();
}

std::vector<std::string> in_order(const std::vector<Command>& commands, const std::vector<std::string>& words) {
  const auto verb = words.begin() + static_cast<std::ptrdiff_t>(flags_in_front(words));
  std::vector<std::string> out(verb, words.end());
  if (out.empty()) return out;
  if (out[0] == "relist") out[0] = "sync";  // what it was called first
  // Behind the verb and its noun they are read like all other flags.
  out.insert(out.end(), words.begin(), verb);
  move_noun_forward(commands, out);
  return out;
}

const Command* find_command(const std::vector<Command>& commands, const std::vector<std::string>& words, size_t& used) {
  if (words.empty()) return nullptr;
  for (const auto& command : commands) {
    const bool is_alone = command.noun.empty();
    if (is_alone ? command.verb != words[0] && !is_called(command, words[0])
                 : command.verb != words[0] || words.size() < 2 || !is_called(command, words[1])) {
      continue;
    }
    used = is_alone ? 1 : 2;
    return &command;
  }
  return nullptr;
}

}  // namespace chandler::svcat
