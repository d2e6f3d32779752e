// Checks an expression before it is ever evaluated: every name, field, function and operator fits, and the worst that
// it can cost. Fills in what evaluation needs. Used by one thread, once per expression.
#pragma once

#include <string>
#include <string_view>
#include <vector>

#include "base/result.h"
#include "cel/expression.h"
#include "cel/type.h"
#include "meta/pattern.h"

namespace chandler::cel {

struct Variable {
  std::string name;
  TypePtr type;
};

struct Checked {
  TypePtr type;
  uint64_t cost = 0;       // at worst, saturating
  uint32_t slots = 0;      // that evaluation needs
  std::vector<bool> used;  // which of the variables occur
};

// The variables' values are in the slots in this order. An Error's message begins with the place: "1:7: ...".
// `patterns` compiles the constant regular expressions; expressions that stand in one document share it.
Result<Checked> check(Expression& expression, std::string_view source, const std::vector<Variable>& variables,
                      meta::Patterns& patterns);

}  // namespace chandler::cel
