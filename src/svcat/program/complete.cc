// svcat __complete: what may stand at the end of a command line, one candidate per line. Never an error: a shell that
// completes has nobody to tell. Exit code kOfferFiles says that names of files are wanted, which shells know best.
#include <algorithm>
#include <set>

#include <fmt/format.h>
#include <fmt/ostream.h>

#include "base/text.h"
#include "svcat/call.h"
#include "svcat/catalog/fields.h"
#include "svcat/claims/claim_kinds.h"
#include "svcat/command_words.h"
#include "svcat/commands.h"
#include "svcat/usages/workload.h"

namespace chandler::svcat {
namespace {

constexpr size_t kMaxNames = 500;
constexpr int kOfferFiles = 10;  // the scripts of completion.cc know it

using Words = std::vector<std::string>;
using Candidates = std::set<std::string>;

void offer_names(Catalog& catalog, const Kind& kind, std::string_view ns, bool external, Candidates& out) {
  const auto done = catalog.pages(kind, ns, {}, [&](const Page& page) {
    for (const auto& item : page.items) out.insert(external ? external_name_of(item) : name_of(item));
    return out.size() < kMaxNames;
  });
  (void)done;  // what could not be listed is not offered
}

void offer_types(Catalog& catalog, const ScopeNames& names, std::string_view ns, Candidates& out) {
  for (const auto* kind : {&names.plans, &names.classes}) {
    const auto done = catalog.pages(*kind, ns, {}, [&](const Page& page) {
      for (const auto& item : page.items) {
        if (!type_of(item).empty()) out.insert(type_of(item));
      }
      return out.size() < kMaxNames;
    });
    (void)done;
  }
}

// The plans of one class, each as `front` and its name.
void offer_plans_of(Catalog& catalog, const ScopeNames& names, std::string_view ns, const std::string& class_name,
                    const std::string& front, Candidates& out) {
  const auto classes = catalog.list(names.classes, ns, {{"spec.externalName", class_name}});
  if (!classes.ok()) return;
  for (const auto& service_class : *classes) {
    const auto plans = catalog.list(names.plans, namespace_of(service_class),
                                    {{fmt::format("spec.{}.name", names.class_ref), name_of(service_class)}});
    if (!plans.ok()) continue;
    for (const auto& plan : *plans) out.insert(front + external_name_of(plan));
  }
}

// A kind of claim or, when that is there, the claims of it.
void offer_claims(Call& call, const Words& words, Candidates& out) {
  if (words.empty()) {
    const auto kinds = claim_kinds(call);
    if (!kinds.ok()) return;
    for (const auto& kind : *kinds) out.insert(kind.served.noun);
    return;
  }
  const auto catalog = call.catalog();
  const auto ns = call.ns();
  const auto kind = find_claim_kind(call, words.front());
  if (catalog.ok() && ns.ok() && kind.ok()) offer_names(**catalog, kind->served.kind(), *ns, false, out);
}

// KIND/NAME: the kinds that can use bindings or, when one is there, the workloads of it.
void offer_workloads(Call& call, const std::string& last, Candidates& out) {
  const auto catalog = call.catalog();
  const auto ns = call.ns();
  if (!catalog.ok() || !ns.ok()) return;
  const auto slash = last.find('/');
  if (slash == std::string::npos) {
    Candidates kinds;
    offer_names(**catalog, usage_kinds_kind(), "", false, kinds);
    for (const auto& kind : kinds) out.insert(kind + "/");
    return;
  }
  const auto front = last.substr(0, slash);
  const auto usage_kind = find_usage_kind(call, front);
  if (!usage_kind.ok()) return;
  const auto kind = discover_workload(**catalog, *usage_kind);
  if (!kind.ok() || !*kind) return;
  Candidates names;
  offer_names(**catalog, (*kind)->kind(), *ns, false, names);
  for (const auto& name : names) out.insert(fmt::format("{}/{}", front, name));
}

// Names from the server, in the namespace that the words so far say. `last` is what is there of the name.
void offer_from_server(Call& call, const Command& command, const Arguments& arguments, Offer offer,
                       const std::string& last, Candidates& out) {
  Call inner(call.env(), command, arguments);
  const auto catalog = inner.catalog();
  const auto ns = inner.ns();
  if (!catalog.ok() || !ns.ok()) return;
  if (offer == Offer::kInstances) return offer_names(**catalog, instances_kind(), *ns, false, out);
  if (offer == Offer::kBindings) return offer_names(**catalog, bindings_kind(), *ns, false, out);
  if (offer == Offer::kNamespaces) return offer_names(**catalog, namespaces_kind(), "", false, out);
  if (offer == Offer::kUsages) return offer_names(**catalog, usages_kind(), *ns, false, out);
  if (offer == Offer::kWorkloads) return offer_workloads(inner, last, out);
  if (offer == Offer::kUsageKinds) return offer_names(**catalog, usage_kinds_kind(), "", false, out);
  if (offer == Offer::kResourceClasses) return offer_names(**catalog, resource_classes_kind(), *ns, false, out);
  if (offer == Offer::kStorageClasses) return offer_names(**catalog, storage_classes_kind(), "", false, out);
  if (offer == Offer::kVolumeClaims) return offer_names(**catalog, volume_claims_kind(), *ns, false, out);
  if (offer == Offer::kClaims || offer == Offer::kClaimKinds) {
    return offer_claims(inner, offer == Offer::kClaims ? arguments.words : Words(), out);
  }
  const auto slash = last.find('/');  // CLASS/PLAN
  const auto of_class = slash != std::string::npos ? last.substr(0, slash) : inner.flag("class");
  for (const auto scope : {Scope::kNamespace, Scope::kCluster}) {
    const auto& names = names_of(scope);
    if (offer == Offer::kBrokers) offer_names(**catalog, names.brokers, *ns, false, out);
    if (offer == Offer::kClasses) offer_names(**catalog, names.classes, *ns, true, out);
    if (offer == Offer::kTypes) offer_types(**catalog, names, *ns, out);
    if (offer != Offer::kPlans) continue;
    if (of_class.empty()) {
      offer_names(**catalog, names.plans, *ns, true, out);
    } else {
      offer_plans_of(**catalog, names, *ns, of_class, slash == std::string::npos ? "" : of_class + "/", out);
    }
  }
}

void offer_flags(const Command& command, Candidates& out) {
  for (const auto* flags : {&command.flags, &global_flags()}) {
    for (const auto& flag : *flags) out.insert(fmt::format("--{}", flag.name));
  }
}

// The flag that the word is, if it waits for a value.
const Flag* open_flag(const Command& command, std::string_view word) {
  const Flag* flag = word.starts_with("--")                      ? find_flag(command, word.substr(2))
                     : word.size() == 2 && word.starts_with('-') ? find_flag(command, word[1])
                                                                 : nullptr;
  return flag == nullptr || flag->value.empty() ? nullptr : flag;
}

// Whether names of files are wanted.
bool offer_values(Call& call, const Command& command, const Words& before, const Flag* flag, const std::string& last,
                  Candidates& out) {
  const auto arguments =
      parse_arguments(Command{.verb = command.verb, .max_arguments = 1000, .flags = command.flags}, before);
  if (!arguments.ok()) return false;
  if (flag == nullptr && arguments->words.size() >= command.max_arguments) return false;
  const auto offer = flag != nullptr ? flag->offer : command.offer;
  if (offer == Offer::kNothing || offer == Offer::kFiles) return offer == Offer::kFiles;
  if (offer != Offer::kWords) {
    offer_from_server(call, command, *arguments, offer, last, out);
  } else if (flag != nullptr) {
    for (const auto word : flag->words) out.insert(std::string(word));
  } else {
    out.insert({"bash", "fish", "zsh"});
  }
  return false;
}

bool offer_for(Call& call, const Command& command, Words before, const std::string& last, Candidates& out) {
  if (!before.empty()) {
    if (const auto* flag = open_flag(command, before.back())) {
      before.pop_back();
      return offer_values(call, command, before, flag, last, out);
    }
  }
  const auto equals = last.find('=');
  if (last.starts_with("--") && equals != std::string::npos) {
    const auto* flag = open_flag(command, std::string_view(last).substr(0, equals));
    if (flag == nullptr) return false;
    Candidates values;
    const bool files = offer_values(call, command, before, flag, last.substr(equals + 1), values);
    for (const auto& value : values) out.insert(last.substr(0, equals + 1) + value);
    return files;
  }
  if (last.starts_with('-')) {
    offer_flags(command, out);
    return false;
  }
  return offer_values(call, command, before, nullptr, last, out);
}

// Bash cuts words at "=", other shells do not: --type = my is --type=my.
Words joined_at_equals(const Words& words) {
  Words out;
  for (size_t i = 0; i < words.size(); ++i) {
    if (words[i] == "=" && !out.empty() && out.back().starts_with("--")) {
      out.back() += "=" + (i + 1 < words.size() ? words[i + 1] : "");
      ++i;
    } else {
      out.push_back(words[i]);
    }
  }
  return out;
}

// Whether names of files are wanted.
bool offer_all(Call& call, const Words& before, const std::string& last, Candidates& out) {
  const auto commands = all_commands();
  const auto ordered = in_order(commands, before);
  size_t used = 0;
  if (const auto* command = find_command(commands, ordered, used)) {
    return offer_for(call, *command, {ordered.begin() + static_cast<std::ptrdiff_t>(used), ordered.end()}, last, out);
  }
  // Flags may stand in front of everything.
  const Command none{.verb = "", .flags = {namespace_flag()}};
  if (last.starts_with('-') || (!before.empty() && open_flag(none, before.back()) != nullptr)) {
    return offer_for(call, none, before, last, out);
  }
  for (const auto& command : commands) {
    if (command.hidden) continue;
    if (ordered.empty()) out.insert(std::string(command.verb));
    const bool has_no_noun_yet = ordered.size() == 1 || (ordered.size() > 1 && ordered[1].starts_with('-'));
    if (has_no_noun_yet && command.verb == ordered[0] && !command.noun.empty()) out.insert(std::string(command.noun));
  }
  return false;
}

Result<int> run_complete(Call& call) {
  Words words;
  for (size_t i = 0; i < call.argument_count(); ++i) words.push_back(call.argument(i));
  words = joined_at_equals(words);
  const auto last = words.empty() ? std::string() : words.back();
  if (!words.empty()) words.pop_back();
  Candidates candidates;
  const bool files = offer_all(call, words, last, candidates);
  for (const auto& candidate : candidates) {
    if (candidate.starts_with(last)) fmt::print(call.out(), "{}\n", candidate);
  }
  return files ? kOfferFiles : 0;
}

}  // namespace

Command complete() {
  return {.verb = "__complete",
          .arguments = "WORD...",
          .max_arguments = 1000,
          .summary = "Candidates for the last of these words",
          .examples = {"__complete -- get cl"},
          .run = run_complete,
          .hidden = true};
}

}  // namespace chandler::svcat
