// From words to a command, and from its result to an exit code.
#include <algorithm>

#include <fmt/format.h>
#include <fmt/ostream.h>

#include "base/text.h"
#include "svcat/call.h"
#include "svcat/command_words.h"
#include "svcat/commands.h"
#include "svcat/help.h"
#include "svcat/wait.h"

namespace chandler::svcat {
namespace {

int report(Environment& env, const Error& error, std::string_view help_for) {
  const Style style(env.err_is_terminal, env.variable);
  std::string message;
  for (const char c : error.message) message += static_cast<unsigned char>(c) < ' ' ? ' ' : c;
  if (is_usage_error(error)) message += fmt::format(" (see {} {}--help)", env.program, help_for);
  fmt::print(env.err, "{} {}\n", style.paint("Error:", Color::kRed), message);
  return is_usage_error(error) ? 2 : is_time_out(error) ? 3 : 1;
}

Error unknown_word(const std::vector<Command>& commands, std::string_view verb, std::string_view word) {
  std::vector<std::string_view> known;
  for (const auto& command : commands) {
    if (command.hidden || (!verb.empty() && command.verb != verb)) continue;
    known.push_back(verb.empty() ? command.verb : command.noun);
    known.insert(known.end(), command.noun_aliases.begin(), command.noun_aliases.end());
  }
  const auto near = nearest(word, known);
  return usage_error(fmt::format("there is no command {}{}{}", verb.empty() ? "" : fmt::format("{} ", verb), word,
                                 near.empty() ? "" : fmt::format("; did you mean {}?", near)));
}

int carry_out(Environment& env, const Command& command, const std::vector<std::string>& rest) {
  const auto help_for = command.name() + " ";
  auto arguments = parse_arguments(command, rest);
  if (!arguments.ok()) return report(env, arguments.error(), help_for);
  if (arguments->has("help")) {
    env.out << help_of(command, env.program);
    return 0;
  }
  Call call(env, command, std::move(arguments).value());
  const auto done = command.run(call);
  env.out.flush();
  return done.ok() ? *done : report(env, done.error(), help_for);
}

}  // namespace

int run(const std::vector<std::string>& words, Environment& environment) {
  const auto commands = all_commands();
  const auto ordered = in_order(commands, words);
  if (ordered.empty() || ordered[0] == "help") {
    if (ordered.size() > 1) {  // help VERB [NOUN]
      std::vector<std::string> asked(ordered.begin() + 1, ordered.end());
      asked.emplace_back("--help");
      return run(asked, environment);
    }
    environment.out << help_of_all(commands, environment.program);
    return 0;
  }
  size_t used = 0;
  if (const auto* command = find_command(commands, ordered, used)) {
    return carry_out(environment, *command, {ordered.begin() + static_cast<std::ptrdiff_t>(used), ordered.end()});
  }
  const auto& verb = ordered[0];
  const bool is_known =
      std::any_of(commands.begin(), commands.end(), [&](const Command& command) { return command.verb == verb; });
  if (!is_known) return report(environment, unknown_word(commands, "", verb), "");
  if (ordered.size() == 1 || ordered[1] == "--help" || ordered[1] == "-h") {
    environment.out << help_of_verb(commands, verb, environment.program);
    return ordered.size() == 1 ? 2 : 0;
  }
  return report(environment, unknown_word(commands, verb, ordered[1]), fmt::format("{} ", verb));
}

}  // namespace chandler::svcat
