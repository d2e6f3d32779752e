// A JSONPath in its compiled form, how text becomes it, and how it is walked. Inner part of json_path.h. A compiled
// path is never changed, so threads may share it.
#pragma once

#include <cstdint>
#include <memory>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "base/result.h"
#include "json/value.h"

namespace chandler::json {

struct PathFilter;

struct PathStep {
  enum class Kind {
    kName,     // a member
    kAny,      // every member or element
    kDescend,  // this place and everything below
    kSlice,    // elements of a list
    kUnion,    // each of `choices` in turn
    kFilter,   // elements for which the filter holds
  };
  Kind kind = Kind::kName;
  std::string name;
  std::optional<int64_t> first, last;  // of a slice; negative counts from the end, `last` is not part of it
  int64_t stride = 1;
  std::vector<PathStep> choices;
  std::shared_ptr<const PathFilter> filter;
};

struct PathExpression {
  bool from_root = false;  // begins with $, which matters where "here" is not the document
  std::vector<PathStep> steps;
};

struct PathFilter {
  enum class Op { kExists, kEqual, kNotEqual, kLess, kLessOrEqual, kGreater, kGreaterOrEqual };
  struct Operand {
    std::optional<Value> literal;  // else a path
    PathExpression path;
  };
  Operand left;
  Op op = Op::kExists;
  Operand right;
};

// A path without braces around it. Errors name what is wrong and where.
Result<PathExpression> parse_path(std::string_view text);

// Paths such as ..*..* can visit each place many times; this many visits are enough for any document we serve.
constexpr size_t kMaxPathVisits = 1'000'000;

// Everything the path leads to from `here`. `visits_left` bounds the work and is used up by it: each place that is
// found and each step that leads nowhere takes one. What lies beyond is not found.
std::vector<const Value*> walk_path(const PathExpression& path, const Value& root, const Value& here,
                                    size_t& visits_left);

}  // namespace chandler::json
