#include "cel/checker.h"

#include <algorithm>
#include <array>

#include <fmt/format.h>
#include <re2/re2.h>

#include "base/text.h"
#include "cel/signature.h"

namespace chandler::cel {
namespace {

using Is = Type::Is;

struct Known {
  TypePtr type;
  uint64_t cost = 0;
};

constexpr uint64_t kListCost = 10;
constexpr uint64_t kMapCost = 30;

class Checker {
 public:
  Checker(std::string_view source, const std::vector<Variable>& variables, meta::Patterns& patterns)
      : source_(source), patterns_(patterns), scope_(variables) {
    out_.used.resize(variables.size());
    out_.slots = static_cast<uint32_t>(variables.size());
  }

  Result<Checked> run(Expression& e) {
    CH_TRY_LET(known, check(e));
    out_.type = known.type;
    out_.cost = known.cost;
    return std::move(out_);
  }

 private:
  Error fault(const Expression& e, std::string_view message) const {
    return bad_request(fmt::format("{}: {}", place(source_, e.position), message));
  }

  Result<Known> check(Expression& e) {
    switch (e.node) {
      case Node::kLiteral:
        return Known{scalar_type(e.literal.kind(), e.literal.size()), 0};
      case Node::kIdentifier:
        return identifier(e);
      case Node::kSelect:
      case Node::kHas:
        return select(e);
      case Node::kIndex:
        return index(e);
      case Node::kCall:
        return call(e);
      case Node::kList:
        return list(e, true);
      case Node::kMap:
        return map(e);
      case Node::kNot:
      case Node::kAnd:
      case Node::kOr:
        return logical(e);
      case Node::kNegate:
        return negate(e);
      case Node::kBinary:
        return binary(e);
      case Node::kConditional:
        return conditional(e);
      case Node::kMacro:
        return macro(e);
    }
    return fault(e, "this cannot be evaluated");
  }

  Result<Known> identifier(Expression& e) {
    for (size_t i = scope_.size(); i-- > 0;) {
      if (scope_[i].name != e.name) continue;
      e.slot = static_cast<uint32_t>(i);
      if (i < out_.used.size()) out_.used[i] = true;
      return Known{scope_[i].type, 1};
    }
    if (const auto kind = type_named(e.name)) {
      e.node = Node::kLiteral;
      e.literal = Value::type(*kind);
      return Known{scalar_type(Kind::kType), 0};
    }
    return fault(e, fmt::format("{} is not known here; rules see self and oldSelf", quoted(e.name)));
  }

  // The fields of what is selected from, also through an optional.
  Result<Known> select(Expression& e) {
    CH_TRY_LET(operand, check(*e.parts[0]));
    const bool through = operand.type->is == Is::kOptional;
    const Type& from = through ? *operand.type->element : *operand.type;
    e.property = e.name;
    TypePtr type;
    switch (from.is) {
      case Is::kDyn:
        type = dyn_type();
        break;
      case Is::kMap:
        type = from.element;
        break;
      case Is::kObject:
      case Is::kMetadata:
        type = field_type(from, e.name, e.property);
        if (type == nullptr) {
          return fault(e, fmt::format("undefined field {}: the schema has none that a rule can read", quoted(e.name)));
        }
        break;
      default:
        return fault(e, fmt::format("{} has no fields", type_text(from)));
    }
    const uint64_t cost = saturating_add(operand.cost, 1);
    if (e.node == Node::kHas) return Known{scalar_type(Kind::kBool), cost};
    if (through || e.optional) {
      e.optional = true;
      return Known{type->is == Is::kOptional ? type : optional_type(type), cost};
    }
    return Known{type, cost};
  }

  Result<Known> index(Expression& e) {
    CH_TRY_LET(operand, check(*e.parts[0]));
    CH_TRY_LET(key, check(*e.parts[1]));
    const bool through = operand.type->is == Is::kOptional;
    const Type& from = through ? *operand.type->element : *operand.type;
    TypePtr type;
    bool good = true;
    uint64_t cost = saturating_add(saturating_add(operand.cost, key.cost), 1);
    if (from.is == Is::kDyn) {
      type = dyn_type();
    } else if (from.is == Is::kList) {
      type = from.element;
      good = fits(*key.type, *scalar_type(Kind::kInt));
    } else if (from.is == Is::kMap) {
      type = from.element;
      good = fits(*key.type, from.key == nullptr ? *scalar_type(Kind::kString) : *from.key);
    } else {
      good = false;
    }
    if (!good) {
      return fault(e, fmt::format("no such overload: {}[{}]", type_text(from), type_text(*key.type)));
    }
    if (!through && !e.optional) return Known{type, cost};
    e.optional = true;
    return Known{optional_type(type), cost};
  }

  Result<Known> list(Expression& e, bool same_types) {
    TypePtr element = dyn_type();
    uint64_t cost = kListCost;
    for (size_t i = 0; i < e.parts.size(); ++i) {
      CH_TRY_LET(item, check(*e.parts[i]));
      cost = saturating_add(cost, item.cost);
      TypePtr both = i == 0 ? item.type : joined_type(element, item.type);
      if (both == nullptr && same_types) {
        return fault(*e.parts[i],
                     fmt::format("a list holds one type: {} is not {}", type_text(*item.type), type_text(*element)));
      }
      element = both == nullptr ? dyn_type() : both;
    }
    return Known{list_type(element, e.parts.size()), cost};
  }

  Result<Known> map(Expression& e) {
    TypePtr types[2] = {scalar_type(Kind::kString), dyn_type()};
    uint64_t cost = kMapCost;
    for (size_t i = 0; i < e.parts.size(); ++i) {
      CH_TRY_LET(part, check(*e.parts[i]));
      cost = saturating_add(cost, part.cost);
      TypePtr& type = types[i % 2];
      TypePtr both = i < 2 ? part.type : joined_type(type, part.type);
      if (both == nullptr) {
        return fault(*e.parts[i], fmt::format("a map holds one type of {}: {} is not {}",
                                              i % 2 == 0 ? "keys" : "values", type_text(*part.type), type_text(*type)));
      }
      type = both;
      if (i % 2 == 1) continue;
      const bool key =
          type->is == Is::kDyn || is_number(*type) || type->is_scalar(Kind::kString) || type->is_scalar(Kind::kBool);
      if (!key || type->is_scalar(Kind::kDouble)) {
        return fault(*e.parts[i], fmt::format("{} cannot be the key of a map", type_text(*type)));
      }
    }
    auto out = std::make_shared<Type>(*map_type(types[1], e.parts.size() / 2));
    out->key = types[0];
    // Keys are looked for one by one.
    return Known{std::move(out), saturating_add(cost, saturating_multiply(e.parts.size(), e.parts.size()))};
  }

  Result<Known> logical(Expression& e) {
    uint64_t cost = 1;
    for (auto& part : e.parts) {
      CH_TRY_LET(operand, check(*part));
      if (!fits(*operand.type, *scalar_type(Kind::kBool))) {
        const auto symbol = e.node == Node::kNot ? "!" : e.node == Node::kAnd ? "&&" : "||";
        return fault(*part, fmt::format("{} wants a bool, not {}", symbol, type_text(*operand.type)));
      }
      cost = saturating_add(cost, operand.cost);
    }
    return Known{scalar_type(Kind::kBool), cost};
  }

  Result<Known> negate(Expression& e) {
    CH_TRY_LET(operand, check(*e.parts[0]));
    const Type& type = *operand.type;
    if (type.is != Is::kDyn && !type.is_scalar(Kind::kInt) && !type.is_scalar(Kind::kDouble)) {
      return fault(e, fmt::format("no such overload: -{}", type_text(type)));
    }
    return Known{operand.type, saturating_add(operand.cost, 1)};
  }

  Result<Known> conditional(Expression& e) {
    CH_TRY_LET(condition, check(*e.parts[0]));
    CH_TRY_LET(yes, check(*e.parts[1]));
    CH_TRY_LET(no, check(*e.parts[2]));
    if (!fits(*condition.type, *scalar_type(Kind::kBool))) {
      return fault(*e.parts[0], fmt::format("a condition is a bool, not {}", type_text(*condition.type)));
    }
    auto type = joined_type(yes.type, no.type);
    if (type == nullptr) {
      return fault(
          e, fmt::format("both outcomes must be of one type: {} is not {}", type_text(*no.type), type_text(*yes.type)));
    }
    return Known{type, saturating_add(condition.cost, saturating_add(std::max(yes.cost, no.cost), 1))};
  }

  Result<Known> binary(Expression& e) {
    CH_TRY_LET(left, check(*e.parts[0]));
    CH_TRY_LET(right, check(*e.parts[1]));
    auto operation = check_operator(e.op, left.type, right.type);
    if (!operation.ok()) return fault(e, operation.error());
    const uint64_t operands = saturating_add(saturating_add(left.cost, right.cost), 1);
    return Known{operation->type, saturating_add(operands, operation->cost)};
  }

  Result<Known> macro(Expression& e) {
    CH_TRY_LET(range, check(*e.parts[0]));
    const Type& over = *range.type;
    const bool optional = e.macro == Macro::kOptMap || e.macro == Macro::kOptFlatMap;
    TypePtr variable;
    if (over.is == Is::kDyn) {
      variable = dyn_type();
    } else if (optional ? over.is == Is::kOptional : over.is == Is::kList) {
      variable = over.element;
    } else if (!optional && over.is == Is::kMap) {
      variable = over.key == nullptr ? scalar_type(Kind::kString, kMaxRequest) : over.key;
    } else {
      return fault(e, fmt::format("{} does not work on {}", macro_name(e.macro), type_text(over)));
    }
    e.slot = static_cast<uint32_t>(scope_.size());
    scope_.push_back({e.name, variable});
    out_.slots = std::max(out_.slots, e.slot + 1);
    std::vector<Known> bodies;
    for (size_t i = 1; i < e.parts.size(); ++i) {
      CH_TRY_LET(body, check(*e.parts[i]));
      bodies.push_back(std::move(body));
    }
    scope_.pop_back();

    uint64_t each = 2;
    for (const auto& body : bodies) each = saturating_add(each, body.cost);
    const uint64_t times = optional ? 1 : over.max_size;
    const uint64_t cost = saturating_add(saturating_add(range.cost, 1), saturating_multiply(times, each));
    const bool tests = !optional && e.macro != Macro::kMap;
    if (tests && !fits(*bodies[0].type, *scalar_type(Kind::kBool))) {
      return fault(*e.parts[1],
                   fmt::format("{} wants a bool here, not {}", macro_name(e.macro), type_text(*bodies[0].type)));
    }
    switch (e.macro) {
      case Macro::kAll:
      case Macro::kExists:
      case Macro::kExistsOne:
        return Known{scalar_type(Kind::kBool), cost};
      case Macro::kFilter:
        return Known{list_type(variable, times), cost};
      case Macro::kOptMap:
        return Known{optional_type(bodies[0].type), cost};
      case Macro::kOptFlatMap:
        if (bodies[0].type->is != Is::kOptional && bodies[0].type->is != Is::kDyn) {
          return fault(*e.parts[1], "optFlatMap wants an optional here");
        }
        return Known{bodies[0].type, cost};
      default:
        return Known{list_type(bodies.back().type, times), cost};
    }
  }

  // "sets.contains(a, b)" is parsed as a call on something named sets.
  void qualify(Expression& e) const {
    if (!e.method || e.parts[0]->node != Node::kIdentifier) return;
    const std::string& space = e.parts[0]->name;
    const bool variable = std::any_of(scope_.begin(), scope_.end(), [&](const Variable& v) { return v.name == space; });
    if (variable || (space != "sets" && space != "optional")) return;
    e.name = space + "." + e.name;
    e.method = false;
    e.parts.erase(e.parts.begin());
  }

  Result<Known> call(Expression& e) {
    qualify(e);
    std::vector<TypePtr> arguments;
    std::vector<uint64_t> sizes;
    uint64_t cost = 0;
    for (size_t i = 0; i < e.parts.size(); ++i) {
      const bool of_format = e.method && e.name == "format" && i == 1 && e.parts[i]->node == Node::kList;
      CH_TRY_LET(argument, of_format ? list(*e.parts[i], false) : check(*e.parts[i]));
      cost = saturating_add(cost, argument.cost);
      sizes.push_back(argument.type->max_size);
      arguments.push_back(std::move(argument.type));
    }
    TypePtr result;
    bool named = false;
    for (const auto& overload : overloads()) {
      if (overload.name != e.name) continue;
      named = true;
      if (overload.method != e.method) continue;
      auto type = result_of(overload, arguments, sizes);
      if (type == nullptr) continue;
      e.function = overload.function;
      result = result == nullptr || fits(*result, *type) ? type : dyn_type();
    }
    if (result == nullptr) return no_overload(e, arguments, named);
    CH_TRY(check_call(e, arguments));
    cost = saturating_add(cost, call_cost(e.function, sizes));
    const bool matches =
        e.function == Function::kMatches || e.function == Function::kFind || e.function == Function::kFindAll;
    if (matches && e.pattern == nullptr) cost = saturating_add(cost, pattern_cost(sizes[1]));
    const uint64_t items = cost_of_items(e.function, arguments);
    if (e.function == Function::kJoin || e.function == Function::kFormat) {
      result = with_size(result, saturating_multiply(items, kBytesPerUnit));
    }
    return Known{std::move(result), saturating_add(cost, items)};
  }

  Error no_overload(const Expression& e, const std::vector<TypePtr>& arguments, bool named) const {
    if (!named) return fault(e, fmt::format("the function {} is not supported by this server", quoted(e.name)));
    std::vector<std::string> types;
    types.reserve(arguments.size());
    for (const auto& argument : arguments) types.push_back(type_text(*argument));
    std::string receiver;
    if (e.method) {
      receiver = types.front() + ".";
      types.erase(types.begin());
    }
    return fault(e, fmt::format("no such overload: {}{}({})", receiver, e.name, join(types, ", ")));
  }

  // What a signature cannot say: which lists have a sum, an order; constant patterns, times and durations are good.
  Result<void> check_call(Expression& e, const std::vector<TypePtr>& arguments) {
    const auto constant = [&](size_t i) -> const Value* {
      return i < e.parts.size() && e.parts[i]->node == Node::kLiteral ? &e.parts[i]->literal : nullptr;
    };
    switch (e.function) {
      case Function::kMatches:
      case Function::kFind:
      case Function::kFindAll:
        if (const auto* text = constant(1)) {
          auto pattern = patterns_.compile(text->text());
          if (!pattern.ok()) return fault(*e.parts[1], bad_pattern(text->text(), pattern.error()));
          e.pattern = std::move(*pattern);
        }
        return {};
      case Function::kMin:
      case Function::kMax:
      case Function::kIsSorted:
      case Function::kSum: {
        const Type& list = *arguments[0];
        if (list.is == Is::kDyn || list.element->is == Is::kDyn) return {};
        const Type& item = *list.element;
        const bool ordered = check_operator(Operator::kLess, list.element, list.element).ok();
        const bool good = e.function == Function::kSum ? is_number(item) || item.is_scalar(Kind::kDuration) : ordered;
        if (!good) return fault(e, fmt::format("no such overload: {}.{}()", type_text(list), e.name));
        return {};
      }
      default:
        return {};
    }
  }

  std::string_view source_;
  meta::Patterns& patterns_;
  std::vector<Variable> scope_;
  Checked out_;
};

}  // namespace

Result<Checked> check(Expression& expression, std::string_view source, const std::vector<Variable>& variables,
                      meta::Patterns& patterns) {
  return Checker(source, variables, patterns).run(expression);
}

}  // namespace chandler::cel
