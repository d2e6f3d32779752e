#include "cel/signature.h"

#include <algorithm>

#include <fmt/format.h>

namespace chandler::cel {
namespace {

using Is = Type::Is;

bool is_unordered(const Type& type) {
  return type.is == Is::kList && type.node != nullptr &&
         (type.node->list_type == meta::ListType::kSet || type.node->list_type == meta::ListType::kMap);
}

bool is_duration(const Type& type) { return type.is_scalar(Kind::kDuration); }
bool is_moment(const Type& type) { return type.is_scalar(Kind::kTimestamp); }

// Quantities are compared by functions of their own.
bool is_ordered(const Type& type) {
  return type.is == Is::kDyn || (type.is == Is::kScalar && !type.is_scalar(Kind::kNull) &&
                                 !type.is_scalar(Kind::kType) && !type.is_scalar(Kind::kQuantity));
}

bool is_arithmetic(const Type& a, const Type& b, bool doubles) {
  const auto good = [&](const Type& t) {
    return t.is == Is::kDyn || (is_number(t) && (doubles || !t.is_scalar(Kind::kDouble)));
  };
  return good(a) && good(b) && fits(a, b);
}

// At worst; what evaluation finds is counted as it goes.
uint64_t equality_cost(const Type& a, const Type& b) {
  const uint64_t least = std::min(a.max_size, b.max_size);
  if (is_unordered(a) || is_unordered(b)) return saturating_multiply(least, least / kBytesPerUnit + 1);
  return least / kBytesPerUnit;
}

const Type& key_of(const Type& map) {
  static const TypePtr string = scalar_type(Kind::kString);
  return map.key == nullptr ? *string : *map.key;
}

std::string no_operator(Operator op, const Type& a, const Type& b) {
  return fmt::format("no such overload: {} {} {}", type_text(a), operator_text(op), type_text(b));
}

Result<Operation, std::string> check_in(const Type& a, const Type& b) {
  const bool list = b.is == Is::kList && fits(a, *b.element);
  const bool map = b.is == Is::kMap && fits(a, key_of(b));
  if (b.is != Is::kDyn && !list && !map) return fail(no_operator(Operator::kIn, a, b));
  // A map that an expression makes is looked through; it is as small as the expression.
  if (b.is == Is::kMap && b.key == nullptr) return Operation{scalar_type(Kind::kBool), 1};
  uint64_t comparing = b.is == Is::kList ? saturating_multiply(b.max_size, equality_cost(a, *b.element)) : 0;
  // However long single items may be: those of a list in a document are together no longer than the document.
  const bool texts = b.is == Is::kList && b.element->is_scalar(Kind::kString);
  if (texts && b.node != nullptr) comparing = std::min(comparing, kMaxRequest / kBytesPerUnit);
  return Operation{scalar_type(Kind::kBool), saturating_add(b.max_size, comparing)};
}

Result<Operation, std::string> check_sum(const TypePtr& left, const TypePtr& right) {
  const Type& a = *left;
  const Type& b = *right;
  const uint64_t sum = saturating_add(a.max_size, b.max_size);
  if (a.is == Is::kDyn && b.is == Is::kDyn) return Operation{with_size(dyn_type(), sum), sum};
  if (is_duration(a) && (is_duration(b) || is_moment(b))) return Operation{right, 0};
  if (is_moment(a) && is_duration(b)) return Operation{left, 0};
  const Type& known = a.is == Is::kDyn ? b : a;
  if (known.is == Is::kList && fits(a, b)) {
    if (is_unordered(a) || is_unordered(b)) {
      return fail(std::string("lists of type set or map cannot be added; use sets.contains or a macro"));
    }
    const bool hidden = a.is == Is::kDyn || b.is == Is::kDyn;
    return Operation{list_type(hidden ? dyn_type() : joined_type(a.element, b.element), sum), sum};
  }
  const bool text = known.is_scalar(Kind::kString) || known.is_scalar(Kind::kBytes);
  // Beside dyn a time may be met by a duration.
  const bool time = (is_duration(known) || is_moment(known)) && (a.is == Is::kDyn || b.is == Is::kDyn);
  if (time) return Operation{dyn_type(), 0};
  if (!fits(a, b) || !(text || is_number(known))) return fail(no_operator(Operator::kAdd, a, b));
  return Operation{scalar_type(known.scalar, text ? sum : 1), text ? sum / kBytesPerUnit : 0};
}

Result<Operation, std::string> check_difference(const TypePtr& left, const TypePtr& right) {
  const Type& a = *left;
  const Type& b = *right;
  if (is_moment(a) && is_moment(b)) return Operation{scalar_type(Kind::kDuration), 0};
  if ((is_moment(a) || is_duration(a)) && is_duration(b)) return Operation{left, 0};
  const bool hidden = a.is == Is::kDyn || b.is == Is::kDyn;
  if (hidden && (is_moment(a) || is_duration(a) || is_moment(b) || is_duration(b))) return Operation{dyn_type(), 0};
  if (!is_arithmetic(a, b, true)) return fail(no_operator(Operator::kSubtract, a, b));
  return Operation{a.is == Is::kDyn ? right : left, 0};
}

Kind letter_kind(char letter) {
  switch (letter) {
    case 'b':
      return Kind::kBool;
    case 'i':
      return Kind::kInt;
    case 'u':
      return Kind::kUint;
    case 'd':
      return Kind::kDouble;
    case 's':
      return Kind::kString;
    case 'y':
      return Kind::kBytes;
    case 't':
      return Kind::kTimestamp;
    case 'r':
      return Kind::kDuration;
    case 'q':
      return Kind::kQuantity;
    default:
      return Kind::kType;
  }
}

// Whether an argument fits its letter; `a` is what A stands for, as far as it is known.
bool takes(char letter, const TypePtr& type, TypePtr& a) {
  const auto bind = [&](const TypePtr& bound) {
    a = a == nullptr ? bound : joined_type(a, bound);
    return a != nullptr;
  };
  const bool dyn = type->is == Is::kDyn;
  switch (letter) {
    case '*':
      return true;
    case 'A':
      return bind(type);
    case 'L':
      return (dyn || type->is == Is::kList) && bind(dyn ? dyn_type() : type->element);
    case 'O':
      return (dyn || type->is == Is::kOptional) && bind(dyn ? dyn_type() : type->element);
    case 'S':
      return dyn || (type->is == Is::kList && fits(*type->element, *scalar_type(Kind::kString)));
    case 'M':
      return dyn || type->is == Is::kMap;
    default:
      return fits(*type, *scalar_type(letter_kind(letter)));
  }
}

}  // namespace

Result<Operation, std::string> check_operator(Operator op, const TypePtr& left, const TypePtr& right) {
  const Type& a = *left;
  const Type& b = *right;
  switch (op) {
    case Operator::kEqual:
    case Operator::kUnequal:
      if (!fits(a, b)) return fail(no_operator(op, a, b));
      return Operation{scalar_type(Kind::kBool), equality_cost(a, b)};
    case Operator::kLess:
    case Operator::kAtMost:
    case Operator::kGreater:
    case Operator::kAtLeast:
      if (!is_ordered(a) || !is_ordered(b) || !(fits(a, b) || (is_number(a) && is_number(b)))) {
        return fail(no_operator(op, a, b));
      }
      return Operation{scalar_type(Kind::kBool), std::min(a.max_size, b.max_size) / kBytesPerUnit};
    case Operator::kIn:
      return check_in(a, b);
    case Operator::kAdd:
      return check_sum(left, right);
    case Operator::kSubtract:
      return check_difference(left, right);
    default:
      if (!is_arithmetic(a, b, op != Operator::kModulo)) return fail(no_operator(op, a, b));
      return Operation{a.is == Is::kDyn ? right : left, 0};
  }
}

TypePtr result_of(const Overload& overload, const std::vector<TypePtr>& arguments, const std::vector<uint64_t>& sizes) {
  const size_t colon = overload.signature.find(':');
  if (colon != arguments.size()) return nullptr;
  TypePtr a;
  for (size_t i = 0; i < arguments.size(); ++i) {
    if (!takes(overload.signature[i], arguments[i], a)) return nullptr;
  }
  const char result = overload.signature[colon + 1];
  const uint64_t size = result_size(overload.function, sizes);
  switch (result) {
    case '*':
      return dyn_type();
    case 'A':
      return a == nullptr ? dyn_type() : a;
    case 'O':
      return optional_type(a == nullptr ? dyn_type() : a);
    case 'S':
      return list_type(scalar_type(Kind::kString, sizes.empty() ? 1 : sizes[0]), size);
    case 's':
    case 'y':
      return scalar_type(letter_kind(result), size);
    default:
      return scalar_type(letter_kind(result));
  }
}

uint64_t cost_of_items(Function function, const std::vector<TypePtr>& arguments) {
  switch (function) {
    case Function::kJoin:
    case Function::kFormat:
    case Function::kMin:
    case Function::kMax:
    case Function::kIsSorted:
    case Function::kIndexOf:
    case Function::kLastIndexOf:
    case Function::kSetsContains:
    case Function::kSetsEquivalent:
    case Function::kSetsIntersects:
      break;
    default:
      return 0;
  }
  uint64_t bytes = 0;
  for (const auto& type : arguments) {
    const uint64_t own =
        type->is == Is::kList
            ? saturating_multiply(type->max_size, saturating_add(type->element->max_size, kBytesPerUnit))
            : type->max_size;
    bytes = saturating_add(bytes, own);
  }
  return bytes / kBytesPerUnit + 1;
}

}  // namespace chandler::cel
