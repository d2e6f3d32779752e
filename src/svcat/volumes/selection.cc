#include "svcat/volumes/selection.h"

#include <fmt/format.h>

#include "base/text.h"
#include "resolve/choose_default.h"
#include "svcat/arguments.h"

namespace chandler::svcat {
namespace {

enum class Relation { kIn, kNotIn, kExists, kDoesNotExist };

struct Term {
  std::string key;
  Relation relation = Relation::kExists;
  std::vector<std::string> values;
};

Error malformed(const std::string& text) {
  return usage_error(fmt::format(
      "--set {} must be KEY=VALUE, such as --set zone=us-east-1a; also KEY=A,B, KEY!=A, KEY and !KEY", quoted(text)));
}

Result<Term> parse_term(const std::string& text) {
  Term term;
  const auto equals = text.find('=');
  if (equals == std::string::npos) {
    const bool absent = text.starts_with('!');
    term.key = text.substr(absent ? 1 : 0);
    term.relation = absent ? Relation::kDoesNotExist : Relation::kExists;
    if (term.key.empty()) return malformed(text);
    return term;
  }
  const bool negated = equals > 0 && text[equals - 1] == '!';
  term.key = text.substr(0, negated ? equals - 1 : equals);
  term.relation = negated ? Relation::kNotIn : Relation::kIn;
  if (term.key.empty() || term.key.starts_with('!')) return malformed(text);
  for (const auto value : split(std::string_view(text).substr(equals + 1), ',')) {
    term.values.emplace_back(trim(value));
  }
  return term;
}

std::string_view end_of(std::string_view key) { return key.substr(key.rfind('/') + 1); }

// The key that the class offers under this word.
Result<std::string> full_key(const std::string& word, std::span<const resolve::SelectorOption> options) {
  std::vector<std::string> keys, fitting;
  std::vector<std::string_view> words;
  for (const auto& option : options) {
    keys.push_back(option.key);
    words.push_back(end_of(option.key));
    if (option.key == word) return word;
    if (end_of(option.key) == word) fitting.push_back(option.key);
  }
  if (fitting.size() == 1) return fitting.front();
  if (fitting.size() > 1) {
    return usage_error(fmt::format("--set {}: the class offers {}; write the whole key", word, join(fitting, " and ")));
  }
  if (word.find('/') != std::string::npos || options.empty()) return word;  // labels of volumes that exist
  const auto near = nearest(word, words);
  return usage_error(fmt::format("--set {}: the class offers no such key{}; there are {}", word,
                                 near.empty() ? "" : fmt::format(" (did you mean {}?)", near),
                                 resolve::list_names(keys)));
}

}  // namespace

Result<json::Value> build_selector(const std::vector<std::string>& terms,
                                   std::span<const resolve::SelectorOption> options) {
  json::Object labels;
  json::Array expressions;
  for (const auto& text : terms) {
    CH_TRY_LET(term, parse_term(text));
    CH_TRY_LET(key, full_key(term.key, options));
    if (term.relation == Relation::kIn && term.values.size() == 1) {
      if (labels.contains(key)) {
        return usage_error(fmt::format("--set {} is given twice; KEY=A,B asks for one of several", term.key));
      }
      labels[key] = term.values.front();
      continue;
    }
    static constexpr std::string_view kOperators[] = {"In", "NotIn", "Exists", "DoesNotExist"};
    json::Object expression{{"key", key}, {"operator", kOperators[static_cast<size_t>(term.relation)]}};
    if (!term.values.empty()) expression["values"] = json::Array(term.values.begin(), term.values.end());
    expressions.push_back(std::move(expression));
  }
  if (labels.empty() && expressions.empty()) return json::Value();
  json::Object selector;
  if (!labels.empty()) selector["matchLabels"] = std::move(labels);
  if (!expressions.empty()) selector["matchExpressions"] = std::move(expressions);
  return json::Value(std::move(selector));
}

}  // namespace chandler::svcat
