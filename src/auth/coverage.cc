#include "auth/coverage.h"

#include <algorithm>
#include <map>
#include <set>
#include <utility>

#include "auth/owned_rules.h"

namespace chandler::auth {
namespace {

constexpr size_t kMaxShown = 20;       // missing lines
constexpr size_t kMaxShownVerbs = 20;  // in one of them

using Texts = std::vector<std::string>;

// Values of a wanted rule that the same owned rules hold: what is missing for one is missing for all.
struct Class {
  std::vector<std::string_view> values;
  Holders holders;
  size_t holder_count = 0;
};
using Classes = std::vector<Class>;

Class make_class(Holders holders) {
  Class made;
  for (const auto* rules : holders) made.holder_count += rules->size();
  made.holders = std::move(holders);
  return made;
}

template <typename Find>
Classes classify(const Texts& values, Find find_holders) {
  Classes classes;
  std::map<Holders, size_t> places;
  for (const auto& value : values) {
    const auto [place, is_new] = places.try_emplace(find_holders(value), classes.size());
    if (is_new) classes.push_back(make_class(place->first));
    classes[place->second].values.push_back(value);
  }
  return classes;
}

struct ByContent {
  bool operator()(const Rule* a, const Rule* b) const { return *a < *b; }
};

class Check {
 public:
  Check(const std::vector<Rule>& owned, size_t max_steps) : owned_(owned), budget_(max_steps) {
    for (const auto& rule : owned) settled_.insert(&rule);
  }

  Missing run(const std::vector<Rule>& wanted) {
    for (const auto& rule : wanted) {
      if (rule.verbs.empty()) continue;  // it grants nothing, whatever else it names
      // A rule that is owned as it stands, or was wanted before, needs no second look.
      if (!settled_.insert(&rule).second) continue;
      const auto verbs = classify(rule.verbs, [&](const auto& verb) { return owned_.holders_of_verb(verb); });
      check_urls(rule, verbs);
      check_resources(rule, verbs);
      if (budget_.exhausted()) break;
    }
    missing_.complete = !budget_.exhausted();
    return std::move(missing_);
  }

 private:
  // Classes of all that a permission names besides its verb: groups, resources and names, or URLs.
  using Target = std::vector<const Class*>;

  void check_urls(const Rule& rule, const Classes& verbs) {
    const auto urls = classify(rule.urls, [&](const auto& url) { return owned_.holders_of_url(url, budget_); });
    for (const auto& url : urls) {
      const auto verbs_missing = missing_verbs(verbs, {&url});
      if (budget_.exhausted()) return;
      if (verbs_missing.empty()) continue;
      missing_.count += url.values.size();
      for (const auto value : url.values) {
        if (is_enough_shown()) break;
        show(verbs_missing, {{}, {}, {}, {}, {std::string(value)}});
      }
    }
  }

  void check_resources(const Rule& rule, const Classes& verbs) {
    const auto groups = classify(rule.groups, [&](const auto& group) { return owned_.holders_of_group(group); });
    const auto resources =
        classify(rule.resources, [&](const auto& resource) { return owned_.holders_of_resource(resource); });
    const auto names = classify_names(rule.names);
    for (const auto& group : groups) {
      for (const auto& resource : resources) {
        for (const auto& name : names) {
          const auto verbs_missing = missing_verbs(verbs, {&group, &resource, &name});
          if (budget_.exhausted()) return;
          if (!verbs_missing.empty()) add_missing(verbs_missing, group, resource, name);
        }
      }
    }
  }

  Classes classify_names(const Texts& names) const {
    if (!names.empty()) return classify(names, [&](const auto& name) { return owned_.holders_of_name(name); });
    return {make_class(owned_.holders_of_all_names())};
  }

  // Of the classes of verbs those that are not covered for the target.
  Target missing_verbs(const Classes& verbs, Target target) {
    Target missing;
    target.push_back(nullptr);
    for (const auto& verb : verbs) {
      target.back() = &verb;
      if (!is_covered(target)) missing.push_back(&verb);
      if (budget_.exhausted()) break;
    }
    return missing;
  }

  // True when one owned rule holds all of it.
  bool is_covered(const Target& permission) {
    budget_.spend(1);
    const auto* rarest = *std::min_element(permission.begin(), permission.end(), [](const Class* a, const Class* b) {
      return a->holder_count < b->holder_count;
    });
    for (const auto* rules : rarest->holders) {
      for (const auto rule : *rules) {
        if (budget_.exhausted()) return false;
        const auto held = [&](const Class* part) { return part == rarest || holds(*part, rule); };
        if (std::all_of(permission.begin(), permission.end(), held)) return true;
      }
    }
    return false;
  }

  bool holds(const Class& part, uint32_t rule) {
    budget_.spend(part.holders.size());
    return std::any_of(part.holders.begin(), part.holders.end(),
                       [&](const RuleIds* rules) { return std::binary_search(rules->begin(), rules->end(), rule); });
  }

  void add_missing(const Target& verbs, const Class& groups, const Class& resources, const Class& names) {
    missing_.count += groups.values.size() * resources.values.size() * std::max<size_t>(names.values.size(), 1);
    for (const auto group : groups.values) {
      for (const auto resource : resources.values) {
        if (is_enough_shown()) return;
        if (names.values.empty()) show(verbs, {{}, {std::string(group)}, {std::string(resource)}, {}, {}});
        for (const auto name : names.values) {
          if (is_enough_shown()) return;
          show(verbs, {{}, {std::string(group)}, {std::string(resource)}, {std::string(name)}, {}});
        }
      }
    }
  }

  // Texts may be as long as the role: nothing is copied for a line that is only counted.
  bool is_enough_shown() const { return missing_.shown.size() == kMaxShown; }

  // `line`: without its verbs.
  void show(const Target& verbs, Rule line) {
    size_t more = 0;
    for (const auto* verb : verbs) {
      const auto& values = verb->values;
      const auto fitting = std::min(values.size(), kMaxShownVerbs - line.verbs.size());
      line.verbs.insert(line.verbs.end(), values.begin(), values.begin() + static_cast<std::ptrdiff_t>(fitting));
      more += values.size() - fitting;
    }
    missing_.shown.push_back(describe(line, more));
  }

  const OwnedRules owned_;
  std::set<const Rule*, ByContent> settled_;
  Budget budget_;
  Missing missing_;
};

}  // namespace

Missing missing_rules(const std::vector<Rule>& owned, const std::vector<Rule>& wanted, size_t max_steps) {
  return Check(owned, max_steps).run(wanted);
}

}  // namespace chandler::auth
