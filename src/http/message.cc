#include "http/message.h"

#include <algorithm>

#include "base/text.h"

namespace chandler::http {
namespace {

constexpr size_t kUsualFields = 8;

}  // namespace

std::string_view method_name(Method method) {
  switch (method) {
    case Method::kGet:
      return "GET";
    case Method::kHead:
      return "HEAD";
    case Method::kPost:
      return "POST";
    case Method::kPut:
      return "PUT";
    case Method::kPatch:
      return "PATCH";
    case Method::kDelete:
      return "DELETE";
    case Method::kOptions:
      return "OPTIONS";
    case Method::kOther:
      break;
  }
  return "OTHER";
}

void Headers::add(std::string_view name, std::string_view value) {
  if (fields_.empty()) fields_.reserve(kUsualFields);
  fields_.emplace_back(name, value);
}

void Headers::set(std::string_view name, std::string_view value) {
  // The value may be a view of the very field that is replaced.
  std::string kept(value);
  if (fields_.empty()) fields_.reserve(kUsualFields);
  remove(name);
  fields_.emplace_back(name, std::move(kept));
}

void Headers::remove(std::string_view name) {
  std::erase_if(fields_, [name](const auto& field) { return equals_ignore_case(field.first, name); });
}

std::string_view Headers::get(std::string_view name) const {
  for (const auto& [key, value] : fields_) {
    if (equals_ignore_case(key, name)) return value;
  }
  return {};
}

bool Headers::has(std::string_view name) const {
  return std::any_of(fields_.begin(), fields_.end(),
                     [name](const auto& field) { return equals_ignore_case(field.first, name); });
}

std::vector<std::string_view> Headers::all(std::string_view name) const {
  std::vector<std::string_view> values;
  for (const auto& [key, value] : fields_) {
    if (equals_ignore_case(key, name)) values.push_back(value);
  }
  return values;
}

}  // namespace chandler::http
