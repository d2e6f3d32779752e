#include <algorithm>

#include <fmt/format.h>

#include "base/text.h"
#include "meta/field_error.h"
#include "meta/names.h"
#include "meta/selector.h"

namespace chandler::meta {
namespace {

enum class Token { kEnd, kIdentifier, kComma, kOpen, kClose, kNot, kEquals, kNotEquals, kGreater, kLess };

struct Lexeme {
  Token token = Token::kEnd;
  std::string_view text;
};

bool is_blank(char c) { return c == ' ' || c == '\t' || c == '\r' || c == '\n'; }
bool is_symbol(char c) { return std::string_view("=!(),><").find(c) != std::string_view::npos; }

class Lexer {
 public:
  explicit Lexer(std::string_view text) : text_(text) { advance(); }
  const Lexeme& peek() const { return next_; }
  Lexeme take() {
    Lexeme taken = next_;
    advance();
    return taken;
  }

 private:
  void advance() {
    while (!text_.empty() && is_blank(text_.front())) text_.remove_prefix(1);
    size_t length = 0;
    Token token = Token::kEnd;
    if (text_.empty()) {
      token = Token::kEnd;
    } else if (!is_symbol(text_.front())) {
      token = Token::kIdentifier;
      while (length < text_.size() && !is_blank(text_[length]) && !is_symbol(text_[length])) ++length;
    } else {
      length = text_.starts_with("==") || text_.starts_with("!=") ? 2 : 1;
      token = symbol(length);
    }
    next_ = {token, text_.substr(0, length)};
    text_.remove_prefix(length);
  }

  Token symbol(size_t length) const {
    switch (text_.front()) {
      case ',':
        return Token::kComma;
      case '(':
        return Token::kOpen;
      case ')':
        return Token::kClose;
      case '>':
        return Token::kGreater;
      case '<':
        return Token::kLess;
      case '!':
        return length == 2 ? Token::kNotEquals : Token::kNot;
      default:
        return Token::kEquals;
    }
  }

  std::string_view text_;
  Lexeme next_;
};

Error unparsable(const std::string& why) { return bad_request("unable to parse requirement: " + why); }

Error unexpected(const Lexeme& found, std::string_view expected) {
  return unparsable(fmt::format("found '{}', expected: {}", found.text, expected));
}

void sort_unique(std::vector<std::string>& values) {
  std::sort(values.begin(), values.end());
  values.erase(std::unique(values.begin(), values.end()), values.end());
}

class Parser {
 public:
  explicit Parser(std::string_view text) : lexer_(text) {}

  Result<std::vector<Requirement>> parse() {
    std::vector<Requirement> requirements;
    if (lexer_.peek().token == Token::kEnd) return requirements;
    while (true) {
      CH_TRY_LET(requirement, parse_requirement());
      requirements.push_back(std::move(requirement));
      const Lexeme next = lexer_.take();
      if (next.token == Token::kEnd) return requirements;
      if (next.token != Token::kComma) return fail(unexpected(next, "',' or 'end of string'"));
    }
  }

 private:
  Result<Requirement> parse_requirement() {
    Requirement requirement;
    const bool negated = lexer_.peek().token == Token::kNot;
    if (negated) lexer_.take();
    const Lexeme key = lexer_.take();
    if (key.token != Token::kIdentifier) return unexpected(key, negated ? "identifier" : "'!' or identifier");
    if (auto fault = check_qualified_name(key.text); !fault.empty()) {
      return unparsable(fmt::format("label key {}: {}", quoted(key.text), fault));
    }
    requirement.key = key.text;
    if (negated) {
      requirement.op = Operator::kDoesNotExist;
      return requirement;
    }
    const Token next = lexer_.peek().token;
    if (next == Token::kEnd || next == Token::kComma) return requirement;
    CH_TRY(parse_operator(requirement));
    for (const auto& value : requirement.values) {
      if (auto fault = check_label_value(value); !fault.empty()) {
        return unparsable(fmt::format("value {} of label {}: {}", quoted(value), requirement.key, fault));
      }
    }
    return requirement;
  }

  Result<void> parse_operator(Requirement& requirement) {
    const Lexeme op = lexer_.take();
    switch (op.token) {
      case Token::kEquals:
        requirement.op = Operator::kEquals;
        return parse_value(requirement.values);
      case Token::kNotEquals:
        requirement.op = Operator::kNotEquals;
        return parse_value(requirement.values);
      case Token::kGreater:
      case Token::kLess:
        requirement.op = op.token == Token::kGreater ? Operator::kGreater : Operator::kLess;
        CH_TRY(parse_value(requirement.values));
        if (parse_int64(requirement.values[0])) return {};
        return unparsable(fmt::format("{} after '{}' must be an integer", quoted(requirement.values[0]), op.text));
      case Token::kIdentifier:
        if (op.text == "in" || op.text == "notin") {
          requirement.op = op.text == "in" ? Operator::kIn : Operator::kNotIn;
          return parse_set(requirement.values);
        }
        break;
      default:
        break;
    }
    return unexpected(op, "in, notin, =, ==, !=, >, <");
  }

  Result<void> parse_value(std::vector<std::string>& values) {
    const Token next = lexer_.peek().token;
    if (next == Token::kEnd || next == Token::kComma) {
      values.emplace_back();
      return {};
    }
    const Lexeme value = lexer_.take();
    if (value.token != Token::kIdentifier) return unexpected(value, "identifier");
    values.emplace_back(value.text);
    return {};
  }

  // Values may be empty, also all of them: "()" and "(,)" hold the empty value.
  Result<void> parse_set(std::vector<std::string>& values) {
    const Lexeme open = lexer_.take();
    if (open.token != Token::kOpen) return unexpected(open, "'('");
    while (true) {
      std::string value;
      if (lexer_.peek().token == Token::kIdentifier) value = lexer_.take().text;
      values.push_back(std::move(value));
      const Lexeme next = lexer_.take();
      if (next.token == Token::kClose) break;
      if (next.token != Token::kComma) return unexpected(next, "',' or ')'");
    }
    sort_unique(values);
    return {};
  }

  Lexer lexer_;
};

bool holds(const Requirement& requirement, std::optional<std::string_view> label) {
  const auto& values = requirement.values;
  switch (requirement.op) {
    case Operator::kExists:
      return label.has_value();
    case Operator::kDoesNotExist:
      return !label.has_value();
    case Operator::kEquals:
    case Operator::kIn:
      return label && std::binary_search(values.begin(), values.end(), *label);
    case Operator::kNotEquals:
    case Operator::kNotIn:
      return !label || !std::binary_search(values.begin(), values.end(), *label);
    case Operator::kGreater:
    case Operator::kLess: {
      const auto number = label ? parse_int64(*label) : std::nullopt;
      const auto bound = parse_int64(values[0]);
      if (!number || !bound) return false;
      return requirement.op == Operator::kGreater ? *number > *bound : *number < *bound;
    }
  }
  return false;
}

// matchExpressions of the body form.
class ExpressionReader {
 public:
  ExpressionReader(const json::Value& expression, const Path& path, FieldErrors& errors)
      : expression_(expression), path_(path), errors_(errors) {}

  Requirement read() {
    Requirement requirement;
    if (!expression_.is_object()) {
      errors_.type_invalid(path_, expression_, "must be an object");
      return requirement;
    }
    requirement.key = json::string_or(expression_, "key");
    if (auto fault = check_qualified_name(requirement.key); !fault.empty()) {
      errors_.invalid(path_.member("key"), requirement.key, fault);
    }
    read_values(requirement.values);
    read_operator(requirement);
    return requirement;
  }

 private:
  void read_values(std::vector<std::string>& values) {
    const json::Value* given = json::find(expression_, "values");
    if (given == nullptr || given->is_null()) return;
    if (!given->is_array()) return errors_.type_invalid(path_.member("values"), *given, "must be a list of strings");
    size_t index = 0;
    for (const auto& value : given->get_array()) {
      const Path here = path_.member("values").index(index++);
      if (!value.is_string()) {
        errors_.type_invalid(here, value, "must be a string");
        continue;
      }
      values.emplace_back(json::view(value.get_string()));
      if (auto fault = check_label_value(values.back()); !fault.empty()) errors_.invalid(here, value, fault);
    }
    sort_unique(values);
  }

  void read_operator(Requirement& requirement) {
    const std::string op = json::string_or(expression_, "operator");
    if (op == "In" || op == "NotIn") {
      requirement.op = op == "In" ? Operator::kIn : Operator::kNotIn;
      if (requirement.values.empty()) {
        errors_.required(path_.member("values"), "must be specified when `operator` is 'In' or 'NotIn'");
      }
    } else if (op == "Exists" || op == "DoesNotExist") {
      requirement.op = op == "Exists" ? Operator::kExists : Operator::kDoesNotExist;
      if (!requirement.values.empty()) {
        errors_.forbidden(path_.member("values"), "may not be specified when `operator` is 'Exists' or 'DoesNotExist'");
      }
    } else {
      errors_.invalid(path_.member("operator"), op, "must be In, NotIn, Exists or DoesNotExist");
    }
  }

  const json::Value& expression_;
  const Path& path_;
  FieldErrors& errors_;
};

}  // namespace

Result<LabelSelector> LabelSelector::parse(std::string_view text) {
  LabelSelector selector;
  CH_TRY_LET(requirements, Parser(text).parse());
  selector.requirements_ = std::move(requirements);
  return selector;
}

Result<LabelSelector> LabelSelector::from_json(const json::Value& value, std::string_view path) {
  LabelSelector selector;
  FieldErrors errors;
  const Path root(path);
  if (!value.is_object()) errors.type_invalid(root, value, "must be an object");
  const json::Value* labels = json::find(value, "matchLabels");
  if (labels != nullptr && !labels->is_null()) {
    validate_labels(*labels, root.member("matchLabels"), errors);
    if (const auto* map = labels->if_object(); map != nullptr && errors.empty()) {
      for (const auto& [key, wanted] : *map) {
        selector.requirements_.push_back(
            {std::string(key), Operator::kEquals, {std::string(json::view(wanted.get_string()))}});
      }
    }
  }
  const json::Value* expressions = json::find(value, "matchExpressions");
  if (expressions != nullptr && !expressions->is_null()) {
    const Path here = root.member("matchExpressions");
    if (!expressions->is_array()) {
      errors.type_invalid(here, *expressions, "must be a list");
    } else {
      size_t index = 0;
      for (const auto& expression : expressions->get_array()) {
        selector.requirements_.push_back(ExpressionReader(expression, here.index(index++), errors).read());
      }
    }
  }
  if (!errors.empty()) return invalid(ObjectRef{"", "LabelSelector", "", ""}, errors.take());
  return selector;
}

bool LabelSelector::matches(const LabelLookup& labels) const {
  for (const auto& requirement : requirements_) {
    if (!holds(requirement, labels(requirement.key))) return false;
  }
  return true;
}

std::string LabelSelector::str() const {
  std::vector<std::string> terms;
  for (const auto& requirement : requirements_) {
    const auto& key = requirement.key;
    switch (requirement.op) {
      case Operator::kExists:
        terms.push_back(key);
        break;
      case Operator::kDoesNotExist:
        terms.push_back("!" + key);
        break;
      case Operator::kEquals:
        terms.push_back(key + "=" + requirement.values[0]);
        break;
      case Operator::kNotEquals:
        terms.push_back(key + "!=" + requirement.values[0]);
        break;
      case Operator::kGreater:
        terms.push_back(key + ">" + requirement.values[0]);
        break;
      case Operator::kLess:
        terms.push_back(key + "<" + requirement.values[0]);
        break;
      case Operator::kIn:
      case Operator::kNotIn:
        terms.push_back(fmt::format("{} {} ({})", key, requirement.op == Operator::kIn ? "in" : "notin",
                                    join(requirement.values, ",")));
        break;
    }
  }
  std::sort(terms.begin(), terms.end());
  return join(terms, ",");
}

}  // namespace chandler::meta
