// What operators and functions make of the types they are given, and what that costs at worst. Pure; used by the
// checker.
#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "base/result.h"
#include "cel/expression.h"
#include "cel/function.h"
#include "cel/type.h"

namespace chandler::cel {

struct Operation {
  TypePtr type;
  uint64_t cost = 0;
};

// What is wrong, when the operator does not take these types.
Result<Operation, std::string> check_operator(Operator op, const TypePtr& a, const TypePtr& b);

// The result of a call; null when the arguments do not fit the signature.
TypePtr result_of(const Overload& overload, const std::vector<TypePtr>& arguments, const std::vector<uint64_t>& sizes);

// What looking into the items of lists adds to the cost of a call, for functions that do.
uint64_t cost_of_items(Function function, const std::vector<TypePtr>& arguments);

}  // namespace chandler::cel
