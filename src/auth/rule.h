// One rule of a role, and what it allows. Plain values, pure functions.
#pragma once

#include <compare>
#include <string>
#include <vector>

#include "auth/attributes.h"
#include "json/value.h"

namespace chandler::auth {

struct Rule {
  std::vector<std::string> verbs;
  std::vector<std::string> groups;
  std::vector<std::string> resources;
  std::vector<std::string> names;  // empty: all
  std::vector<std::string> urls;   // instead of groups, resources and names
  auto operator<=>(const Rule&) const = default;
};

// The rules of a Role or ClusterRole. What has the wrong type is left out, so that it grants nothing.
std::vector<Rule> rules_of(const json::Value& role);

// Everything there is: what system:masters may.
std::vector<Rule> full_authority();

// Compares what a request wants with rule after rule. The attributes outlive it.
class RuleMatch {
 public:
  explicit RuleMatch(const Attributes& attributes);

  bool matches(const Rule& rule) const;  // the rule allows it
  // The rule allows it for the names that it lists, or for every name if it lists none.
  bool matches_but_name(const Rule& rule) const;

 private:
  bool allows_resource(const std::vector<std::string>& resources) const;

  const Attributes& attributes_;
  std::string resource_;  // "pods" or "pods/status"
  size_t slash_;          // in it; npos: none
};

// {verbs: ["get"], apiGroups: [""], resources: ["secrets"]}; long values are cut, and `more_verbs` have no room.
std::string describe(const Rule& rule, size_t more_verbs = 0);

}  // namespace chandler::auth
