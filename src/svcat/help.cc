#include "svcat/help.h"

#include <algorithm>

#include <fmt/format.h>

#include "base/text.h"

namespace chandler::svcat {
namespace {

void add_flags(std::string& text, std::string_view title, const std::vector<Flag>& flags) {
  if (flags.empty()) return;
  text += fmt::format("\n{}:\n", title);
  for (const auto& flag : flags) {
    auto left = fmt::format("  {}--{}", flag.letter == 0 ? "    " : fmt::format("-{}, ", flag.letter), flag.name);
    if (!flag.value.empty()) left += fmt::format(" {}", flag.value);
    text += fmt::format("{:<34} {}{}{}\n", left, flag.help,
                        flag.fallback.empty() ? "" : fmt::format(" (default {})", flag.fallback),
                        flag.repeated ? " (repeatable)" : "");
  }
}

void add_commands(std::string& text, const std::vector<Command>& commands, std::string_view verb) {
  for (const auto& command : commands) {
    if (command.hidden || (!verb.empty() && command.verb != verb)) continue;
    text += fmt::format("  {:<22} {}\n", command.name(), command.summary);
  }
}

}  // namespace

std::string help_of(const Command& command, std::string_view program) {
  auto text = fmt::format("{}\n", command.summary);
  if (!command.details.empty()) text += fmt::format("\n{}\n", command.details);
  text += fmt::format("\nUsage:\n  {} {}{}{} [flags]\n", program, command.name(), command.arguments.empty() ? "" : " ",
                      command.arguments);
  if (!command.noun_aliases.empty()) {
    std::vector<std::string> words(command.noun_aliases.begin(), command.noun_aliases.end());
    text += fmt::format("\nOther words for {}: {}\n", command.noun.empty() ? command.verb : command.noun,
                        join(words, ", "));
  }
  text += "\nExamples:\n";
  for (const auto example : command.examples) text += fmt::format("  {} {}\n", program, example);
  add_flags(text, "Flags", command.flags);
  add_flags(text, "Flags of every command", global_flags());
  return text;
}

std::string help_of_all(const std::vector<Command>& commands, std::string_view program) {
  auto text = fmt::format(
      "{} works with a service catalog: find services, provision them, get their credentials.\n"
      "\nUsage:\n  {} COMMAND [flags]\n\nCommands:\n",
      program, program);
  add_commands(text, commands, "");
  text += fmt::format(
      "\nExamples:\n  {0} marketplace\n  {0} provision mydb --type mysql --wait\n  {0} bind mydb --wait\n", program);
  add_flags(text, "Flags of every command", global_flags());
  text += fmt::format(
      "\n{} COMMAND --help explains a command. Exit codes: 0 done, 1 failed, 2 wrong usage, 3 timed out "
      "waiting.\n",
      program);
  return text;
}

std::string help_of_verb(const std::vector<Command>& commands, std::string_view verb, std::string_view program) {
  auto text = fmt::format("Usage:\n  {} {} WHAT [flags]\n\nCommands:\n", program, verb);
  add_commands(text, commands, verb);
  text += "\nExamples:\n";
  for (const auto& command : commands) {
    if (command.verb == verb && !command.examples.empty()) {
      text += fmt::format("  {} {}\n", program, command.examples.front());
    }
  }
  return text;
}

}  // namespace chandler::svcat
