#include <cmath>

#include <fmt/format.h>

#include "cel/expression.h"
#include "cel/instant.h"

namespace chandler::cel {
namespace {

void print_text(std::string_view text, bool bytes, std::string& out) {
  out += bytes ? "b\"" : "\"";
  for (const char c : text) {
    const auto byte = static_cast<unsigned char>(c);
    if (c == '"' || c == '\\') {
      out += '\\';
      out += c;
    } else if (byte < 0x20 || byte == 0x7f || (bytes && byte >= 0x80)) {
      fmt::format_to(std::back_inserter(out), "\\x{:02x}", byte);
    } else {
      out += c;
    }
  }
  out += '"';
}

void print_literal(const Value& value, std::string& out) {
  switch (value.kind()) {
    case Kind::kBool:
      out += value.as_bool() ? "true" : "false";
      return;
    case Kind::kInt:
      out += std::to_string(value.as_int());
      return;
    case Kind::kUint:
      out += std::to_string(value.as_uint()) + "u";
      return;
    case Kind::kDouble: {
      std::string text = fmt::format("{}", value.as_double());
      if (text.find_first_of(".e") == std::string::npos) text += ".0";
      out += text;
      return;
    }
    case Kind::kString:
    case Kind::kBytes:
      return print_text(value.text(), value.is(Kind::kBytes), out);
    default:
      out += "null";
  }
}

void print_to(const Expression& e, std::string& out);

void print_list(const Expression& e, size_t from, std::string& out) {
  for (size_t i = from; i < e.parts.size(); ++i) {
    if (i > from) out += ", ";
    print_to(*e.parts[i], out);
  }
}

void print_operation(const Expression& e, std::string_view text, std::string& out) {
  out += "(";
  for (size_t i = 0; i < e.parts.size(); ++i) {
    if (i > 0) fmt::format_to(std::back_inserter(out), " {} ", text);
    print_to(*e.parts[i], out);
  }
  out += ")";
}

// An operand before a dot or bracket; a negative number needs parentheses there.
void print_operand(const Expression& e, std::string& out) {
  const bool number = e.node == Node::kLiteral && !e.literal.is(Kind::kString) && !e.literal.is(Kind::kBytes);
  if (number) out += "(";
  print_to(e, out);
  if (number) out += ")";
}

void print_to(const Expression& e, std::string& out) {
  switch (e.node) {
    case Node::kLiteral:
      return print_literal(e.literal, out);
    case Node::kIdentifier:
      out += e.name;
      return;
    case Node::kSelect:
    case Node::kHas:
      if (e.node == Node::kHas) out += "has(";
      print_operand(*e.parts[0], out);
      out += e.optional ? ".?" : ".";
      out += e.name;
      if (e.node == Node::kHas) out += ")";
      return;
    case Node::kIndex:
      print_operand(*e.parts[0], out);
      out += e.optional ? "[?" : "[";
      print_to(*e.parts[1], out);
      out += "]";
      return;
    case Node::kCall:
      if (e.method) {
        print_operand(*e.parts[0], out);
        out += ".";
      }
      out += e.name + "(";
      print_list(e, e.method ? 1 : 0, out);
      out += ")";
      return;
    case Node::kList:
      out += "[";
      print_list(e, 0, out);
      out += "]";
      return;
    case Node::kMap:
      out += "{";
      for (size_t i = 0; i + 1 < e.parts.size(); i += 2) {
        if (i > 0) out += ", ";
        print_to(*e.parts[i], out);
        out += ": ";
        print_to(*e.parts[i + 1], out);
      }
      out += "}";
      return;
    case Node::kNot:
    case Node::kNegate:
      out += e.node == Node::kNot ? "(!" : "(-(";  // else -(1) would be read as the literal -1
      print_to(*e.parts[0], out);
      out += e.node == Node::kNot ? ")" : "))";
      return;
    case Node::kBinary:
      return print_operation(e, operator_text(e.op), out);
    case Node::kAnd:
      return print_operation(e, "&&", out);
    case Node::kOr:
      return print_operation(e, "||", out);
    case Node::kConditional:
      out += "(";
      print_to(*e.parts[0], out);
      out += " ? ";
      print_to(*e.parts[1], out);
      out += " : ";
      print_to(*e.parts[2], out);
      out += ")";
      return;
    case Node::kMacro:
      print_operand(*e.parts[0], out);
      fmt::format_to(std::back_inserter(out), ".{}({}, ", macro_name(e.macro), e.name);
      print_list(e, 1, out);
      out += ")";
      return;
  }
}

}  // namespace

std::string_view operator_text(Operator op) {
  constexpr std::string_view kTexts[] = {"+", "-", "*", "/", "%", "==", "!=", "<", "<=", ">", ">=", "in"};
  return kTexts[static_cast<size_t>(op)];
}

std::string_view macro_name(Macro macro) {
  constexpr std::string_view kNames[] = {"all", "exists", "exists_one", "map", "map", "filter", "optMap", "optFlatMap"};
  return kNames[static_cast<size_t>(macro)];
}

std::string print(const Expression& expression) {
  std::string out;
  print_to(expression, out);
  return out;
}

}  // namespace chandler::cel
