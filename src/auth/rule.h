// One rule of a role: what it allows, what it takes to hold it, and what is missing. Plain values, pure functions.
#pragma once

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
  bool operator==(const Rule&) const = default;
};

// The rules of a Role or ClusterRole. What has the wrong type is left out, so that it grants nothing.
std::vector<Rule> rules_of(const json::Value& role);

// Everything there is: what system:masters may.
std::vector<Rule> full_authority();

bool matches(const Rule& rule, const Attributes& attributes);

// What of `wanted` is not within `owned`; empty when all is. A wanted rule is taken apart into single permissions and
// each must lie within one owned rule, so that rights may come from several roles. Verbs that miss for the same
// resource come back as one rule.
std::vector<Rule> missing_rules(const std::vector<Rule>& owned, const std::vector<Rule>& wanted);

std::string describe(const Rule& rule);  // {verbs: [get], apiGroups: [""], resources: [secrets]}

}  // namespace chandler::auth
