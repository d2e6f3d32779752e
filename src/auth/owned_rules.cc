#include "auth/owned_rules.h"

#include <algorithm>
#include <set>

namespace chandler::auth {
namespace {

constexpr std::string_view kAll = "*";

struct ByContent {
  bool operator()(const RuleIds* a, const RuleIds* b) const { return *a < *b; }
};

void append(Holders& holders, const RuleIds* rules) {
  if (rules != nullptr && !rules->empty()) holders.push_back(rules);
}

}  // namespace

void OwnedRules::Dimension::add(const std::vector<std::string>& values, uint32_t rule) {
  if (std::find(values.begin(), values.end(), kAll) != values.end()) return add_to_all(rule);
  for (const auto& value : values) add(value, rule);
}

void OwnedRules::Dimension::add(std::string_view value, uint32_t rule) {
  auto& rules = entries_[value].rules;
  if (rules.empty() || rules.back() != rule) rules.push_back(rule);
}

void OwnedRules::Dimension::share_equal_lists() {
  std::set<const RuleIds*, ByContent> known;
  for (auto& [value, entry] : entries_) entry.shared = *known.insert(&entry.rules).first;
}

const RuleIds* OwnedRules::Dimension::find(std::string_view value) const {
  const auto found = entries_.find(value);
  return found == entries_.end() ? nullptr : found->second.shared;
}

Holders OwnedRules::Dimension::holders(std::string_view value) const {
  auto holders = holders_of_all();
  append(holders, find(value));
  return holders;
}

Holders OwnedRules::Dimension::holders_of_all() const {
  Holders holders;
  append(holders, &of_all_);
  return holders;
}

OwnedRules::OwnedRules(const std::vector<Rule>& rules) {
  for (uint32_t id = 0; id < rules.size(); ++id) {
    const auto& rule = rules[id];
    verbs_.add(rule.verbs, id);
    groups_.add(rule.groups, id);
    resources_.add(rule.resources, id);
    for (const auto& name : rule.names) names_.add(std::string_view(name), id);  // no name is a wildcard
    if (rule.names.empty()) names_.add_to_all(id);
    for (const auto& url : rule.urls) add_url(url, id);
  }
  for (auto* dimension : {&verbs_, &groups_, &resources_, &names_, &urls_, &url_prefixes_}) {
    dimension->share_equal_lists();
  }
  link_prefixes();
}

void OwnedRules::add_url(std::string_view url, uint32_t rule) {
  if (!url.empty() && url.back() == '*') {
    url_prefixes_.add(url.substr(0, url.size() - 1), rule);
  } else {
    urls_.add(url, rule);
  }
}

void OwnedRules::link_prefixes() {
  url_prefixes_.visit([&](std::string_view text, const RuleIds& rules) {
    prefixes_.push_back({text, &rules, nullptr});
  });
  const Prefix* before = nullptr;
  for (auto& prefix : prefixes_) {
    // In byte order a text follows its prefixes, and what is between them starts with the longest of these too.
    const Prefix* shorter = before;
    while (shorter != nullptr && !prefix.text.starts_with(shorter->text)) shorter = shorter->shorter;
    prefix.shorter = shorter;
    before = &prefix;
  }
}

Holders OwnedRules::holders_of_resource(std::string_view resource) const {
  auto holders = resources_.holders(resource);
  const auto slash = resource.find('/');
  if (slash == std::string_view::npos) return holders;
  append(holders, resources_.find(std::string(kAll).append(resource.substr(slash))));
  return holders;
}

Holders OwnedRules::holders_of_url(std::string_view url, Budget& budget) const {
  auto holders = urls_.holders(url);
  const auto behind = std::upper_bound(prefixes_.begin(), prefixes_.end(), url,
                                       [](std::string_view text, const Prefix& prefix) { return text < prefix.text; });
  if (behind == prefixes_.begin()) return holders;
  const Prefix* prefix = &*(behind - 1);
  // Every prefix of the URL is one of its predecessor, or that itself: one that is no longer than what the two share.
  const auto differs = std::mismatch(url.begin(), url.end(), prefix->text.begin(), prefix->text.end()).first;
  const auto shared = static_cast<size_t>(differs - url.begin());
  for (; prefix != nullptr && !budget.exhausted(); prefix = prefix->shorter) {
    budget.spend(1);
    if (prefix->text.size() <= shared) append(holders, prefix->rules);
  }
  return holders;
}

}  // namespace chandler::auth
