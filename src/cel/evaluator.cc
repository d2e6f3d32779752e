#include "cel/evaluator.h"

#include <algorithm>

#include <fmt/format.h>

#include "base/text.h"

namespace chandler::cel {
namespace {

constexpr uint64_t kStepsPerUnit = 5;

Fault missing(std::string_view key) { return {fmt::format("no such key: {}", key), false}; }

std::string key_text(const Value& key) {
  switch (key.kind()) {
    case Kind::kString:
      return std::string(key.text());
    case Kind::kInt:
      return std::to_string(key.as_int());
    case Kind::kUint:
      return std::to_string(key.as_uint());
    default:
      return std::string(kind_name(key.kind()));
  }
}

class Evaluator {
 public:
  Evaluator(std::vector<Value>& slots, Meter& meter) : slots_(slots), meter_(meter) {}

  Outcome value(const Expression& e) {
    switch (e.node) {
      case Node::kLiteral:
        return e.literal;
      case Node::kIdentifier:
        if (!meter_.charge(1)) return Meter::over();
        return slots_[e.slot];
      case Node::kSelect:
      case Node::kHas:
        return select(e);
      case Node::kIndex:
        return index(e);
      case Node::kCall:
        return call(e);
      case Node::kList:
      case Node::kMap:
        return collection(e);
      case Node::kNot:
      case Node::kNegate:
        return unary(e);
      case Node::kAnd:
      case Node::kOr:
        return logical(e);
      case Node::kBinary:
        return binary(e);
      case Node::kConditional:
        return conditional(e);
      case Node::kMacro:
        return macro(e);
    }
    return no_overload("expression");
  }

 private:
  // The value inside an optional, for selections that go through it; null: there is none.
  static const Value* inside(const Value& value) { return value.is(Kind::kOptional) ? value.optional_value() : &value; }

  // Bytes in a document are base64, which is decoded anew, and kept, whenever they are read.
  bool charge_reading(const Value& from, const Value& part) {
    return !from.is_view() || !part.is(Kind::kBytes) || meter_.charge(part.size() / kBytesPerUnit);
  }

  Outcome select(const Expression& e) {
    CH_TRY_LET(operand, value(*e.parts[0]));
    if (!meter_.charge(1)) return Meter::over();
    const Value* from = inside(operand);
    bool found = false;
    Value member;
    if (from != nullptr) {
      if (!meter_.charge_key(e.name.size())) return Meter::over();
      if (from->is_literal_map() && !meter_.charge(from->size())) return Meter::over();
      CH_TRY_LET(got, from->member(e.name, e.property, found));
      if (!charge_reading(*from, got)) return Meter::over();
      member = std::move(got);
    }
    if (e.node == Node::kHas) return Value::boolean(found);
    if (e.optional) return optional(found, std::move(member));
    if (!found) return missing(e.property);
    return member;
  }

  static Value optional(bool found, Value value) {
    if (!found) return Value::none();
    return value.is(Kind::kOptional) ? std::move(value) : Value::some(std::move(value));
  }

  Outcome index(const Expression& e) {
    CH_TRY_LET(operand, value(*e.parts[0]));
    CH_TRY_LET(key, value(*e.parts[1]));
    if (!meter_.charge(1)) return Meter::over();
    const Value* from = inside(operand);
    if (from == nullptr) return Value::none();
    if (from->is(Kind::kList)) {
      int64_t at = -1;
      if (key.is(Kind::kInt)) {
        at = key.as_int();
      } else if (key.is(Kind::kUint)) {
        at = static_cast<int64_t>(std::min<uint64_t>(key.as_uint(), INT64_MAX));
      } else {
        return no_overload("_[_]");
      }
      const bool found = at >= 0 && static_cast<uint64_t>(at) < from->size();
      if (!found && !e.optional) return Fault{fmt::format("index out of bounds: {}", at), false};
      if (!found) return Value::none();
      CH_TRY_LET(item, from->item(static_cast<size_t>(at)));
      if (!charge_reading(*from, item)) return Meter::over();
      return e.optional ? optional(true, std::move(item)) : std::move(item);
    }
    if (!from->is(Kind::kMap)) return no_overload("_[_]");
    if (!meter_.charge_key(key.size())) return Meter::over();
    if (from->is_literal_map() && !meter_.charge(from->size())) return Meter::over();
    bool found = false;
    CH_TRY_LET(entry, from->find(key, found));
    if (!charge_reading(*from, entry)) return Meter::over();
    if (e.optional) return optional(found, std::move(entry));
    if (!found) return missing(key_text(key));
    return entry;
  }

  Outcome call(const Expression& e) {
    std::vector<Value> arguments;
    arguments.reserve(e.parts.size());
    for (const auto& part : e.parts) {
      CH_TRY_LET(argument, value(*part));
      arguments.push_back(std::move(argument));
    }
    return call_function(e.function, arguments, e.pattern.get(), meter_);
  }

  Outcome collection(const Expression& e) {
    if (!meter_.charge(e.node == Node::kList ? 10 : 30)) return Meter::over();
    Value::Items items;
    items.reserve(e.parts.size());
    for (const auto& part : e.parts) {
      CH_TRY_LET(item, value(*part));
      items.push_back(std::move(item));
    }
    if (e.node == Node::kList) return Value::list(std::move(items));
    if (!meter_.charge(items.size() * items.size() / 4)) return Meter::over();
    for (size_t i = 0; i < items.size(); i += 2) {
      for (size_t j = 0; j < i; j += 2) {
        CH_TRY_LET(same, equal_within(items[i], items[j], meter_));
        if (same) return Fault{fmt::format("the key {} occurs twice in a map", key_text(items[i])), false};
      }
    }
    return Value::map(std::move(items));
  }

  Outcome unary(const Expression& e) {
    CH_TRY_LET(operand, value(*e.parts[0]));
    if (!meter_.charge(1)) return Meter::over();
    if (e.node == Node::kNot) {
      if (!operand.is(Kind::kBool)) return no_overload("!");
      return Value::boolean(!operand.as_bool());
    }
    if (operand.is(Kind::kDouble)) return Value::real(-operand.as_double());
    if (!operand.is(Kind::kInt)) return no_overload("-");
    if (operand.as_int() == INT64_MIN) return Fault{"integer overflow", false};
    return Value::integer(-operand.as_int());
  }

  // An operand that decides makes the faults of the others unimportant, wherever it stands.
  Outcome logical(const Expression& e) {
    if (!meter_.charge(1)) return Meter::over();
    const bool decides = e.node == Node::kOr;
    std::optional<Fault> fault;
    for (const auto& part : e.parts) {
      auto operand = value(*part);
      if (!operand.ok()) {
        if (operand.error().over_budget) return operand;
        if (!fault) fault = std::move(operand).error();
      } else if (!operand->is(Kind::kBool)) {
        if (!fault) fault = no_overload(decides ? "||" : "&&");
      } else if (operand->as_bool() == decides) {
        return operand;
      }
    }
    if (fault) return std::move(*fault);
    return Value::boolean(!decides);
  }

  Outcome conditional(const Expression& e) {
    CH_TRY_LET(condition, value(*e.parts[0]));
    if (!meter_.charge(1)) return Meter::over();
    if (!condition.is(Kind::kBool)) return no_overload("?:");
    return value(*e.parts[condition.as_bool() ? 1 : 2]);
  }

  Outcome binary(const Expression& e) {
    CH_TRY_LET(a, value(*e.parts[0]));
    CH_TRY_LET(b, value(*e.parts[1]));
    if (!meter_.charge(1)) return Meter::over();
    switch (e.op) {
      case Operator::kEqual:
      case Operator::kUnequal: {
        CH_TRY_LET(same, equal_within(a, b, meter_));
        return Value::boolean(same == (e.op == Operator::kEqual));
      }
      case Operator::kLess:
      case Operator::kAtMost:
      case Operator::kGreater:
      case Operator::kAtLeast:
        return relation(e.op, a, b);
      case Operator::kIn:
        return contained(a, b);
      case Operator::kAdd:
        return add_values(a, b, meter_);
      default:
        return calculate(e.op, a, b);
    }
  }

  Outcome relation(Operator op, const Value& a, const Value& b) {
    if (!meter_.charge(std::min(a.size(), b.size()) / kBytesPerUnit)) return Meter::over();
    CH_TRY_LET(order, compare(a, b));
    if (order == 2) return Value::boolean(false);
    switch (op) {
      case Operator::kLess:
        return Value::boolean(order < 0);
      case Operator::kAtMost:
        return Value::boolean(order <= 0);
      case Operator::kGreater:
        return Value::boolean(order > 0);
      default:
        return Value::boolean(order >= 0);
    }
  }

  Outcome contained(const Value& a, const Value& b) {
    if (b.is(Kind::kMap)) {
      if (!meter_.charge(b.is_literal_map() ? b.size() : 1) || !meter_.charge_key(a.size())) return Meter::over();
      bool found = false;
      CH_TRY(b.find(a, found));
      return Value::boolean(found);
    }
    if (!b.is(Kind::kList)) return no_overload("in");
    for (size_t i = 0; i < b.size(); ++i) {
      if (!meter_.charge(1)) return Meter::over();
      CH_TRY_LET(item, b.item(i));
      if (!charge_reading(b, item)) return Meter::over();
      CH_TRY_LET(same, equal_within(a, item, meter_));
      if (same) return Value::boolean(true);
    }
    return Value::boolean(false);
  }

  Outcome macro(const Expression& e) {
    CH_TRY_LET(range, value(*e.parts[0]));
    if (!meter_.charge(1)) return Meter::over();
    if (e.macro == Macro::kOptMap || e.macro == Macro::kOptFlatMap) {
      if (!range.is(Kind::kOptional)) return no_overload(macro_name(e.macro));
      if (range.optional_value() == nullptr) return range;
      slots_[e.slot] = *range.optional_value();
      CH_TRY_LET(body, value(*e.parts[1]));
      if (e.macro == Macro::kOptMap) return Value::some(std::move(body));
      if (!body.is(Kind::kOptional)) return no_overload("optFlatMap");
      return body;
    }
    if (!range.is(Kind::kList) && !range.is(Kind::kMap)) return no_overload(macro_name(e.macro));
    return iterate(e, range);
  }

  Outcome iterate(const Expression& e, const Value& range) {
    const bool absorbs = e.macro == Macro::kAll || e.macro == Macro::kExists;
    const bool decides = e.macro == Macro::kExists;
    std::optional<Fault> fault;
    Value::Items items;
    size_t hits = 0;
    for (size_t i = 0; i < range.size(); ++i) {
      if (!meter_.charge(2)) return Meter::over();
      CH_TRY_LET(item, range.is(Kind::kMap) ? range.key(i) : range.item(i));
      if (!charge_reading(range, item)) return Meter::over();
      slots_[e.slot] = item;
      auto body = value(*e.parts[1]);
      if (!body.ok()) {
        if (!absorbs || body.error().over_budget) return body;
        if (!fault) fault = std::move(body).error();
        continue;
      }
      if (e.macro == Macro::kMap) {
        items.push_back(std::move(*body));
        continue;
      }
      if (!body->is(Kind::kBool)) {
        if (!absorbs) return no_overload(macro_name(e.macro));
        if (!fault) fault = no_overload(macro_name(e.macro));
        continue;
      }
      if (absorbs && body->as_bool() == decides) return body;
      if (!body->as_bool()) continue;
      ++hits;
      if (e.macro == Macro::kFilter) items.push_back(std::move(item));
      if (e.macro == Macro::kMapIf) {
        CH_TRY_LET(made, value(*e.parts[2]));
        items.push_back(std::move(made));
      }
    }
    if (fault) return std::move(*fault);
    if (absorbs) return Value::boolean(!decides);
    if (e.macro == Macro::kExistsOne) return Value::boolean(hits == 1);
    return Value::list(std::move(items));
  }

  std::vector<Value>& slots_;
  Meter& meter_;
};

}  // namespace

bool Meter::charge(uint64_t cost) {
  if (cost > limit_ - spent_) {
    spent_ = limit_;
    return false;
  }
  spent_ += cost;
  return true;
}

Fault Meter::over() { return {"the evaluation costs too much", true}; }

Fault no_overload(std::string_view name) {
  return {fmt::format("no such overload: {} does not take values of these types", name), false};
}

Result<bool, Fault> equal_within(const Value& a, const Value& b, Meter& meter) {
  uint64_t steps = 0;
  const uint64_t limit = saturating_multiply(meter.left(), kStepsPerUnit);
  const bool same = equal(a, b, steps, limit);
  if (!meter.charge(steps / kStepsPerUnit)) return fail(Meter::over());
  if (steps > limit) return fail(Meter::over());
  return same;
}

Outcome evaluate(const Expression& expression, std::vector<Value>& slots, Meter& meter) {
  return Evaluator(slots, meter).value(expression);
}

}  // namespace chandler::cel
