// "%s has %d items".format([name, count]): what message expressions are mostly made of.
#include <algorithm>
#include <optional>

#include <fmt/format.h>

#include "cel/evaluator.h"

namespace chandler::cel {
namespace {

constexpr int kMaxPrecision = 64;
constexpr int kMaxNesting = 32;
constexpr size_t kMaxNumber = 512;  // what one number may take at most, in bytes

class Formatter {
 public:
  Formatter(std::string_view pattern, const Value& arguments, Meter& meter)
      : pattern_(pattern), arguments_(arguments), meter_(meter) {}

  Outcome run() {
    for (size_t at = 0; at < pattern_.size(); ++at) {
      if (pattern_[at] != '%') {
        out_ += pattern_[at];
        continue;
      }
      if (++at >= pattern_.size()) return Fault{"the format ends after %", false};
      if (pattern_[at] == '%') {
        out_ += '%';
        continue;
      }
      std::optional<int> precision;
      if (pattern_[at] == '.') {
        precision = 0;
        for (++at; at < pattern_.size() && pattern_[at] >= '0' && pattern_[at] <= '9'; ++at) {
          precision = std::min(*precision * 10 + (pattern_[at] - '0'), kMaxPrecision);
        }
        if (at >= pattern_.size()) return Fault{"the format ends after a precision", false};
      }
      if (next_ >= arguments_.size()) return Fault{"the format asks for more arguments than there are", false};
      CH_TRY_LET(argument, arguments_.item(next_++));
      CH_TRY(clause(pattern_[at], precision.value_or(6), argument));
    }
    return Value::string(std::move(out_));
  }

 private:
  Result<void, Fault> append(std::string_view text) {
    if (!meter_.charge(text.size() / kBytesPerUnit)) return fail(Meter::over());
    out_ += text;
    return {};
  }

  Result<void, Fault> clause(char letter, int precision, const Value& v) {
    const bool whole = v.is(Kind::kInt) || v.is(Kind::kUint);
    const bool number = whole || v.is(Kind::kDouble);
    const double real = v.is(Kind::kInt)    ? static_cast<double>(v.as_int())
                        : v.is(Kind::kUint) ? static_cast<double>(v.as_uint())
                                            : v.as_double();
    switch (letter) {
      case 's':
        return plain(v, 0);
      case 'd':
        if (number) return plain(v, 0);
        break;
      case 'f':
        if (number) return append(fmt::format("{:.{}f}", real, precision).substr(0, kMaxNumber));
        break;
      case 'e':
        if (number) return append(fmt::format("{:.{}e}", real, precision).substr(0, kMaxNumber));
        break;
      case 'b':
        if (v.is(Kind::kBool)) return append(v.as_bool() ? "1" : "0");
        if (v.is(Kind::kInt)) return append(fmt::format("{:b}", v.as_int()));
        if (v.is(Kind::kUint)) return append(fmt::format("{:b}", v.as_uint()));
        break;
      case 'o':
        if (v.is(Kind::kInt)) return append(fmt::format("{:o}", v.as_int()));
        if (v.is(Kind::kUint)) return append(fmt::format("{:o}", v.as_uint()));
        break;
      case 'x':
      case 'X':
        return hexadecimal(v, letter == 'X');
      default:
        return fail(Fault{fmt::format("the format has no clause %{}", letter), false});
    }
    return fail(no_overload(fmt::format("%{}", letter)));
  }

  Result<void, Fault> hexadecimal(const Value& v, bool upper) {
    std::string text;
    if (v.is(Kind::kInt)) {
      text = fmt::format("{:x}", v.as_int());
    } else if (v.is(Kind::kUint)) {
      text = fmt::format("{:x}", v.as_uint());
    } else if (v.is(Kind::kString) || v.is(Kind::kBytes)) {
      if (!meter_.charge(v.size() / kBytesPerUnit)) return fail(Meter::over());
      for (const char c : v.text()) text += fmt::format("{:02x}", static_cast<unsigned char>(c));
    } else {
      return fail(no_overload("%x"));
    }
    if (upper)
      std::transform(text.begin(), text.end(), text.begin(),
                     [](char c) { return c >= 'a' && c <= 'f' ? static_cast<char>(c - 32) : c; });
    return append(text);
  }

  // Any value as a reader expects it.
  Result<void, Fault> plain(const Value& v, int depth) {
    if (depth > kMaxNesting) return append("...");
    if (!meter_.charge(1)) return fail(Meter::over());
    switch (v.kind()) {
      case Kind::kNull:
        return append("null");
      case Kind::kType:
        return append(kind_name(v.type_value()));
      case Kind::kList: {
        CH_TRY(append("["));
        for (size_t i = 0; i < v.size(); ++i) {
          if (i > 0) CH_TRY(append(", "));
          CH_TRY_LET(item, v.item(i));
          CH_TRY(plain(item, depth + 1));
        }
        return append("]");
      }
      case Kind::kMap: {
        CH_TRY(append("{"));
        for (size_t i = 0; i < v.size(); ++i) {
          if (i > 0) CH_TRY(append(", "));
          CH_TRY_LET(key, v.key(i));
          CH_TRY_LET(entry, v.entry(i));
          CH_TRY(plain(key, depth + 1));
          CH_TRY(append(": "));
          CH_TRY(plain(entry, depth + 1));
        }
        return append("}");
      }
      default: {
        CH_TRY_LET(text, convert(Function::kString, v));
        return append(text.text());
      }
    }
  }

  std::string_view pattern_;
  const Value& arguments_;
  Meter& meter_;
  std::string out_;
  size_t next_ = 0;
};

}  // namespace

Outcome format_text(std::string_view pattern, const Value& arguments, Meter& meter) {
  if (!arguments.is(Kind::kList)) return no_overload("format");
  return Formatter(pattern, arguments, meter).run();
}

}  // namespace chandler::cel
