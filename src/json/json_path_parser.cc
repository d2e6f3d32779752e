#include <fmt/format.h>

#include <charconv>

#include "base/text.h"
#include "json/json_path_program.h"

namespace chandler::json {
namespace {

constexpr size_t kMaxLength = 4096;
constexpr size_t kMaxNesting = 16;  // of filters in filters

PathStep step_of(PathStep::Kind kind) {
  PathStep step;
  step.kind = kind;
  return step;
}

class PathParser {
 public:
  explicit PathParser(std::string_view text) : text_(text) {}

  Result<PathExpression> parse_all() {
    CH_TRY_LET(path, parse_expression());
    skip_blanks();
    if (at_ < text_.size()) return error("unexpected character");
    return path;
  }

 private:
  Result<PathExpression> parse_expression();
  Result<void> parse_dot(std::vector<PathStep>& steps);
  Result<PathStep> parse_brackets();
  Result<PathStep> parse_choice();
  Result<PathStep> parse_slice();
  Result<PathStep> parse_filter();
  Result<PathFilter::Operand> parse_operand();
  std::optional<PathFilter::Op> parse_operator();
  Result<PathStep> parse_name();
  Result<std::string> parse_quoted();
  std::optional<int64_t> parse_integer();

  char peek() const { return at_ < text_.size() ? text_[at_] : '\0'; }
  bool accept(std::string_view token) {
    if (!text_.substr(at_).starts_with(token)) return false;
    at_ += token.size();
    return true;
  }
  void skip_blanks() {
    while (at_ < text_.size() && std::string_view(" \t\r\n").find(text_[at_]) != std::string_view::npos) ++at_;
  }
  Error error(std::string_view what) const {
    return bad_request(fmt::format("invalid JSONPath {} at offset {}: {}", quoted(text_), at_, what));
  }

  std::string_view text_;
  size_t at_ = 0;
  size_t nesting_ = 0;
};

Result<PathExpression> PathParser::parse_expression() {
  PathExpression path;
  skip_blanks();
  if (accept("$")) {
    path.from_root = true;
  } else {
    accept("@");
  }
  const size_t start = at_;
  for (;;) {
    if (peek() == '.') {
      CH_TRY(parse_dot(path.steps));
    } else if (accept("[")) {
      CH_TRY_LET(step, parse_brackets());
      path.steps.push_back(std::move(step));
    } else if (at_ == start && at_ < text_.size() && !path.from_root && nesting_ == 0) {
      CH_TRY_LET(step, parse_name());  // "spec.x" for ".spec.x"
      path.steps.push_back(std::move(step));
    } else {
      return path;
    }
  }
}

Result<void> PathParser::parse_dot(std::vector<PathStep>& steps) {
  const bool descend = accept("..");
  if (descend) {
    steps.push_back(step_of(PathStep::Kind::kDescend));
    if (peek() == '[') return {};
  } else {
    accept(".");
    skip_blanks();
    // A dot alone is the place itself, and ".['a']" is "['a']".
    if (at_ == text_.size() || peek() == '[' || peek() == ')') return {};
  }
  if (accept("*")) {
    steps.push_back(step_of(PathStep::Kind::kAny));
    return {};
  }
  CH_TRY_LET(step, parse_name());
  steps.push_back(std::move(step));
  return {};
}

// A member's name; a backslash takes away the meaning of the next character, as in kubernetes\.io.
Result<PathStep> PathParser::parse_name() {
  constexpr std::string_view kEnd = ".[](){},=!<>'\" \t\r\n*";
  PathStep step;
  while (at_ < text_.size() && kEnd.find(text_[at_]) == kEnd.npos) {
    if (text_[at_] == '\\' && ++at_ == text_.size()) return error("nothing follows the backslash");
    step.name += text_[at_++];
  }
  if (step.name.empty()) return error("a name is missing");
  return step;
}

Result<PathStep> PathParser::parse_brackets() {
  skip_blanks();
  if (accept("?(")) return parse_filter();
  PathStep all = step_of(PathStep::Kind::kUnion);
  do {
    CH_TRY_LET(choice, parse_choice());
    all.choices.push_back(std::move(choice));
    skip_blanks();
  } while (accept(","));
  if (!accept("]")) return error("] is missing");
  if (all.choices.size() == 1) return std::move(all.choices.front());
  return all;
}

Result<PathStep> PathParser::parse_choice() {
  skip_blanks();
  if (accept("*")) return step_of(PathStep::Kind::kAny);
  if (peek() == '\'' || peek() == '"') {
    PathStep step;
    CH_TRY_LET(name, parse_quoted());
    step.name = std::move(name);
    return step;
  }
  return parse_slice();
}

// [n], [a:b], [a:b:stride]
Result<PathStep> PathParser::parse_slice() {
  PathStep step = step_of(PathStep::Kind::kSlice);
  step.first = parse_integer();
  if (!accept(":")) {
    if (!step.first) return error("an index, a name in quotes, * or a filter is missing");
    // The last element is the slice from -1 to the end.
    if (*step.first != -1) step.last = *step.first + 1;
    return step;
  }
  step.last = parse_integer();
  if (accept(":")) step.stride = parse_integer().value_or(1);
  if (step.stride < 1) return error("the stride of a slice must be positive");
  return step;
}

std::optional<int64_t> PathParser::parse_integer() {
  skip_blanks();
  int32_t number = 0;  // no list is longer, and sums of two fit in 64 bits
  const auto [end, fault] = std::from_chars(text_.data() + at_, text_.data() + text_.size(), number);
  if (fault != std::errc()) return std::nullopt;
  at_ = static_cast<size_t>(end - text_.data());
  skip_blanks();
  return number;
}

Result<std::string> PathParser::parse_quoted() {
  const char quote = text_[at_++];
  std::string out;
  while (at_ < text_.size() && text_[at_] != quote) {
    if (text_[at_] == '\\' && ++at_ == text_.size()) break;
    out += text_[at_++];
  }
  if (at_ == text_.size()) return error("the closing quote is missing");
  ++at_;
  return out;
}

std::optional<PathFilter::Op> PathParser::parse_operator() {
  using Op = PathFilter::Op;
  skip_blanks();
  if (accept("==")) return Op::kEqual;
  if (accept("!=")) return Op::kNotEqual;
  if (accept("<=")) return Op::kLessOrEqual;
  if (accept(">=")) return Op::kGreaterOrEqual;
  if (accept("<")) return Op::kLess;
  if (accept(">")) return Op::kGreater;
  return std::nullopt;
}

Result<PathStep> PathParser::parse_filter() {
  if (++nesting_ > kMaxNesting) return error("filters are nested too deep");
  auto filter = std::make_shared<PathFilter>();
  CH_TRY_LET(left, parse_operand());
  filter->left = std::move(left);
  if (const auto op = parse_operator()) {
    filter->op = *op;
    CH_TRY_LET(right, parse_operand());
    filter->right = std::move(right);
  }
  skip_blanks();
  if (!accept(")]")) return error("the filter does not end with )]");
  --nesting_;
  PathStep step = step_of(PathStep::Kind::kFilter);
  step.filter = std::move(filter);
  return step;
}

Result<PathFilter::Operand> PathParser::parse_operand() {
  skip_blanks();
  PathFilter::Operand operand;
  const auto is_number = [this] { return peek() == '-' || (peek() >= '0' && peek() <= '9'); };
  if (peek() == '\'' || peek() == '"') {
    CH_TRY_LET(text, parse_quoted());
    operand.literal.emplace(text);
  } else if (is_number()) {
    double number = 0;
    const auto [end, fault] = std::from_chars(text_.data() + at_, text_.data() + text_.size(), number);
    if (fault != std::errc()) return error("not a number");
    at_ = static_cast<size_t>(end - text_.data());
    operand.literal.emplace(number);
  } else if (accept("true")) {
    operand.literal.emplace(true);
  } else if (accept("false")) {
    operand.literal.emplace(false);
  } else if (accept("null")) {
    operand.literal.emplace(nullptr);
  } else if (peek() == '@' || peek() == '$' || peek() == '.') {
    CH_TRY_LET(path, parse_expression());
    operand.path = std::move(path);
  } else {
    return error("a filter compares paths (@.a), texts, numbers, true, false and null");
  }
  return operand;
}

}  // namespace

Result<PathExpression> parse_path(std::string_view text) {
  if (text.size() > kMaxLength)
    return bad_request(fmt::format("a JSONPath may have {} characters at most", kMaxLength));
  return PathParser(text).parse_all();
}

}  // namespace chandler::json
