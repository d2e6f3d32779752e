// The table of plans: types with a * where the plan is the one that a type alone leads to. The suggested plans of a
// long list wait until all others were seen, because a default plan takes their * away.
#pragma once

#include <map>
#include <memory>
#include <set>
#include <string>
#include <vector>

#include "svcat/catalog/scopes.h"
#include "svcat/listing.h"

namespace chandler::svcat {

class PlanTable {
 public:
  explicit PlanTable(Call& call) : call_(call) {}

  // Class names are shown as users know them.
  Result<void> learn_classes(const std::vector<Place>& places);
  void learn_class(const json::Value& service_class);

  struct Choice {
    std::string type{};         // only this one
    bool only_default = false;  // only with a *
    bool cluster_is_listed = true;
  };
  // Refers to this object.
  Listing listing(const Choice& choice);

  // Where the plans of a type are: those that say so themselves, and those of classes (learnt before) of that type.
  std::vector<Source> sources_of_type(const std::vector<Place>& places, const std::string& type) const;

  std::string class_name_of(const json::Value& plan) const;
  std::string type_of_plan(const json::Value& plan) const;

 private:
  static std::string class_key(const json::Value& plan);
  Verdict judge(const json::Value& plan, const Choice& choice);
  Result<bool> judge_late(const json::Value& plan, const Choice& choice);
  bool has_star(const json::Value& plan) const;

  Call& call_;
  std::map<std::string, json::Value> classes_;   // by namespace and object name
  std::set<std::string> defaults_;               // "namespace/type" with a default plan; the cluster is ""
  std::set<std::string> suggestions_with_star_;  // by uid or namespace and name
  std::set<std::string> seen_;                   // of a type: a plan can come from two sources
  bool cluster_is_known_ = false;
};

}  // namespace chandler::svcat
