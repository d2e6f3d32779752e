// svcat __complete: what may stand at the end of a command line, one candidate per line. Never an error: a shell that
// completes has nobody to tell.
#include <algorithm>
#include <set>

#include <fmt/format.h>
#include <fmt/ostream.h>

#include "base/text.h"
#include "svcat/call.h"
#include "svcat/catalog/fields.h"
#include "svcat/commands.h"

namespace chandler::svcat {
namespace {

constexpr size_t kMaxNames = 500;

using Words = std::vector<std::string>;

bool is_called(const Command& command, std::string_view word) {
  const auto& aliases = command.noun_aliases;
  return command.noun == word || std::find(aliases.begin(), aliases.end(), word) != aliases.end();
}

void offer_names(Catalog& catalog, const Kind& kind, std::string_view ns, bool external, std::set<std::string>& out) {
  const auto done = catalog.pages(kind, ns, {}, [&](const Page& page) {
    for (const auto& item : page.items) out.insert(external ? external_name_of(item) : name_of(item));
    return out.size() < kMaxNames;
  });
  (void)done;  // what could not be listed is not offered
}

// Names from the server, in the namespace that the words so far say.
void offer_from_server(Call& call, const Command& command, const Arguments& arguments, Offer offer,
                       std::set<std::string>& out) {
  Call inner(call.env(), command, arguments);
  const auto catalog = inner.catalog();
  const auto ns = inner.ns();
  if (!catalog.ok() || !ns.ok()) return;
  if (offer == Offer::kInstances) return offer_names(**catalog, instances_kind(), *ns, false, out);
  if (offer == Offer::kBindings) return offer_names(**catalog, bindings_kind(), *ns, false, out);
  if (offer == Offer::kNamespaces) return offer_names(**catalog, namespaces_kind(), "", false, out);
  for (const auto scope : {Scope::kNamespace, Scope::kCluster}) {
    const auto& names = names_of(scope);
    if (offer == Offer::kBrokers) offer_names(**catalog, names.brokers, *ns, false, out);
    if (offer == Offer::kClasses) offer_names(**catalog, names.classes, *ns, true, out);
    if (offer == Offer::kPlans) offer_names(**catalog, names.plans, *ns, true, out);
    if (offer == Offer::kTypes) {
      const auto listed = (*catalog)->list(names.plans, *ns);
      if (!listed.ok()) continue;
      for (const auto& plan : *listed) {
        if (!type_of(plan).empty()) out.insert(type_of(plan));
      }
    }
  }
}

void offer_words(const std::vector<Command>& commands, const Words& before, std::set<std::string>& out) {
  for (const auto& command : commands) {
    if (command.hidden) continue;
    if (before.empty()) out.insert(std::string(command.verb));
    if (before.size() == 1 && command.verb == before[0] && !command.noun.empty()) out.insert(std::string(command.noun));
  }
}

const Command* command_of(const std::vector<Command>& commands, const Words& words, size_t& used) {
  for (const auto& command : commands) {
    if (command.hidden || words.empty()) continue;
    const bool alone = command.noun.empty() && (command.verb == words[0] || is_called(command, words[0]));
    if (alone) {
      used = 1;
      return &command;
    }
    if (command.verb == words[0] && words.size() > 1 && is_called(command, words[1])) {
      used = 2;
      return &command;
    }
  }
  return nullptr;
}

void offer_for(Call& call, const Command& command, const Words& before, const std::string& last,
               std::set<std::string>& out) {
  const Flag* open = nullptr;  // a flag that waits for its value
  if (!before.empty() && before.back().size() > 1 && before.back().starts_with('-')) {
    const auto& word = before.back();
    const auto* flag = word.starts_with("--") ? find_flag(command, std::string_view(word).substr(2))
                       : word.size() == 2     ? find_flag(command, word[1])
                                              : nullptr;
    if (flag != nullptr && !flag->value.empty()) open = flag;
  }
  if (open == nullptr && last.starts_with('-')) {
    for (const auto* flags : {&command.flags, &global_flags()}) {
      for (const auto& flag : *flags) out.insert(fmt::format("--{}", flag.name));
    }
    return;
  }
  auto known = before;
  if (open != nullptr) known.pop_back();
  const auto arguments =
      parse_arguments(Command{.verb = command.verb, .max_arguments = 1000, .flags = command.flags}, known);
  if (!arguments.ok()) return;
  const auto offer = open != nullptr ? open->offer : command.offer;
  if (offer == Offer::kNothing || offer == Offer::kFiles) return;
  if (open == nullptr && arguments->words.size() >= command.max_arguments) return;
  if (offer == Offer::kWords) {
    if (open != nullptr) {
      for (const auto word : open->words) out.insert(std::string(word));
    } else {
      out.insert({"bash", "fish", "zsh"});
    }
    return;
  }
  offer_from_server(call, command, *arguments, offer, out);
}

Result<int> run(Call& call) {
  Words words;
  for (size_t i = 0; i < call.argument_count(); ++i) words.push_back(call.argument(i));
  const auto last = words.empty() ? std::string() : words.back();
  if (!words.empty()) words.pop_back();
  const auto commands = all_commands();
  std::set<std::string> candidates;
  size_t used = 0;
  const auto* command = command_of(commands, words, used);
  if (command == nullptr) {
    offer_words(commands, words, candidates);
  } else {
    offer_for(call, *command, {words.begin() + static_cast<std::ptrdiff_t>(used), words.end()}, last, candidates);
  }
  for (const auto& candidate : candidates) {
    if (candidate.starts_with(last)) fmt::print(call.out(), "{}\n", candidate);
  }
  return 0;
}

}  // namespace

Command complete() {
  return {.verb = "__complete",
          .arguments = "WORD...",
          .max_arguments = 1000,
          .summary = "Candidates for the last of these words",
          .examples = {"__complete -- get cl"},
          .run = run,
          .hidden = true};
}

}  // namespace chandler::svcat
