#include "resolve/parameter_bounds.h"

#include <fmt/format.h>

#include "base/text.h"

namespace chandler::resolve {
namespace {

constexpr size_t kMaxShown = 200;

class BoundsCheck {
 public:
  BoundsCheck(std::string_view what, const ParameterBounds& bounds) : what_(what), bounds_(bounds) {}

  Result<void> check(const json::Value& value, size_t depth, bool in_list = false) {
    if (++values_ > bounds_.max_values) return crossed(fmt::format("more than {} values", bounds_.max_values));
    const auto* members = value.if_object();
    if (!in_list && (members == nullptr || members->empty())) CH_TRY(count_pointer());
    if (const auto* text = value.if_string()) return count(text->size());
    if (!value.is_structured()) return {};
    if (depth == bounds_.max_depth) return crossed(fmt::format("more than {} levels", bounds_.max_depth));
    const size_t size = pointer_.size();
    if (members != nullptr) {
      for (const auto& member : *members) {
        append_pointer(pointer_, member.key());
        CH_TRY(count(member.key().size()));
        CH_TRY(check(member.value(), depth + 1, in_list));
        pointer_.resize(size);
      }
      return {};
    }
    size_t index = 0;
    for (const auto& element : value.get_array()) {
      append_pointer(pointer_, std::to_string(index++));
      CH_TRY(check(element, depth + 1, true));
      pointer_.resize(size);
    }
    return {};
  }

 private:
  Result<void> count(size_t bytes) {
    bytes_ += bytes;
    if (bytes_ > bounds_.max_bytes) return crossed(fmt::format("more than {} bytes", bounds_.max_bytes));
    return {};
  }

  Result<void> count_pointer() {
    pointer_bytes_ += pointer_.size();
    if (pointer_bytes_ <= bounds_.max_pointer_bytes) return {};
    return crossed(fmt::format("more than {} bytes of paths", bounds_.max_pointer_bytes));
  }

  Error crossed(const std::string& bound) const {
    return too_large(fmt::format("{} have {}, reached at {}; make them smaller", what_, bound, shown_key(pointer_)));
  }

  std::string_view what_;
  const ParameterBounds& bounds_;
  std::string pointer_;
  size_t values_ = 0;
  size_t bytes_ = 0;
  size_t pointer_bytes_ = 0;
};

}  // namespace

Result<void> check_bounds(const json::Value& value, std::string_view what, const ParameterBounds& bounds) {
  return BoundsCheck(what, bounds).check(value, 0);
}

void append_pointer(std::string& pointer, std::string_view key) {
  pointer += '/';
  for (const char c : key) {
    if (c == '~') {
      pointer += "~0";
    } else if (c == '/') {
      pointer += "~1";
    } else {
      pointer += c;
    }
  }
}

std::string shown_key(std::string_view text) {
  if (text.size() <= kMaxShown) return quoted(text);
  return quoted(std::string(text.substr(0, kMaxShown)) + "...");
}

}  // namespace chandler::resolve
