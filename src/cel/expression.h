// A parsed expression. The parser makes it, the checker fills in what it found out (slots, functions, patterns), and
// from then on it is immutable and shared by all threads that evaluate it.
#pragma once

#include <cstdint>
#include <memory>
#include <string>
#include <vector>

#include "base/result.h"
#include "cel/function.h"
#include "cel/value.h"

namespace re2 {
class RE2;
}

namespace chandler::cel {

enum class Node : uint8_t {
  kLiteral,
  kIdentifier,  // name
  kSelect,      // operand.name
  kHas,         // has(operand.name)
  kIndex,       // operand[key]
  kCall,        // name(arguments), or receiver.name(arguments) when `method`
  kList,
  kMap,  // keys and values in turn
  kNot,
  kNegate,
  kBinary,
  kAnd,  // two or more operands
  kOr,
  kConditional,
  kMacro,  // range, then the bodies; name is the variable
};

enum class Operator : uint8_t {
  kAdd,
  kSubtract,
  kMultiply,
  kDivide,
  kModulo,
  kEqual,
  kUnequal,
  kLess,
  kAtMost,
  kGreater,
  kAtLeast,
  kIn
};
std::string_view operator_text(Operator op);

enum class Macro : uint8_t { kAll, kExists, kExistsOne, kMap, kMapIf, kFilter, kOptMap, kOptFlatMap };
std::string_view macro_name(Macro macro);

struct Expression {
  Node node = Node::kLiteral;
  uint32_t position = 0;  // byte in the source
  uint32_t depth = 1;
  bool method = false;
  bool optional = false;  // operand.?name, operand[?key]
  Operator op = Operator::kAdd;
  Macro macro = Macro::kAll;
  Value literal;
  std::string name;
  std::vector<std::unique_ptr<Expression>> parts;

  // By the checker.
  std::string property;  // of the schema, what `name` stands for
  uint32_t slot = 0;     // identifier: where its value is; macro: where the variable's goes
  Function function = Function::kNone;
  std::shared_ptr<const re2::RE2> pattern;  // of a constant regular expression
};
using ExpressionPtr = std::unique_ptr<Expression>;

// Bounds of a source: its bytes, and how deeply it nests.
constexpr size_t kMaxSource = 64 * 1024;
constexpr uint32_t kMaxDepth = 96;

// An Error's message begins with the place: "1:7: ...".
Result<ExpressionPtr> parse(std::string_view source);

// The expression with every operation in parentheses. What it prints is read back as the same expression.
std::string print(const Expression& expression);

// "line:column" of a byte, both from 1.
std::string place(std::string_view source, size_t position);

}  // namespace chandler::cel
