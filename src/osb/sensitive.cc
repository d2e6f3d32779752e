#include "osb/sensitive.h"

#include "base/text.h"
#include "json/reader.h"
#include "json/writer.h"

namespace chandler::osb {

void Sensitive::add(std::string_view value) {
  if (!value.empty()) values.emplace_back(value);
}

void Sensitive::add_text(std::string_view text) {
  add(text);
  const auto begin = trim(text);
  if (!begin.starts_with('{') && !begin.starts_with('[')) return;
  if (const auto held = json::parse(text); held.ok()) add_all(*held);
}

void Sensitive::add_all(const json::Value& value) {
  if (const auto* object = value.if_object()) {
    for (const auto& entry : *object) add_all(entry.value());
  } else if (const auto* list = value.if_array()) {
    for (const auto& entry : *list) add_all(entry);
  } else if (const auto* text = value.if_string()) {
    add_text(json::view(*text));
  } else if (value.is_number()) {
    add(json::write(value));
  }
}

void Sensitive::add_authorization(std::string_view header) {
  const size_t blank = header.find(' ');
  if (blank == std::string_view::npos) return add(header);
  const auto token = header.substr(blank + 1);
  add(token);
  if (!equals_ignore_case(header.substr(0, blank), "Basic")) return;
  const auto login = base64_decode(token);
  if (!login) return;
  add(*login);
  if (const size_t colon = login->find(':'); colon != std::string::npos)
    add(std::string_view(*login).substr(colon + 1));
}

void Sensitive::miss(std::string_view why) {
  if (missing.empty()) missing = why;
}

}  // namespace chandler::osb
