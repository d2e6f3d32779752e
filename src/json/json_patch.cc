#include <fmt/format.h>

#include <algorithm>

#include "base/text.h"
#include "json/patch.h"
#include "json/patch_error.h"

namespace chandler::json {
namespace {

// Deeper documents than the readers accept would be stored and never read again.
constexpr size_t kMaxDepth = 128;

// A JSON pointer, split and unescaped (RFC 6901).
using Pointer = std::vector<std::string>;

std::optional<Pointer> parse_pointer(std::string_view text) {
  Pointer pointer;
  if (text.empty()) return pointer;
  if (text.front() != '/') return std::nullopt;
  for (const std::string_view piece : split(text.substr(1), '/')) {
    std::string& token = pointer.emplace_back();
    for (size_t i = 0; i < piece.size(); ++i) {
      if (piece[i] != '~') {
        token += piece[i];
        continue;
      }
      if (++i == piece.size() || (piece[i] != '0' && piece[i] != '1')) return std::nullopt;
      token += piece[i] == '0' ? '~' : '/';
    }
  }
  return pointer;
}

std::optional<size_t> parse_index(std::string_view token) {
  if (token.size() > 1 && token.front() == '0') return std::nullopt;
  const auto index = parse_uint64(token);
  if (!index) return std::nullopt;
  return static_cast<size_t>(*index);
}

// What lies under one token of `parent`; null when nothing does.
Value* child(Value& parent, std::string_view token) {
  if (Object* object = parent.if_object()) return object->if_contains(token);
  if (Array* array = parent.if_array()) {
    const auto index = parse_index(token);
    return index && *index < array->size() ? &(*array)[*index] : nullptr;
  }
  return nullptr;
}

Value* resolve(Value& document, const Pointer& pointer) {
  Value* at = &document;
  for (const std::string& token : pointer) {
    at = child(*at, token);
    if (at == nullptr) return nullptr;
  }
  return at;
}

Value* resolve_parent(Value& document, const Pointer& pointer) {
  return resolve(document, Pointer(pointer.begin(), pointer.end() - 1));
}

size_t depth_of(const Value& value) {  // of containers
  size_t below = 0;
  if (const Object* object = value.if_object()) {
    for (const auto& member : *object) below = std::max(below, depth_of(member.value()));
  } else if (const Array* array = value.if_array()) {
    for (const Value& element : *array) below = std::max(below, depth_of(element));
  } else {
    return 0;
  }
  return below + 1;
}

Error no_such_path() { return patch_refused("the path does not exist"); }

Result<Pointer> pointer_at(const Value& operation, std::string_view member) {
  const auto text = string_at(operation, member);
  if (!text) return patch_refused(fmt::format("{} is missing", member));
  auto pointer = parse_pointer(*text);
  if (!pointer) return patch_refused(fmt::format("{} is no JSON pointer", member));
  return *std::move(pointer);
}

class Patcher {
 public:
  Patcher(Value& document, const JsonPatchLimits& limits)
      : document_(document), growth_left_(limits.max_growth), effort_left_(limits.max_effort) {}

  Result<void> apply(const Value& operation);

 private:
  Result<void> add(const Pointer& path, Value value);
  Result<void> replace(const Pointer& path, Value value);
  Result<Value> take(const Pointer& path);
  Result<void> move(const Pointer& from, const Pointer& path);
  Result<void> copy(const Pointer& from, const Pointer& path);
  Result<void> test(const Pointer& path, const Value& wanted);
  Result<void> check_depth(const Pointer& path, const Value& value) const;
  Result<void> spend(size_t bytes);

  Value& document_;
  size_t growth_left_;
  size_t effort_left_;
};

Result<void> Patcher::apply(const Value& operation) {
  const std::string_view name = string_at(operation, "op").value_or("");
  CH_TRY_LET(path, pointer_at(operation, "path"));
  if (name == "remove") {
    CH_TRY(take(path));
    return {};
  }
  if (name == "move" || name == "copy") {
    CH_TRY_LET(from, pointer_at(operation, "from"));
    return name == "move" ? move(from, path) : copy(from, path);
  }
  if (name != "add" && name != "replace" && name != "test") return patch_refused("unknown operation");
  const Value* value = find(operation, "value");
  if (value == nullptr) return patch_refused("value is missing");
  if (name == "test") return test(path, *value);
  CH_TRY(check_depth(path, *value));
  Value copied(*value, document_.storage());
  return name == "add" ? add(path, std::move(copied)) : replace(path, std::move(copied));
}

Result<void> Patcher::check_depth(const Pointer& path, const Value& value) const {
  if (path.size() + depth_of(value) <= kMaxDepth) return {};
  return patch_refused(fmt::format("the result would be nested deeper than {} levels", kMaxDepth));
}

// An operation of a few bytes can move a list of megabytes by one place, or a value of megabytes.
Result<void> Patcher::spend(size_t bytes) {
  if (bytes > effort_left_) return too_large("the operations move too much of the document");
  effort_left_ -= bytes;
  return {};
}

Result<void> Patcher::add(const Pointer& path, Value value) {
  if (path.empty()) {
    document_ = std::move(value);
    return {};
  }
  Value* parent = resolve_parent(document_, path);
  if (parent == nullptr) return no_such_path();
  if (Object* object = parent->if_object()) {
    object->insert_or_assign(path.back(), std::move(value));
    return {};
  }
  Array* array = parent->if_array();
  if (array == nullptr) return no_such_path();
  const auto index = path.back() == "-" ? std::optional(array->size()) : parse_index(path.back());
  if (!index || *index > array->size()) return patch_refused("the index is out of range");
  CH_TRY(spend((array->size() - *index) * sizeof(Value)));
  array->insert(array->begin() + *index, std::move(value));
  return {};
}

// A member that is not there is added: the API has always been that lenient. A list must have the index.
Result<void> Patcher::replace(const Pointer& path, Value value) {
  if (Value* existing = resolve(document_, path)) {
    *existing = std::move(value);
    return {};
  }
  const Value* parent = resolve_parent(document_, path);
  if (parent == nullptr || !parent->is_object()) return no_such_path();
  return add(path, std::move(value));
}

Result<Value> Patcher::take(const Pointer& path) {
  if (path.empty()) return patch_refused("the whole document cannot be removed");
  Value* existing = resolve(document_, path);
  if (existing == nullptr) return no_such_path();
  Value taken = std::move(*existing);
  Value& parent = *resolve_parent(document_, path);
  if (Object* object = parent.if_object()) {
    object->erase(path.back());
  } else {
    Array& array = parent.get_array();
    const size_t index = *parse_index(path.back());
    CH_TRY(spend((array.size() - index) * sizeof(Value)));
    array.erase(array.begin() + index);
  }
  return taken;
}

Result<void> Patcher::move(const Pointer& from, const Pointer& path) {
  if (from.size() < path.size() && std::equal(from.begin(), from.end(), path.begin())) {
    return patch_refused("a value cannot be moved into itself");
  }
  CH_TRY_LET(value, take(from));
  // What does not move down cannot become nested too deeply, so its size does not matter.
  if (path.size() > from.size()) {
    CH_TRY(spend(memory_of(value)));
    CH_TRY(check_depth(path, value));
  }
  return add(path, std::move(value));
}

Result<void> Patcher::copy(const Pointer& from, const Pointer& path) {
  const Value* source = resolve(document_, from);
  if (source == nullptr) return patch_refused("from does not exist");
  CH_TRY(check_depth(path, *source));
  const size_t bytes = memory_of(*source);
  if (bytes > growth_left_) return too_large("copies make the document too large");
  growth_left_ -= bytes;
  return add(path, Value(*source, document_.storage()));
}

// Testing for null also holds where nothing is: clients ask that way whether a member is absent.
Result<void> Patcher::test(const Pointer& path, const Value& wanted) {
  const Value* existing = resolve(document_, path);
  if (existing == nullptr) {
    const bool absent = wanted.is_null() && !path.empty() && resolve_parent(document_, path) != nullptr;
    if (!absent) return no_such_path();
    return {};
  }
  if (!equal(*existing, wanted)) return patch_refused("the value differs");
  return {};
}

}  // namespace

Result<void> json_patch(Value& target, const Value& patch, const JsonPatchLimits& limits) {
  const Array* operations = patch.if_array();
  if (operations == nullptr) return bad_request("a JSON patch must be a list of operations");
  if (operations->size() > limits.max_operations) {
    return too_large(fmt::format("a JSON patch may have {} operations at most, this one has {}", limits.max_operations,
                                 operations->size()));
  }
  for (const Value& operation : *operations) {
    if (!operation.is_object()) return bad_request("an operation of a JSON patch must be an object");
  }
  Patcher patcher(target, limits);
  for (size_t i = 0; i < operations->size(); ++i) {
    const Value& operation = (*operations)[i];
    auto done = patcher.apply(operation);
    if (done.ok()) continue;
    Error error = std::move(done).error();
    error.message = fmt::format("JSON patch operation {} ({} {}): {}", i, string_or(operation, "op", "?"),
                                quoted(string_or(operation, "path")), error.message);
    return error;
  }
  return {};
}

}  // namespace chandler::json
