// From words to a command, and from its result to an exit code.
#include <algorithm>

#include <fmt/format.h>
#include <fmt/ostream.h>

#include "base/text.h"
#include "svcat/call.h"
#include "svcat/commands.h"
#include "svcat/help.h"
#include "svcat/wait.h"

namespace chandler::svcat {
namespace {

bool is_called(const Command& command, std::string_view noun) {
  return command.noun == noun ||
         std::find(command.noun_aliases.begin(), command.noun_aliases.end(), noun) != command.noun_aliases.end();
}

std::string_view verb_of(std::string_view word) {
  if (word == "relist") return "sync";  // what it was called first
  return word;
}

// The words in the order command, then everything else: flags may stand in front of the command.
struct Split {
  std::vector<std::string> words;  // verb first, when there is one
  bool help = false;
};

Split sorted_out(const std::vector<std::string>& words) {
  const Command none{.verb = ""};
  std::vector<std::string> front;
  size_t next = 0;
  Split out;
  while (next < words.size() && words[next].size() > 1 && words[next].starts_with('-')) {
    const std::string& word = words[next];
    out.help = out.help || word == "--help" || word == "-h";
    front.push_back(word);
    ++next;
    const auto name = std::string_view(word).substr(std::min(word.find_first_not_of('-'), word.size()));
    const Flag* flag = word.starts_with("--") ? find_flag(none, name)
                       : word.size() == 2     ? find_flag(none, word[1])
                                              : nullptr;
    const bool is_namespace = word == "-n" || word == "--namespace";
    const bool takes_next = is_namespace || (flag != nullptr && !flag->value.empty());
    if (takes_next && next < words.size()) front.push_back(words[next++]);
  }
  out.words.assign(words.begin() + static_cast<std::ptrdiff_t>(next), words.end());
  if (out.words.empty()) return out;
  // Behind the verb and its noun they are read like all others.
  out.words.insert(out.words.end(), front.begin(), front.end());
  return out;
}

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

// `get --cluster classes`: the noun is the first word that is one.
void move_noun_forward(const std::vector<Command>& commands, std::string_view verb, std::vector<std::string>& words) {
  if (words.size() < 3 || !words[1].starts_with('-')) return;
  const auto is_noun = [&](const std::string& word) {
    return std::any_of(commands.begin(), commands.end(), [&](const Command& command) {
      return !command.noun.empty() && command.verb == verb && is_called(command, word);
    });
  };
  const auto noun = std::find_if(words.begin() + 1, words.end(), is_noun);
  if (noun != words.end()) std::rotate(words.begin() + 1, noun, noun + 1);
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
  auto split = sorted_out(words);
  if (split.words.empty() || split.words[0] == "help") {
    if (split.words.size() > 1) {  // help VERB [NOUN]
      std::vector<std::string> asked(split.words.begin() + 1, split.words.end());
      asked.emplace_back("--help");
      return run(asked, environment);
    }
    environment.out << help_of_all(commands, environment.program);
    return 0;
  }
  const auto verb = verb_of(split.words[0]);
  move_noun_forward(commands, verb, split.words);
  bool verb_known = false;
  for (const auto& command : commands) {
    if (command.noun.empty() && (command.verb == verb || is_called(command, verb))) {
      return carry_out(environment, command, {split.words.begin() + 1, split.words.end()});
    }
    if (command.noun.empty() || command.verb != verb) continue;
    verb_known = true;
    if (split.words.size() > 1 && is_called(command, split.words[1])) {
      return carry_out(environment, command, {split.words.begin() + 2, split.words.end()});
    }
  }
  if (!verb_known) return report(environment, unknown_word(commands, "", verb), "");
  if (split.words.size() == 1 || split.words[1] == "--help" || split.words[1] == "-h") {
    environment.out << help_of_verb(commands, verb, environment.program);
    return split.words.size() == 1 ? 2 : 0;
  }
  return report(environment, unknown_word(commands, verb, split.words[1]), fmt::format("{} ", verb));
}

}  // namespace chandler::svcat
