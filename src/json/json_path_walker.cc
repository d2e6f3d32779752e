#include <algorithm>

#include "json/json_path_program.h"

namespace chandler::json {
namespace {

using Places = std::vector<const Value*>;

constexpr size_t kBytesPerVisit = 64;

template <typename T>
bool compare(const T& a, PathFilter::Op op, const T& b) {
  switch (op) {
    case PathFilter::Op::kLess:
      return a < b;
    case PathFilter::Op::kLessOrEqual:
      return a <= b;
    case PathFilter::Op::kGreater:
      return a > b;
    case PathFilter::Op::kGreaterOrEqual:
      return a >= b;
    default:
      return false;
  }
}

bool holds(const Value& a, PathFilter::Op op, const Value& b) {
  if (op == PathFilter::Op::kEqual) return equal(a, b);
  if (op == PathFilter::Op::kNotEqual) return !equal(a, b);
  if (a.is_number() && b.is_number()) return compare(a.to_number<double>(), op, b.to_number<double>());
  if (a.is_string() && b.is_string()) return compare(view(a.get_string()), op, view(b.get_string()));
  return false;
}

class Walker {
 public:
  Walker(const Value& root, size_t& visits_left) : root_(root), visits_left_(visits_left) {}

  Places walk(const PathExpression& path, const Value& here) {
    Places places{path.from_root ? &root_ : &here};
    for (const PathStep& step : path.steps) {
      Places next;
      for (const Value* place : places) {
        if (visits_left_ == 0) break;
        take(step, *place, next);
      }
      places = std::move(next);
    }
    return places;
  }

 private:
  void visit(const Value& place, Places& out) {
    if (visits_left_ == 0) return;
    --visits_left_;
    out.push_back(&place);
  }

  template <typename Visit>
  void for_each_child(const Value& place, Visit visit_child) {
    if (const Object* object = place.if_object()) {
      for (const auto& member : *object) visit_child(member.value());
    } else if (const Array* array = place.if_array()) {
      for (const Value& element : *array) visit_child(element);
    }
  }

  void descend(const Value& place, Places& out) {
    visit(place, out);
    if (visits_left_ == 0) return;
    for_each_child(place, [&](const Value& child) { descend(child, out); });
  }

  void slice(const PathStep& step, const Array& array, Places& out) {
    const auto size = static_cast<int64_t>(array.size());
    const int64_t first = step.first.value_or(0) + (step.first.value_or(0) < 0 ? size : 0);
    const int64_t last = step.last.value_or(size) + (step.last.value_or(size) < 0 ? size : 0);
    const bool single = step.first && step.last && *step.last == *step.first + 1;
    if (single && first < 0) return;  // an index before the list is no element; a slice just begins at the list's begin
    for (int64_t i = std::max<int64_t>(first, 0); i < std::min(last, size); i += step.stride) {
      visit(array[static_cast<size_t>(i)], out);
    }
  }

  bool passes(const PathFilter& filter, const Value& element) {
    if (visits_left_ == 0) return false;
    --visits_left_;
    const Value* left = operand(filter.left, element);
    if (left == nullptr || filter.op == PathFilter::Op::kExists) return left != nullptr;
    const Value* right = operand(filter.right, element);
    if (right == nullptr) return false;
    visits_left_ -= std::min(visits_left_, memory_of(*left) / kBytesPerVisit);  // comparing may read all of it
    return holds(*left, filter.op, *right);
  }

  const Value* operand(const PathFilter::Operand& operand, const Value& element) {
    if (operand.literal) return &*operand.literal;
    const Places found = walk(operand.path, element);
    return found.empty() ? nullptr : found.front();
  }

  // Taking a step uses a visit, also when it leads nowhere.
  void take(const PathStep& step, const Value& place, Places& out) {
    if (visits_left_ == 0) return;
    const size_t before = visits_left_;
    find_next(step, place, out);
    if (visits_left_ == before) --visits_left_;
  }

  void find_next(const PathStep& step, const Value& place, Places& out) {
    switch (step.kind) {
      case PathStep::Kind::kName:
        if (const Value* member = find(place, step.name)) visit(*member, out);
        return;
      case PathStep::Kind::kAny:
        return for_each_child(place, [&](const Value& child) { visit(child, out); });
      case PathStep::Kind::kDescend:
        return descend(place, out);
      case PathStep::Kind::kSlice:
        if (const Array* array = place.if_array()) slice(step, *array, out);
        return;
      case PathStep::Kind::kUnion:
        for (const PathStep& choice : step.choices) take(choice, place, out);
        return;
      case PathStep::Kind::kFilter:
        return for_each_child(place, [&](const Value& child) {
          if (passes(*step.filter, child)) visit(child, out);
        });
    }
  }

  const Value& root_;
  size_t& visits_left_;
};

}  // namespace

std::vector<const Value*> walk_path(const PathExpression& path, const Value& root, const Value& here,
                                    size_t& visits_left) {
  return Walker(root, visits_left).walk(path, here);
}

}  // namespace chandler::json
