#include "apiserver/cells/reading.h"

#include <fmt/format.h>

#include <algorithm>
#include <chrono>

#include "base/text.h"
#include "base/time_text.h"

namespace chandler::apiserver::cells {

std::string_view text_at(const json::Value& value, Names path) {
  const auto* found = json::find_path(value, path);
  return found != nullptr && found->is_string() ? json::view(found->get_string()) : std::string_view();
}

int64_t int_at(const json::Value& value, Names path) {
  const auto* found = json::find_path(value, path);
  return found != nullptr && found->is_int64() ? found->get_int64() : 0;
}

const json::Array& array_at(const json::Value& value, Names path) {
  static const json::Array kEmpty;
  const auto* found = json::find_path(value, path);
  return found != nullptr && found->is_array() ? found->get_array() : kEmpty;
}

const json::Object& object_at(const json::Value& value, Names path) {
  static const json::Object kEmpty;
  const auto* found = json::find_path(value, path);
  return found != nullptr && found->is_object() ? found->get_object() : kEmpty;
}

bool has(const json::Value& value, Names path) {
  const auto* found = json::find_path(value, path);
  return found != nullptr && !found->is_null();
}

std::string age(std::string_view time, WallTime now) {
  const auto then = parse_rfc3339(time);
  if (!then) return "<unknown>";
  return short_age(std::chrono::floor<std::chrono::seconds>(now - *then));
}

const json::Value* condition(const json::Value& object, std::string_view type) {
  for (const auto& entry : array_at(object, {"status", "conditions"})) {
    if (json::string_at(entry, "type") == type) return &entry;
  }
  return nullptr;
}

bool condition_holds(const json::Value& object, std::string_view type) {
  const auto* found = condition(object, type);
  return found != nullptr && json::string_at(*found, "status") == "True";
}

std::vector<std::string> texts(const json::Array& array) {
  std::vector<std::string> out;
  for (const auto& item : array) {
    if (item.is_string()) out.emplace_back(json::view(item.get_string()));
  }
  return out;
}

std::string pairs(const json::Object& object) {
  std::vector<std::pair<std::string, std::string>> sorted;
  for (const auto& member : object) {
    sorted.emplace_back(member.key(),
                        member.value().is_string() ? json::view(member.value().get_string()) : std::string_view());
  }
  if (sorted.empty()) return "<none>";
  std::sort(sorted.begin(), sorted.end());
  std::vector<std::string> pieces;
  pieces.reserve(sorted.size());
  for (const auto& [key, value] : sorted) pieces.push_back(fmt::format("{}={}", key, value));
  return join(pieces, ",");
}

}  // namespace chandler::apiserver::cells
