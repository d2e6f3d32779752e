// The rules that a user holds, arranged for the question which of them hold a verb, a group, a resource, a name or a
// URL. Views into the rules that it was made from, which outlive it. Immutable once made.
#pragma once

#include <cstdint>
#include <map>
#include <string_view>
#include <vector>

#include "auth/rule.h"

namespace chandler::auth {

// Positions in the list of owned rules, ascending.
using RuleIds = std::vector<uint32_t>;

// The owned rules that hold a value: the union of these lists. Lists with the same content are the same list, so values
// that the same rules hold compare equal.
using Holders = std::vector<const RuleIds*>;

// The steps that a check may still take. A check that finds it exhausted gives up.
class Budget {
 public:
  explicit Budget(size_t steps) : left_(steps) {}
  void spend(size_t steps) { left_ = steps < left_ ? left_ - steps : 0; }
  bool exhausted() const { return left_ == 0; }

 private:
  size_t left_;
};

class OwnedRules {
 public:
  explicit OwnedRules(const std::vector<Rule>& rules);

  Holders holders_of_verb(std::string_view verb) const { return verbs_.holders(verb); }
  Holders holders_of_group(std::string_view group) const { return groups_.holders(group); }
  Holders holders_of_resource(std::string_view resource) const;  // "pods" or "pods/status"
  Holders holders_of_name(std::string_view name) const { return names_.holders(name); }
  Holders holders_of_all_names() const { return names_.holders_of_all(); }
  // Takes a step for each prefix that it looks at.
  Holders holders_of_url(std::string_view url, Budget& budget) const;

 private:
  // Which rules have a value in one of their lists.
  class Dimension {
   public:
    void add(const std::vector<std::string>& values, uint32_t rule);  // a star among them stands for all values
    void add(std::string_view value, uint32_t rule);
    void add_to_all(uint32_t rule) { of_all_.push_back(rule); }  // the rule holds every value
    void share_equal_lists();                                    // after the last add()
    const RuleIds* find(std::string_view value) const;           // null: none has it
    Holders holders(std::string_view value) const;
    Holders holders_of_all() const;
    template <typename Visit>
    void visit(Visit visit) const {  // values in byte order, with their rules
      for (const auto& [value, entry] : entries_) visit(value, *entry.shared);
    }

   private:
    struct Entry {
      RuleIds rules;
      const RuleIds* shared = nullptr;  // the list of the first entry with the same content
    };
    std::map<std::string_view, Entry> entries_;
    RuleIds of_all_;
  };

  // Of URLs: "/a/" for "/a/*".
  struct Prefix {
    std::string_view text;
    const RuleIds* rules;
    const Prefix* shorter;  // the longest other prefix that this one starts with; null: none
  };

  void add_url(std::string_view url, uint32_t rule);
  void link_prefixes();

  Dimension verbs_, groups_, resources_, names_;
  Dimension urls_;                // without those that end in a star
  Dimension url_prefixes_;        // of those
  std::vector<Prefix> prefixes_;  // the same, sorted by text
};

}  // namespace chandler::auth
