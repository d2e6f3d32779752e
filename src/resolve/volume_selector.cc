#include "resolve/volume_selector.h"

#include <algorithm>
#include <tuple>
#include <utility>

#include <fmt/format.h>

#include "base/text.h"
#include "meta/selector.h"
#include "resolve/choose_default.h"
#include "resolve/value_set.h"

namespace chandler::resolve {
namespace {

// To compare the spelling of two keys costs more than all else about them.
constexpr size_t kMostSuggestions = 10;

// One condition of the claim on a key, with the place it stands at.
struct Wish {
  meta::Operator op = meta::Operator::kIn;
  std::vector<std::string> values;
  std::string field;
  bool is_label = false;  // of matchLabels: its field is that of the value too
};
using Wishes = std::map<std::string, std::vector<Wish>, std::less<>>;

std::string text_of(const Wish& wish) {
  switch (wish.op) {
    case meta::Operator::kIn:
      return fmt::format("In ({})", list_names(wish.values));
    case meta::Operator::kNotIn:
      return fmt::format("NotIn ({})", list_names(wish.values));
    case meta::Operator::kDoesNotExist:
      return "DoesNotExist";
    default:
      return "Exists";
  }
}

meta::Operator operator_of(std::string_view name) {
  if (name == "In") return meta::Operator::kIn;
  if (name == "NotIn") return meta::Operator::kNotIn;
  return name == "Exists" ? meta::Operator::kExists : meta::Operator::kDoesNotExist;
}

// The selector has been checked, so everything has the right type.
Wishes read_wishes(const json::Value& selector) {
  Wishes wishes;
  const meta::Path path("spec.selector");
  if (const auto* labels = json::object_at(selector, "matchLabels")) {
    for (const auto& entry : *labels) {
      const std::string key(entry.key());
      wishes[key].push_back({meta::Operator::kIn,
                             {std::string(json::view(entry.value().as_string()))},
                             path.member("matchLabels").key(key).str(),
                             true});
    }
  }
  const auto* expressions = json::array_at(selector, "matchExpressions");
  for (size_t i = 0; expressions != nullptr && i < expressions->size(); ++i) {
    const auto& item = (*expressions)[i];
    Wish wish;
    wish.op = operator_of(json::string_or(item, "operator"));
    wish.field = path.member("matchExpressions").index(i).str();
    const auto* values = json::array_at(item, "values");
    for (size_t j = 0; values != nullptr && j < values->size(); ++j) {
      wish.values.emplace_back(json::view((*values)[j].as_string()));
    }
    wishes[json::string_or(item, "key")].push_back(std::move(wish));
  }
  return wishes;
}

// The order in which the claim lists its requirements must not show in the result.
void put_in_order(std::vector<Wish>& wishes) {
  for (auto& wish : wishes) std::sort(wish.values.begin(), wish.values.end());
  std::stable_sort(wishes.begin(), wishes.end(),
                   [](const Wish& a, const Wish& b) { return std::tie(a.op, a.values) < std::tie(b.op, b.values); });
}

std::string in_text(const ValueSet& base) {
  if (base.is_open()) return "any value is allowed";
  const auto values = base.finite();
  return values.empty() ? "no value is possible" : fmt::format("allowed values: {}", list_names(values));
}

// What the class says about a key, from all the places where it can say it.
struct Base {
  ValueSet set = ValueSet::everything();
  std::vector<std::string> order;  // the admin's; for SelectorChoice::kFirst
  std::vector<std::string> said;   // "allowedValues a, b", for messages
  std::string offer;               // "allowed values: a, b", likewise

  void restrict(const std::vector<std::string>& values, std::string_view where) {
    set.keep(values);
    if (order.empty()) order = values;
    said.push_back(fmt::format("{} {}", where, values.empty() ? "none" : list_names(values)));
  }
};

std::vector<std::string> parameter_values(std::string_view text) {
  std::vector<std::string> values;
  for (const auto piece : split(text, ',')) {
    if (const auto value = trim(piece); !value.empty()) values.emplace_back(value);
  }
  return values;
}

const std::vector<std::string>* topology_values(const TunableClass& storage_class, std::string_view key) {
  auto found = storage_class.topologies.find(key);
  // The label of zones has had two names.
  if (found == storage_class.topologies.end() && key == kZoneLabel) {
    found = storage_class.topologies.find(kBetaZoneLabel);
  } else if (found == storage_class.topologies.end() && key == kBetaZoneLabel) {
    found = storage_class.topologies.find(kZoneLabel);
  }
  return found == storage_class.topologies.end() ? nullptr : &found->second;
}

Base base_of(const TunableClass& storage_class, const SelectorOption& option, const KeyProfile& profile) {
  Base base;
  if (option.allowed_values) base.restrict(*option.allowed_values, "allowedValues");
  for (const auto& name : {profile.parameter, profile.list_parameter}) {
    const auto found = name.empty() ? storage_class.parameters.end() : storage_class.parameters.find(name);
    if (found == storage_class.parameters.end()) continue;
    base.restrict(parameter_values(found->second), fmt::format("parameter {}:", name));
  }
  if (const auto* values = topology_values(storage_class, option.key)) base.restrict(*values, "allowedTopologies");
  if (profile.values) base.restrict(*profile.values, fmt::format("{} has", storage_class.provisioner));
  base.offer = in_text(base.set);
  return base;
}

// A class that contradicts itself fails every claim, whatever that asks for.
std::optional<SelectorProblem> class_conflict(const TunableClass& storage_class, size_t index,
                                              const ProvisionerProfile& profile, const Base& base) {
  const auto& option = storage_class.options[index];
  const auto path = meta::Path("selectorOptions").index(index);
  if (base.set.is_empty()) {
    return SelectorProblem{
        SelectorFault::kClassConflict, option.key,
        fmt::format("StorageClass \"{}\" contradicts itself: no value of {} is possible ({}); its "
                    "administrator has to mend selectorOptions or make a class with other parameters",
                    storage_class.name, option.key, join(base.said, "; ")),
        path.member("allowedValues").str()};
  }
  if (!option.default_value || option.required) return std::nullopt;
  if (!base.set.has(*option.default_value)) {
    return SelectorProblem{
        SelectorFault::kClassConflict, option.key,
        fmt::format("StorageClass \"{}\" contradicts itself: the default {} of {} is not possible ({})",
                    storage_class.name, quoted(*option.default_value), option.key, join(base.said, "; ")),
        path.member("defaultValue").str()};
  }
  if (profile.refuses_other_keys && !profile.keys.contains(option.key)) {
    return SelectorProblem{
        SelectorFault::kClassConflict, option.key,
        fmt::format("StorageClass \"{}\" has a default for {}, which its provisioner {} does not know",
                    storage_class.name, option.key, storage_class.provisioner),
        path.member("defaultValue").str()};
  }
  return std::nullopt;
}

// One resolution under way.
class Resolver {
 public:
  Resolver(const TunableClass& storage_class, const ProvisionerProfile& profile, const SelectorRequest& request)
      : class_(storage_class), profile_(profile), request_(request) {}

  SelectorResolution run() {
    if (!read_selector()) return finish();
    for (size_t i = 0; i < class_.options.size(); ++i) resolve(i);
    report_unknown_keys();
    return finish();
  }

 private:
  bool read_selector() {
    if (request_.selector == nullptr || !request_.selector->is_object()) return true;
    const auto parsed = meta::LabelSelector::from_json(*request_.selector, "spec.selector");
    if (!parsed.ok()) {
      for (const auto& cause : parsed.error().causes) {
        result_.problems.push_back({SelectorFault::kInvalidSelector, "", cause.message, cause.field});
      }
      return false;
    }
    wishes_ = read_wishes(*request_.selector);
    for (auto& [key, wishes] : wishes_) put_in_order(wishes);
    return true;
  }

  void resolve(size_t index) {
    const auto& option = class_.options[index];
    const auto& profile = profile_.of(option.key);
    const auto base = base_of(class_, option, profile);
    if (auto conflict = class_conflict(class_, index, profile_, base)) {
      result_.problems.push_back(std::move(*conflict));
      return;
    }
    const auto found = wishes_.find(option.key);
    const auto node = request_.node_labels.find(option.key);
    if (found == wishes_.end() && option.required) {
      return problem(SelectorFault::kMissingRequiredKey, option.key, "spec.selector",
                     fmt::format("StorageClass \"{}\" requires a value for {}: add it to the selector; {}", class_.name,
                                 option.key, base.offer));
    }
    if (found == wishes_.end() && node == request_.node_labels.end()) return unmentioned(option, profile, base);
    static const std::vector<Wish> kNone;
    const auto& wishes = found == wishes_.end() ? kNone : found->second;
    mentioned(option, profile, base, wishes, node == request_.node_labels.end() ? nullptr : &node->second);
  }

  void unmentioned(const SelectorOption& option, const KeyProfile& profile, const Base& base) {
    if (option.default_value && !option.required) return take(option, *option.default_value, "default of the class");
    if (profile.always_valued && !base.set.is_open()) return choose(option, base, base.set);
    result_.keys.push_back({option.key, std::nullopt, "left to the provisioner"});
  }

  void mentioned(const SelectorOption& option, const KeyProfile& profile, const Base& base,
                 const std::vector<Wish>& wishes, const std::string* node_value) {
    ValueSet set = base.set;
    bool absent_fits = !profile.always_valued && !option.required;
    for (const auto& wish : wishes) {
      switch (wish.op) {
        case meta::Operator::kIn:
          set.keep(wish.values);
          absent_fits = false;
          warn_of_unreachable(option, base, wish);
          break;
        case meta::Operator::kNotIn:
          set.drop(wish.values);
          break;
        case meta::Operator::kDoesNotExist:
          set = ValueSet::nothing();
          break;
        default:
          absent_fits = false;
          break;
      }
    }
    if (node_value != nullptr) {
      set.keep({*node_value});
      absent_fits = false;
    }
    if (option.default_value && set.has(*option.default_value)) {
      return take(option, *option.default_value, "default of the class");
    }
    if (absent_fits) return result_.keys.push_back({option.key, std::nullopt, "not wanted"});
    if (set.is_open()) {
      return problem(SelectorFault::kAmbiguousSelector, option.key, wishes.front().field,
                     fmt::format("{} gives no value for {}, and StorageClass \"{}\" lists none: name one with In or "
                                 "matchLabels",
                                 text_of(wishes.front()), option.key, class_.name));
    }
    if (set.is_empty()) return unsatisfiable(option, base, wishes, node_value);
    choose(option, base, set);
  }

  void unsatisfiable(const SelectorOption& option, const Base& base, const std::vector<Wish>& wishes,
                     const std::string* node_value) {
    std::vector<std::string> said;
    std::string field = wishes.empty() ? "" : wishes.front().field;
    for (const auto& wish : wishes) {
      said.push_back(text_of(wish));
      if (wish.op != meta::Operator::kIn || base.set.has_any(wish.values)) continue;
      field = wish.is_label ? wish.field : wish.field + ".values";
    }
    if (node_value != nullptr) said.push_back(fmt::format("the chosen node's {}", quoted(*node_value)));
    problem(SelectorFault::kUnsatisfiable, option.key, field,
            fmt::format("StorageClass \"{}\" has no value of {} that fits {}; {}", class_.name, option.key,
                        join(said, " and "), base.offer));
  }

  void warn_of_unreachable(const SelectorOption& option, const Base& base, const Wish& wish) {
    std::vector<std::string> outside;
    for (const auto& value : wish.values) {
      if (!base.set.has(value)) outside.push_back(value);
    }
    if (outside.empty() || outside.size() == wish.values.size()) return;
    result_.warnings.push_back(fmt::format("{}: StorageClass \"{}\" never has {} = {}; {}", wish.field, class_.name,
                                           option.key, list_names(outside), base.offer));
  }

  void choose(const SelectorOption& option, const Base& base, const ValueSet& set) {
    const auto sorted = set.finite();
    if (sorted.size() == 1) return take(option, sorted.front(), "the only value that fits");
    const auto why = fmt::format("chosen from {}", list_names(sorted));
    if (class_.choice == SelectorChoice::kFirst) {
      const auto first = std::find_if(base.order.begin(), base.order.end(), [&](const auto& v) { return set.has(v); });
      return take(option, first == base.order.end() ? sorted.front() : *first, why);
    }
    take(option, spread(sorted, request_.namespace_name, request_.claim_name, option.key), why);
  }

  void take(const SelectorOption& option, const std::string& value, std::string why) {
    if (profile_.refuses_other_keys && !profile_.keys.contains(option.key)) {
      std::vector<std::string> known;
      known.reserve(profile_.keys.size());
      for (const auto& [key, profile] : profile_.keys) known.push_back(key);
      const auto asked = wishes_.find(option.key);
      return problem(SelectorFault::kUnknownSelectorKey, option.key,
                     asked == wishes_.end() ? "" : asked->second.front().field,
                     fmt::format("provisioner {} does not know {}; it knows {}", class_.provisioner, option.key,
                                 list_names(known)));
    }
    result_.keys.push_back({option.key, value, std::move(why)});
  }

  void report_unknown_keys() {
    std::vector<std::string> offered;
    std::vector<std::string_view> names;
    for (const auto& option : class_.options) {
      offered.push_back(option.key);
      names.push_back(option.key);
    }
    if (offered.empty() && !wishes_.empty()) {
      return problem(SelectorFault::kSelectorNotAllowed, "", "spec.selector",
                     fmt::format("StorageClass \"{}\" has no selectorOptions, so no volume is made for a claim with a "
                                 "selector: leave spec.selector out, or have an administrator add the options",
                                 class_.name));
    }
    const auto all_offered = list_names(offered);
    size_t unknown = 0;
    for (const auto& [key, wishes] : wishes_) {
      if (std::find(names.begin(), names.end(), key) != names.end()) continue;
      const auto near = ++unknown > kMostSuggestions ? std::string_view() : nearest(key, names);
      problem(SelectorFault::kUnknownSelectorKey, key, wishes.front().field,
              fmt::format("StorageClass \"{}\" does not offer {}{}; it offers {}", class_.name, key,
                          near.empty() ? "" : fmt::format(" (did you mean {}?)", near), all_offered));
    }
  }

  void problem(SelectorFault fault, const std::string& key, const std::string& field, std::string message) {
    result_.problems.push_back({fault, key, std::move(message), field});
  }

  SelectorResolution finish() {
    std::sort(result_.problems.begin(), result_.problems.end());
    std::sort(result_.warnings.begin(), result_.warnings.end());
    if (!result_.problems.empty()) result_.keys.clear();
    return std::move(result_);
  }

  const TunableClass& class_;
  const ProvisionerProfile& profile_;
  const SelectorRequest& request_;
  Wishes wishes_;
  SelectorResolution result_;
};

}  // namespace

std::map<std::string, std::string> SelectorResolution::values() const {
  std::map<std::string, std::string> values;
  for (const auto& key : keys) {
    if (key.value) values.emplace(key.key, *key.value);
  }
  return values;
}

SelectorResolution resolve_selector(const TunableClass& storage_class, const ProvisionerProfile& profile,
                                    const SelectorRequest& request) {
  return Resolver(storage_class, profile, request).run();
}

ClassFindings check_tunable_class(const TunableClass& storage_class, const ProvisionerProfile& profile) {
  ClassFindings findings;
  for (size_t i = 0; i < storage_class.options.size(); ++i) {
    const auto& option = storage_class.options[i];
    const auto& key = profile.of(option.key);
    const auto base = base_of(storage_class, option, key);
    if (auto conflict = class_conflict(storage_class, i, profile, base)) {
      findings.problems.push_back(std::move(*conflict));
    } else if (option.allowed_values) {
      std::vector<std::string> unreachable;
      for (const auto& value : *option.allowed_values) {
        if (!base.set.has(value)) unreachable.push_back(value);
      }
      if (!unreachable.empty()) {
        findings.warnings.push_back(fmt::format("selectorOptions[{}].allowedValues: {} cannot be had ({})", i,
                                                list_names(unreachable), join(base.said, "; ")));
      }
    }
    if (!key.parameter.empty() && storage_class.parameters.contains(key.parameter) &&
        storage_class.parameters.contains(key.list_parameter)) {
      findings.problems.push_back({SelectorFault::kClassConflict, option.key,
                                   fmt::format("StorageClass \"{}\" has both parameters {} and {}: keep one of them",
                                               storage_class.name, key.parameter, key.list_parameter),
                                   meta::Path("parameters").key(key.parameter).str()});
    }
    if (profile.refuses_other_keys && !profile.keys.contains(option.key)) {
      findings.warnings.push_back(
          fmt::format("selectorOptions[{}].key: provisioner {} does not know {} and refuses claims that ask for it", i,
                      storage_class.provisioner, option.key));
    }
  }
  std::sort(findings.problems.begin(), findings.problems.end());
  return findings;
}

std::string problems_text(std::span<const SelectorProblem> problems) {
  std::vector<std::string> lines;
  for (const auto& problem : problems) {
    lines.push_back(fmt::format("{}: {}", fault_name(problem.fault), problem.message));
  }
  return join(lines, "; ");
}

}  // namespace chandler::resolve
