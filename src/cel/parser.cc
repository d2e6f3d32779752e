// Recursive descent, one function per level of the grammar. Macros are recognised here, by name and shape.
#include <algorithm>
#include <array>
#include <charconv>
#include <optional>

#include <fmt/format.h>

#include "base/text.h"
#include "cel/expression.h"
#include "cel/lexer.h"
#include "cel/property_name.h"

namespace chandler::cel {
namespace {

struct MacroShape {
  std::string_view name;
  size_t arguments;
  Macro macro;
};

constexpr std::array<MacroShape, 8> kMacros = {{{"all", 2, Macro::kAll},
                                                {"exists", 2, Macro::kExists},
                                                {"exists_one", 2, Macro::kExistsOne},
                                                {"map", 2, Macro::kMap},
                                                {"map", 3, Macro::kMapIf},
                                                {"filter", 2, Macro::kFilter},
                                                {"optMap", 2, Macro::kOptMap},
                                                {"optFlatMap", 2, Macro::kOptFlatMap}}};

constexpr std::array<std::pair<std::string_view, Operator>, 7> kRelations = {{{"==", Operator::kEqual},
                                                                              {"!=", Operator::kUnequal},
                                                                              {"<=", Operator::kAtMost},
                                                                              {">=", Operator::kAtLeast},
                                                                              {"<", Operator::kLess},
                                                                              {">", Operator::kGreater},
                                                                              {"in", Operator::kIn}}};

constexpr std::array<std::pair<std::string_view, Operator>, 2> kSums = {
    {{"+", Operator::kAdd}, {"-", Operator::kSubtract}}};
constexpr std::array<std::pair<std::string_view, Operator>, 3> kProducts = {
    {{"*", Operator::kMultiply}, {"/", Operator::kDivide}, {"%", Operator::kModulo}}};

constexpr uint64_t kMinMagnitude = uint64_t{1} << 63;

std::optional<uint64_t> magnitude(std::string_view text) {
  const bool hex = text.starts_with("0x");
  if (hex) text.remove_prefix(2);
  uint64_t value = 0;
  const auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), value, hex ? 16 : 10);
  if (error != std::errc() || end != text.data() + text.size()) return std::nullopt;
  return value;
}

class Parser {
 public:
  explicit Parser(std::string_view source) : lexer_(source) {}

  Result<ExpressionPtr> parse_all() {
    CH_TRY(lexer_.next());
    CH_TRY_LET(out, expression());
    if (lexer_.token() != Token::kEnd) {
      return lexer_.fault(fmt::format("the expression should end before {}", quoted(lexer_.text())));
    }
    return out;
  }

 private:
  // One level of brackets or of operators before an operand.
  struct Level {
    explicit Level(uint32_t& depth) : depth_(depth) { ++depth_; }
    ~Level() { --depth_; }
    Level(const Level&) = delete;
    Level& operator=(const Level&) = delete;
    uint32_t& depth_;
  };

  ExpressionPtr make(Node node, size_t position) const {
    auto out = std::make_unique<Expression>();
    out->node = node;
    out->position = static_cast<uint32_t>(position);
    return out;
  }

  Result<void> add(Expression& to, ExpressionPtr part) const {
    to.depth = std::max(to.depth, part->depth + 1);
    to.parts.push_back(std::move(part));
    if (to.depth > kMaxDepth) return lexer_.fault_at(to.position, "the expression nests too deeply; split the rule");
    return {};
  }

  Result<ExpressionPtr> expression() {
    const Level level(level_);
    if (level_ > kMaxDepth) return lexer_.fault("the expression nests too deeply; split the rule");
    CH_TRY_LET(condition, disjunction());
    if (!lexer_.is("?")) return condition;
    auto out = make(Node::kConditional, lexer_.position());
    CH_TRY(lexer_.next());
    CH_TRY(add(*out, std::move(condition)));
    CH_TRY_LET(yes, disjunction());
    CH_TRY(add(*out, std::move(yes)));
    CH_TRY(expect(":"));
    CH_TRY_LET(no, expression());
    CH_TRY(add(*out, std::move(no)));
    return out;
  }

  Result<ExpressionPtr> disjunction() { return logical("||", Node::kOr, &Parser::conjunction); }
  Result<ExpressionPtr> conjunction() { return logical("&&", Node::kAnd, &Parser::relation); }

  // Any number of operands in one node: long chains do not nest.
  Result<ExpressionPtr> logical(std::string_view symbol, Node node, Result<ExpressionPtr> (Parser::*operand)()) {
    CH_TRY_LET(first, (this->*operand)());
    if (!lexer_.is(symbol)) return first;
    auto out = make(node, lexer_.position());
    CH_TRY(add(*out, std::move(first)));
    while (lexer_.is(symbol)) {
      CH_TRY(lexer_.next());
      CH_TRY_LET(more, (this->*operand)());
      CH_TRY(add(*out, std::move(more)));
    }
    return out;
  }

  template <size_t N>
  Result<ExpressionPtr> chain(const std::array<std::pair<std::string_view, Operator>, N>& operators,
                              Result<ExpressionPtr> (Parser::*operand)()) {
    CH_TRY_LET(left, (this->*operand)());
    while (true) {
      const auto found = std::find_if(operators.begin(), operators.end(), [&](const auto& pair) {
        return lexer_.is(pair.first) || (pair.second == Operator::kIn && lexer_.is_word("in"));
      });
      if (found == operators.end()) return left;
      auto out = make(Node::kBinary, lexer_.position());
      out->op = found->second;
      CH_TRY(lexer_.next());
      CH_TRY(add(*out, std::move(left)));
      CH_TRY_LET(right, (this->*operand)());
      CH_TRY(add(*out, std::move(right)));
      left = std::move(out);
    }
  }

  Result<ExpressionPtr> relation() { return chain(kRelations, &Parser::addition); }
  Result<ExpressionPtr> addition() { return chain(kSums, &Parser::multiplication); }
  Result<ExpressionPtr> multiplication() { return chain(kProducts, &Parser::unary); }

  Result<ExpressionPtr> unary() {
    const Level level(level_);
    if (level_ > kMaxDepth) return lexer_.fault("the expression nests too deeply; split the rule");
    const bool is_not = lexer_.is("!");
    if (!is_not && !lexer_.is("-")) return member();
    auto out = make(is_not ? Node::kNot : Node::kNegate, lexer_.position());
    CH_TRY(lexer_.next());
    if (!is_not && (lexer_.token() == Token::kInt || lexer_.token() == Token::kDouble)) return member(true);
    CH_TRY_LET(operand, unary());
    CH_TRY(add(*out, std::move(operand)));
    return out;
  }

  Result<ExpressionPtr> member(bool negative = false) {
    CH_TRY_LET(out, negative ? number(true) : primary());
    while (lexer_.is(".") || lexer_.is("[") || lexer_.is("{")) {
      if (lexer_.is("{")) return lexer_.fault("messages cannot be made in rules; write a map as {'key': value}");
      const bool dot = lexer_.is(".");
      const size_t position = lexer_.position();
      CH_TRY(lexer_.next());
      bool optional = false;
      if (lexer_.is("?")) {
        optional = true;
        CH_TRY(lexer_.next());
      }
      CH_TRY_LET(next,
                 dot ? selection(std::move(out), position, optional) : subscript(std::move(out), position, optional));
      out = std::move(next);
    }
    return out;
  }

  Result<ExpressionPtr> subscript(ExpressionPtr operand, size_t position, bool optional) {
    auto out = make(Node::kIndex, position);
    out->optional = optional;
    CH_TRY(add(*out, std::move(operand)));
    CH_TRY_LET(key, expression());
    CH_TRY(add(*out, std::move(key)));
    CH_TRY(expect("]"));
    return out;
  }

  Result<ExpressionPtr> selection(ExpressionPtr operand, size_t position, bool optional) {
    if (lexer_.token() != Token::kIdentifier) return lexer_.fault("a field or function should stand after the dot");
    const std::string name = lexer_.text();
    if (name == "in" || name == "true" || name == "false" || name == "null") {
      return lexer_.fault(fmt::format("{} is a word of the language; write __{}__ for the property", name, name));
    }
    CH_TRY(lexer_.next());
    if (!lexer_.is("(")) {
      auto out = make(Node::kSelect, position);
      out->name = name;
      out->optional = optional;
      CH_TRY(add(*out, std::move(operand)));
      return out;
    }
    if (optional) return lexer_.fault_at(position, "a function cannot be called with .?");
    auto call = make(Node::kCall, position);
    call->name = name;
    call->method = true;
    CH_TRY(add(*call, std::move(operand)));
    CH_TRY(lexer_.next());
    CH_TRY(list_until(")", *call));
    return as_macro(std::move(call));
  }

  // A call of a macro's name and shape whose first argument is a plain name.
  Result<ExpressionPtr> as_macro(ExpressionPtr call) const {
    const auto shape = std::find_if(kMacros.begin(), kMacros.end(), [&](const MacroShape& macro) {
      return macro.name == call->name && macro.arguments + 1 == call->parts.size();
    });
    if (shape == kMacros.end()) return call;
    const auto& variable = *call->parts[1];
    if (variable.node != Node::kIdentifier) {
      return lexer_.fault_at(variable.position, fmt::format("the first argument of {} must be a name", call->name));
    }
    auto out = make(Node::kMacro, call->position);
    out->macro = shape->macro;
    out->name = variable.name;
    for (size_t i = 0; i < call->parts.size(); ++i) {
      if (i != 1) CH_TRY(add(*out, std::move(call->parts[i])));
    }
    return out;
  }

  Result<void> list_until(std::string_view end, Expression& out) {
    while (!lexer_.is(end)) {
      if (lexer_.is("?")) return lexer_.fault("optional entries are not supported; use a condition");
      CH_TRY_LET(item, expression());
      CH_TRY(add(out, std::move(item)));
      if (lexer_.is(end)) break;
      CH_TRY(expect(","));
      if (end == ")" && lexer_.is(end)) return lexer_.fault("an argument is missing after the comma");
    }
    return lexer_.next();
  }

  Result<ExpressionPtr> primary() {
    const size_t position = lexer_.position();
    switch (lexer_.token()) {
      case Token::kInt:
      case Token::kUint:
      case Token::kDouble:
        return number(false);
      case Token::kString:
      case Token::kBytes: {
        auto out = make(Node::kLiteral, position);
        out->literal = lexer_.token() == Token::kString ? Value::string(lexer_.text()) : Value::bytes(lexer_.text());
        CH_TRY(lexer_.next());
        return out;
      }
      case Token::kIdentifier:
        return name();
      case Token::kEnd:
        return lexer_.fault("the expression ends too early");
      case Token::kSymbol:
        break;
    }
    if (lexer_.is(".")) {
      CH_TRY(lexer_.next());
      if (lexer_.token() != Token::kIdentifier) return lexer_.fault("a name should stand after the dot");
      return name();
    }
    if (lexer_.is("(")) {
      CH_TRY(lexer_.next());
      CH_TRY_LET(out, expression());
      CH_TRY(expect(")"));
      return out;
    }
    if (lexer_.is("[")) {
      auto out = make(Node::kList, position);
      CH_TRY(lexer_.next());
      CH_TRY(list_until("]", *out));
      return out;
    }
    if (lexer_.is("{")) return map();
    return lexer_.fault(fmt::format("{} is unexpected here", quoted(lexer_.text())));
  }

  Result<ExpressionPtr> map() {
    auto out = make(Node::kMap, lexer_.position());
    CH_TRY(lexer_.next());
    while (!lexer_.is("}")) {
      if (lexer_.is("?")) return lexer_.fault("optional entries are not supported; use a condition");
      CH_TRY_LET(key, expression());
      CH_TRY(add(*out, std::move(key)));
      CH_TRY(expect(":"));
      CH_TRY_LET(value, expression());
      CH_TRY(add(*out, std::move(value)));
      if (lexer_.is("}")) break;
      CH_TRY(expect(","));
    }
    CH_TRY(lexer_.next());
    return out;
  }

  Result<ExpressionPtr> name() {
    const std::string text = lexer_.text();
    const size_t position = lexer_.position();
    auto out = make(Node::kLiteral, position);
    if (text == "true" || text == "false") {
      out->literal = Value::boolean(text == "true");
    } else if (text != "null") {
      if (is_reserved_word(text)) return lexer_.fault(fmt::format("{} is a word of the language", text));
      out->node = Node::kIdentifier;
      out->name = text;
    }
    CH_TRY(lexer_.next());
    if (out->node != Node::kIdentifier || !lexer_.is("(")) return out;
    out->node = Node::kCall;
    CH_TRY(lexer_.next());
    CH_TRY(list_until(")", *out));
    if (text == "has") return as_has(std::move(out));
    return out;
  }

  Result<ExpressionPtr> as_has(ExpressionPtr call) const {
    if (call->parts.size() != 1 || call->parts[0]->node != Node::kSelect || call->parts[0]->optional) {
      return lexer_.fault_at(call->position, "has() wants one field, such as has(self.field)");
    }
    auto out = std::move(call->parts[0]);
    out->node = Node::kHas;
    return out;
  }

  Result<ExpressionPtr> number(bool negative) {
    auto out = make(Node::kLiteral, lexer_.position());
    if (lexer_.token() == Token::kDouble) {
      double value = 0;
      const auto& text = lexer_.text();
      const auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), value);
      if (error != std::errc() || end != text.data() + text.size()) return lexer_.fault("the number is out of range");
      out->literal = Value::real(negative ? -value : value);
    } else {
      const auto value = magnitude(lexer_.text());
      const uint64_t limit = negative ? kMinMagnitude : kMinMagnitude - 1;
      const bool is_uint = lexer_.token() == Token::kUint;
      if (!value || (!is_uint && *value > limit)) return lexer_.fault("the number is out of range");
      if (is_uint) {
        out->literal = Value::unsigned_integer(*value);
      } else {
        out->literal = Value::integer(static_cast<int64_t>(negative ? 0 - *value : *value));
      }
    }
    CH_TRY(lexer_.next());
    return out;
  }

  Result<void> expect(std::string_view symbol) {
    if (lexer_.is(symbol)) return lexer_.next();
    if (lexer_.token() == Token::kEnd)
      return lexer_.fault(fmt::format("the expression ends before its {}", quoted(symbol)));
    return lexer_.fault(fmt::format("{} should stand here instead of {}", quoted(symbol), quoted(lexer_.text())));
  }

  Lexer lexer_;
  uint32_t level_ = 0;
};

}  // namespace

Result<ExpressionPtr> parse(std::string_view source) {
  if (source.size() > kMaxSource)
    return bad_request(fmt::format("1:1: the expression is longer than {} bytes", kMaxSource));
  return Parser(source).parse_all();
}

}  // namespace chandler::cel
