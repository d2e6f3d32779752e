#include "osb/catalog_entry.h"

#include <fmt/format.h>

#include <algorithm>

#include "base/cut_text.h"
#include "base/text.h"
#include "json/writer.h"

namespace chandler::osb {
namespace {

constexpr size_t kMaxProblems = 200;
constexpr size_t kMaxName = 63;  // characters, as the kinds of the catalog allow
constexpr size_t kMaxDescription = 10'000;
constexpr size_t kMaxTexts = 200;
constexpr size_t kMaxText = 255;

bool is_suggestion(std::string_view key) {
  return key == "defaultProvisionParameters" || key == "defaultBindingParameters" || key == "defaultSecretTransform";
}

// As the conventions for metadata name addresses: documentationUrl, supportUrl, imageUrl.
bool is_link_member(std::string_view key) { return key.ends_with("Url") || key.ends_with("URL"); }

// At most how large it is as text: every byte of a string may have to be escaped. Most are far below their limit, and
// need not be written to see it.
size_t bound_of(const json::Value& value) {
  constexpr size_t kScalar = 32;
  constexpr size_t kEscaped = 6;
  if (value.is_string()) return kScalar + kEscaped * value.get_string().size();
  size_t bytes = kScalar;
  if (const auto* list = value.if_array()) {
    for (const json::Value& item : *list) bytes += bound_of(item);
  } else if (const auto* object = value.if_object()) {
    for (const auto& [key, item] : *object) bytes += kScalar + kEscaped * key.size() + bound_of(item);
  }
  return bytes;
}

}  // namespace

std::string CatalogPlace::text() const {
  const auto of_service = fmt::format("services[{}]", service);
  return plan ? fmt::format("{}.plans[{}] of service {}", of_service, *plan, quoted(service_name)) : of_service;
}

void Problems::add(std::string text) {
  if (texts_.size() < kMaxProblems) {
    texts_.push_back(std::move(text));
  } else {
    ++more_;
  }
}

std::vector<std::string> Problems::take() && {
  if (more_ > 0) texts_.push_back(fmt::format("and {} more problems", more_));
  return std::move(texts_);
}

CatalogEntry::CatalogEntry(const json::Value& value, CatalogPlace place, Problems& problems, const BrokerText& text)
    : value_(value), place_(place), problems_(problems), text_(text) {
  if (!value.is_object()) reject("must be an object");
}

// `plan "small" (services[0].plans[2])`: a name is what people know, a place is what cannot be wrong.
std::string CatalogEntry::title() const {
  const auto name = json::string_at(value_, "name");
  if (!name || name->empty() || name->size() > 4 * kMaxName) return fmt::format("{} {}", kind(), place_.text());
  return fmt::format("{} {} ({})", kind(), quoted(*name), place_.text());
}

void CatalogEntry::note(std::string_view what) { problems_.add(fmt::format("{}: {}", title(), what)); }

void CatalogEntry::reject(std::string_view what) {
  if (good_) note(fmt::format("{}; the {} is left out", what, kind()));
  good_ = false;
}

const json::Value* CatalogEntry::find(std::string_view key) const {
  const json::Value* found = json::find(value_, key);
  return found == nullptr || found->is_null() ? nullptr : found;
}

std::string CatalogEntry::name(std::string_view key) {
  const json::Value* found = find(key);
  if (found == nullptr) {
    reject(fmt::format("{} is missing", key));
    return "";
  }
  if (!found->is_string()) {
    reject(fmt::format("{} must be a string", key));
    return "";
  }
  const std::string_view text = json::view(found->get_string());
  const size_t length = utf8_length(text);
  if (length < 1 || length > kMaxName) reject(fmt::format("{} must have 1 to {} characters", key, kMaxName));
  if (!is_visible(text)) {
    reject(fmt::format("{} must not have control characters", key));
  } else if (!text_.is_clean(text)) {
    reject(fmt::format("{} must not repeat the credentials that the broker is called with", key));
  }
  return std::string(text);
}

std::string CatalogEntry::description(const std::string& fallback) {
  const json::Value* found = find("description");
  if (found == nullptr) return fallback;
  if (!found->is_string()) {
    reject("description must be a string");
    return "";
  }
  auto text = text_.prose(json::view(found->get_string()));
  if (text.size() > kMaxDescription) {
    text.resize(cut_text(text, kMaxDescription).size());
    note(fmt::format("description is longer than {} bytes and was cut", kMaxDescription));
  }
  return text.empty() ? fallback : text;
}

bool CatalogEntry::required_flag(std::string_view key) {
  if (find(key) == nullptr) reject(fmt::format("{} is missing", key));
  return flag(key, false);
}

bool CatalogEntry::flag(std::string_view key, bool fallback) { return optional_flag(key).value_or(fallback); }

std::optional<bool> CatalogEntry::optional_flag(std::string_view key) {
  const json::Value* found = find(key);
  if (found == nullptr) return std::nullopt;
  if (!found->is_bool()) {
    reject(fmt::format("{} must be true or false", key));
    return std::nullopt;
  }
  return found->get_bool();
}

std::vector<std::string> CatalogEntry::texts(std::string_view key) {
  const json::Value* found = find(key);
  std::vector<std::string> list;
  if (found == nullptr) return list;
  if (!found->is_array()) {
    reject(fmt::format("{} must be a list of strings", key));
    return list;
  }
  for (const json::Value& item : found->get_array()) {
    if (!item.is_string()) {
      reject(fmt::format("{} must be a list of strings", key));
      return list;
    }
    auto text = text_.label(json::view(item.get_string()));
    if (list.size() == kMaxTexts) {
      note(fmt::format("{} has more than {} entries; the rest is left out", key, kMaxTexts));
      return list;
    }
    if (utf8_length(text) > kMaxText) {
      note(fmt::format("{} has an entry of more than {} characters, which is left out", key, kMaxText));
    } else {
      list.push_back(std::move(text));
    }
  }
  return list;
}

json::Value CatalogEntry::object(std::string_view key, size_t limit) { return object(find(key), key, limit); }

json::Value CatalogEntry::object(const json::Value* found, std::string_view path, size_t limit) {
  if (found == nullptr || found->is_null()) return nullptr;
  if (!found->is_object()) {
    note(fmt::format("{} must be an object; it is left out", path));
    return nullptr;
  }
  if (bound_of(*found) > limit && json::write(*found).size() > limit) {
    note(fmt::format("{} is larger than {} KiB; it is left out", path, limit / 1024));
    return nullptr;
  }
  return *found;
}

json::Value CatalogEntry::metadata(size_t limit) {
  const auto found = object("metadata", limit);
  if (found.is_null()) return nullptr;
  json::Object out;
  out.reserve(found.get_object().size());
  for (const auto& [name, value] : found.get_object()) {
    const std::string_view key{name.data(), name.size()};
    if (!text_.is_clean(key)) {
      note("a member of metadata has control characters or a secret in its name; it is left out");
    } else if (is_suggestion(key)) {
      out.emplace(name, value);
    } else if (const auto fault = is_link_member(key) && value.is_string() && !value.get_string().empty()
                                      ? text_.link_fault(json::view(value.get_string()))
                                      : std::string();
               !fault.empty()) {
      note(fmt::format("metadata.{} {}; it is left out", key, fault));
    } else {
      out.emplace(name, text_.cleaned(value));
    }
  }
  return out;
}

}  // namespace chandler::osb
