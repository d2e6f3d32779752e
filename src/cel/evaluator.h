// Evaluates a checked expression over values, within a budget of cost. Depth is that of the expression, which the
// parser bounds. One Meter and one call per evaluation; the expression is shared between threads.
#pragma once

#include <cstdint>
#include <vector>

#include "cel/expression.h"
#include "cel/value.h"

namespace chandler::cel {

// Counts what an evaluation costs. Once over the limit it stays there.
class Meter {
 public:
  explicit Meter(uint64_t limit) : limit_(limit) {}
  // False when the budget is used up.
  bool charge(uint64_t cost);
  uint64_t spent() const { return spent_; }
  uint64_t left() const { return limit_ - spent_; }
  // Looking a key up in a map, besides the unit for the operation: it is hashed, and a fault repeats it.
  bool charge_key(size_t bytes) { return charge(bytes / kSearchedPerUnit); }
  static Fault over();

 private:
  const uint64_t limit_;
  uint64_t spent_ = 0;
};

// `slots` holds the variables' values first and has the size that the checker asked for.
Outcome evaluate(const Expression& expression, std::vector<Value>& slots, Meter& meter);

// The library: arguments are evaluated and of any type, since dyn hides types from the checker.
Outcome call_function(Function function, std::vector<Value>& arguments, const re2::RE2* pattern, Meter& meter);
Outcome call_text(Function function, const std::vector<Value>& arguments, const re2::RE2* pattern, Meter& meter);
Outcome call_list(Function function, const std::vector<Value>& arguments, Meter& meter);
Outcome call_time(Function function, const Value& argument);
Outcome call_quantity(Function function, const std::vector<Value>& arguments);
Outcome convert(Function function, const Value& argument);
Outcome format_text(std::string_view pattern, const Value& arguments, Meter& meter);
Outcome add_values(const Value& a, const Value& b, Meter& meter);
Outcome calculate(Operator op, const Value& a, const Value& b);

Fault no_overload(std::string_view name);
Result<bool, Fault> equal_within(const Value& a, const Value& b, Meter& meter);

}  // namespace chandler::cel
