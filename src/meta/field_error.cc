#include "meta/field_error.h"

#include <algorithm>

#include <fmt/format.h>

#include "base/cut_text.h"
#include "json/writer.h"

namespace chandler::meta {
namespace {

// A fault must not echo a document of megabytes back to the client.
constexpr size_t kMaxShownValue = 256;
constexpr size_t kMaxPath = 4 * 1024;
constexpr size_t kMaxBytes = 4 * 1024 * 1024;  // of all faults

void cut(std::string& text, size_t at) {
  if (text.size() <= at) return;
  text.resize(cut_text(text, at).size());
  text += "...";
}

json::Value text_value(std::string_view text) {
  return json::Value(boost::json::string_view(text.data(), text.size()));
}

// The beginning of a value, as a value: as much of it as `room` bytes of JSON can hold, which is used up.
json::Value beginning(const json::Value& value, size_t& room) {
  const auto take = [&room](size_t bytes) { room -= std::min(room, bytes); };
  take(1);
  if (const auto* text = value.if_string()) {
    const auto part = cut_text(json::view(*text), room);
    take(part.size());
    return text_value(part);
  }
  if (const auto* list = value.if_array()) {
    json::Array part;
    for (size_t i = 0; i < list->size() && room > 0; ++i) part.push_back(beginning((*list)[i], room));
    return part;
  }
  const auto* object = value.if_object();
  if (object == nullptr) return value;
  json::Object part;
  for (auto member = object->begin(); member != object->end() && room > 0; ++member) {
    const auto name = cut_text(member->key(), room);
    take(name.size());
    part[name] = beginning(member->value(), room);
  }
  return part;
}

// A value of megabytes is not written to show its beginning: an object may have thousands of faults at its root.
std::string shown(const json::Value& value) {
  constexpr size_t kLongestCharacter =
      4;  // may stay out of the beginning, which must still be longer than what is shown
  size_t room = kMaxShownValue + kLongestCharacter;
  std::string text = json::write(beginning(value, room));
  cut(text, kMaxShownValue);
  return text;
}

std::string with_detail(std::string head, std::string_view detail) {
  if (!detail.empty()) head.append(": ").append(detail);
  return head;
}

}  // namespace

void Path::append(std::string_view part) {
  if (text_.size() > kMaxPath) return;  // it was cut
  text_ += part;
  cut(text_, kMaxPath);
}

Path Path::member(std::string_view name) const {
  Path next(*this);
  if (!next.text_.empty()) next.append(".");
  next.append(name);
  return next;
}

Path Path::index(size_t i) const { return key(std::to_string(i)); }

Path Path::key(std::string_view k) const {
  Path next(*this);
  next.append("[");
  next.append(k);
  next.append("]");
  return next;
}

void FieldErrors::add(Cause cause) {
  bytes_ += cause.field.size() + cause.message.size();
  if (bytes_ > kMaxBytes) cause = {std::move(cause.reason), "there are too many faults to describe them all", ""};
  causes_.push_back(std::move(cause));
}

void FieldErrors::required(const Path& path, std::string_view detail) {
  add({"FieldValueRequired", with_detail("Required value", detail), path.str()});
}

void FieldErrors::invalid(const Path& path, const json::Value& value, std::string_view detail) {
  add({"FieldValueInvalid", with_detail("Invalid value: " + shown(value), detail), path.str()});
}

void FieldErrors::invalid(const Path& path, std::string_view value, std::string_view detail) {
  invalid(path, text_value(value), detail);
}

void FieldErrors::type_invalid(const Path& path, const json::Value& value, std::string_view detail) {
  add({"FieldValueTypeInvalid", with_detail("Invalid value: " + shown(value), detail), path.str()});
}

void FieldErrors::not_supported(const Path& path, const json::Value& value, const std::vector<std::string>& supported) {
  std::string message = "Unsupported value: " + shown(value);
  for (size_t i = 0; i < supported.size(); ++i) {
    message += i == 0 ? ": supported values: " : ", ";
    json::write_string(message, supported[i]);
  }
  add({"FieldValueNotSupported", std::move(message), path.str()});
}

void FieldErrors::duplicate(const Path& path, const json::Value& value) {
  add({"FieldValueDuplicate", "Duplicate value: " + shown(value), path.str()});
}

void FieldErrors::forbidden(const Path& path, std::string_view detail) {
  add({"FieldValueForbidden", with_detail("Forbidden", detail), path.str()});
}

void FieldErrors::not_found(const Path& path, std::string_view value) {
  add({"FieldValueNotFound", "Not found: " + shown(text_value(value)), path.str()});
}

void FieldErrors::too_long(const Path& path, size_t max_length) {
  add({"FieldValueTooLong", fmt::format("Too long: may not be more than {} characters", max_length), path.str()});
}

void FieldErrors::too_many(const Path& path, size_t count, size_t max) {
  add({"FieldValueTooMany", fmt::format("Too many: {}: must have at most {} items", count, max), path.str()});
}

}  // namespace chandler::meta
