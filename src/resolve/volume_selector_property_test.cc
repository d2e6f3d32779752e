// Random classes and selectors over small domains, against brute force: every value that could be tried is tried, and
// what fits by the rules of label selectors is what the resolver may answer.
#include <algorithm>
#include <random>
#include <set>

#include <gtest/gtest.h>

#include "json/writer.h"
#include "meta/selector.h"
#include "resolve/volume_selector.h"

namespace chandler::resolve {
namespace {

#ifdef NDEBUG
constexpr int kCases = 200'000;
#else
constexpr int kCases = 20'000;  // with sanitizers more take a minute, and find what these find
#endif
const std::vector<std::string> kValues = {"a", "b", "c", "d"};
const std::string kFresh = "fresh";  // stands for all the values that nobody mentions
const std::vector<std::string> kKeys = {"k", "topology.kubernetes.io/zone", "other"};

class Dice {
 public:
  explicit Dice(uint32_t seed) : engine_(seed) {}
  size_t below(size_t n) { return engine_() % n; }
  bool one_in(size_t n) { return below(n) == 0; }
  std::vector<std::string> some(size_t least) {
    std::vector<std::string> chosen;
    while (chosen.size() < least) {
      chosen.clear();
      for (const auto& value : kValues) {
        if (one_in(2)) chosen.push_back(value);
      }
      if (least == 0) break;
    }
    std::shuffle(chosen.begin(), chosen.end(), engine_);
    return chosen;
  }
  template <typename T>
  void shuffle(T& list) {
    for (size_t i = list.size(); i > 1; --i) std::swap(list[i - 1], list[below(i)]);
  }

 private:
  std::mt19937 engine_;
};

struct Case {
  TunableClass storage_class;
  ProvisionerProfile profile;
  json::Value selector;
  std::string claim;
};

json::Value words(const std::vector<std::string>& values) {
  json::Array list;
  for (const auto& value : values) list.emplace_back(value);
  return list;
}

Case make_case(Dice& dice) {
  Case made;
  made.claim = std::vector<std::string>{"data", "www-web-0", "www-web-1", "x-12"}[dice.below(4)];
  made.storage_class.name = "s";
  made.storage_class.choice = dice.one_in(3) ? SelectorChoice::kFirst : SelectorChoice::kSpread;
  for (size_t i = 0; i < 2; ++i) {
    if (dice.one_in(5)) continue;
    SelectorOption option{
        .key = kKeys[i], .default_value = {}, .required = dice.one_in(4), .allowed_values = {}, .description = ""};
    if (!dice.one_in(3)) option.allowed_values = dice.some(1);
    if (dice.one_in(2)) option.default_value = kValues[dice.below(4)];
    made.storage_class.options.push_back(option);
    auto& profile = made.profile.keys[kKeys[i]];
    profile.always_valued = dice.one_in(2);
    profile.parameter = "one" + kKeys[i];
    profile.list_parameter = "list" + kKeys[i];
    if (dice.one_in(4)) profile.values = dice.some(0);
    if (dice.one_in(5)) made.storage_class.parameters[profile.parameter] = kValues[dice.below(4)];
    if (dice.one_in(5)) {
      std::string list;
      for (const auto& value : dice.some(1)) list += (list.empty() ? "" : ", ") + value;
      made.storage_class.parameters[profile.list_parameter] = list;
    }
    if (dice.one_in(6)) made.storage_class.topologies[kKeys[i]] = dice.some(1);
  }
  if (dice.one_in(12)) return made;  // no selector
  json::Object labels;
  json::Array expressions;
  for (size_t i = 0; i < (dice.one_in(6) ? 3 : 2); ++i) {
    if (dice.one_in(4)) labels[kKeys[i]] = kValues[dice.below(4)];
    for (size_t n = dice.below(3); n > 0; --n) {
      static const char* const kOperators[] = {"In", "NotIn", "Exists", "DoesNotExist", "NotIn", "In"};
      const std::string op = kOperators[dice.below(6)];
      json::Object expression{{"key", kKeys[i]}, {"operator", op}};
      if (op == "In" || op == "NotIn") expression["values"] = words(dice.some(1));
      expressions.push_back(std::move(expression));
    }
  }
  json::Object selector;
  if (!labels.empty()) selector["matchLabels"] = std::move(labels);
  if (!expressions.empty()) selector["matchExpressions"] = std::move(expressions);
  made.selector = std::move(selector);
  return made;
}

// --- brute force

std::set<std::string> restricted(const std::vector<std::string>& by, const std::set<std::string>& from) {
  std::set<std::string> kept;
  for (const auto& value : by) {
    if (from.contains(value)) kept.insert(value);
  }
  return kept;
}

std::vector<std::string> pieces(const std::string& list) {
  std::vector<std::string> out;
  for (const auto& value : kValues) {
    if (list.find(value) != std::string::npos) out.push_back(value);
  }
  return out;
}

std::set<std::string> possible(const Case& c, const SelectorOption& option) {
  std::set<std::string> values(kValues.begin(), kValues.end());
  values.insert(kFresh);
  const auto& profile = c.profile.of(option.key);
  const auto& parameters = c.storage_class.parameters;
  if (option.allowed_values) values = restricted(*option.allowed_values, values);
  if (const auto p = parameters.find(profile.parameter); p != parameters.end())
    values = restricted({p->second}, values);
  if (const auto p = parameters.find(profile.list_parameter); p != parameters.end()) {
    values = restricted(pieces(p->second), values);
  }
  const auto topology = c.storage_class.topologies.find(option.key);
  if (topology != c.storage_class.topologies.end()) values = restricted(topology->second, values);
  if (profile.values) values = restricted(*profile.values, values);
  return values;
}

struct Expected {
  std::optional<SelectorFault> fault{};
  bool unset = false;
  std::set<std::string> values{};  // any of these
};

// nullopt stands for a volume without the label.
bool fits(const std::vector<meta::Requirement>& wishes, const std::optional<std::string>& value) {
  for (const auto& wish : wishes) {
    const bool listed = value && std::find(wish.values.begin(), wish.values.end(), *value) != wish.values.end();
    switch (wish.op) {
      case meta::Operator::kIn:
      case meta::Operator::kEquals:
        if (!listed) return false;
        break;
      case meta::Operator::kNotIn:
        if (listed) return false;
        break;
      case meta::Operator::kExists:
        if (!value) return false;
        break;
      default:
        if (value) return false;
    }
  }
  return true;
}

Expected expect(const Case& c, const SelectorOption& option, const std::vector<meta::Requirement>& wishes) {
  const auto base = possible(c, option);
  const auto& profile = c.profile.of(option.key);
  const bool has_default = option.default_value && !option.required;
  if (base.empty() || (has_default && !base.contains(*option.default_value))) return {SelectorFault::kClassConflict};
  if (wishes.empty()) {
    if (option.required) return {SelectorFault::kMissingRequiredKey};
    if (has_default) return {{}, false, {*option.default_value}};
    if (profile.always_valued && !base.contains(kFresh)) return {{}, false, base};
    return {{}, true};
  }
  std::set<std::string> fitting;
  for (const auto& value : base) {
    if (fits(wishes, value)) fitting.insert(value);
  }
  if (option.default_value && fitting.contains(*option.default_value)) return {{}, false, {*option.default_value}};
  if (!profile.always_valued && !option.required && fits(wishes, std::nullopt)) return {{}, true};
  if (fitting.empty()) return {SelectorFault::kUnsatisfiable};
  if (fitting.contains(kFresh)) return {SelectorFault::kAmbiguousSelector};
  return {{}, false, fitting};
}

SelectorResolution resolve(const Case& c, const json::Value& selector) {
  return resolve_selector(c.storage_class, c.profile,
                          {.namespace_name = "dev", .claim_name = c.claim, .selector = &selector});
}

std::vector<std::string> outline(const SelectorResolution& resolution) {
  std::vector<std::string> lines;
  for (const auto& key : resolution.keys) lines.push_back(key.key + "=" + key.value.value_or("<unset>") + key.why);
  for (const auto& problem : resolution.problems) {
    lines.push_back(std::string(fault_name(problem.fault)) + problem.key + problem.message);
  }
  return lines;
}

TEST(VolumeSelectorProperty, AgreesWithBruteForce) {
  Dice dice(4711);
  size_t resolved = 0;
  std::map<SelectorFault, size_t> faults;
  for (int round = 0; round < kCases; ++round) {
    const auto c = make_case(dice);
    const auto selector =
        meta::LabelSelector::from_json(c.selector.is_null() ? json::Value(json::Object()) : c.selector);
    ASSERT_TRUE(selector.ok());
    std::map<std::string, std::vector<meta::Requirement>> wishes;
    for (const auto& requirement : selector->requirements()) wishes[requirement.key].push_back(requirement);

    std::set<std::pair<std::string, SelectorFault>> expected;
    std::map<std::string, Expected> outcomes;
    for (const auto& option : c.storage_class.options) {
      const auto outcome = expect(c, option, wishes[option.key]);
      if (outcome.fault) expected.emplace(option.key, *outcome.fault);
      outcomes[option.key] = outcome;
    }
    for (const auto& [key, list] : wishes) {
      if (list.empty() || outcomes.contains(key)) continue;
      if (c.storage_class.options.empty()) {
        expected.emplace("", SelectorFault::kSelectorNotAllowed);
      } else {
        expected.emplace(key, SelectorFault::kUnknownSelectorKey);
      }
    }

    const auto result = resolve(c, c.selector);
    std::set<std::pair<std::string, SelectorFault>> found;
    for (const auto& problem : result.problems) found.emplace(problem.key, problem.fault);
    ASSERT_EQ(found, expected) << round << " " << json::write(c.selector);
    for (const auto& [key, fault] : expected) ++faults[fault];

    if (result.ok()) {
      ++resolved;
      const auto labels = result.values();
      for (const auto& key : result.keys) {
        const auto& outcome = outcomes.at(key.key);
        ASSERT_EQ(!key.value.has_value(), outcome.unset) << round << " " << json::write(c.selector);
        if (key.value) {
          ASSERT_TRUE(outcome.values.contains(*key.value)) << round << " " << *key.value;
        }
      }
      ASSERT_TRUE(selector->matches([&](std::string_view key) -> std::optional<std::string_view> {
        const auto label = labels.find(std::string(key));
        return label == labels.end() ? std::nullopt : std::optional<std::string_view>(label->second);
      })) << round
          << " " << json::write(c.selector);
    }

    if (round % 4 == 0) {  // the order of requirements and values does not show
      auto other = c.selector;
      if (auto* list = other.is_object() ? other.as_object().if_contains("matchExpressions") : nullptr) {
        dice.shuffle(list->as_array());
        for (auto& expression : list->as_array()) {
          if (auto* values = expression.as_object().if_contains("values")) dice.shuffle(values->as_array());
        }
      }
      ASSERT_EQ(outline(resolve(c, other)), outline(result)) << round << " " << json::write(c.selector);
    }
  }
  EXPECT_GT(resolved, static_cast<size_t>(kCases) / 20) << "too few cases end well to mean much";
  EXPECT_EQ(faults.size(), 6u) << "every fault but a malformed selector occurs";
}

}  // namespace
}  // namespace chandler::resolve
