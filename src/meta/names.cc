#include "meta/names.h"

#include <array>

#include <fmt/format.h>

namespace chandler::meta {
namespace {

constexpr size_t kSubdomainMax = 253;
constexpr size_t kLabelMax = 63;

constexpr bool is_lower(char c) { return c >= 'a' && c <= 'z'; }
constexpr bool is_digit(char c) { return c >= '0' && c <= '9'; }
constexpr bool is_lower_alnum(char c) { return is_lower(c) || is_digit(c); }
constexpr bool is_alnum(char c) { return is_lower_alnum(c) || (c >= 'A' && c <= 'Z'); }

std::string too_long(size_t max) { return fmt::format("must be no more than {} bytes", max); }

bool is_dns_label(std::string_view text) {
  if (text.empty() || !is_lower_alnum(text.front()) || !is_lower_alnum(text.back())) return false;
  for (char c : text) {
    if (!is_lower_alnum(c) && c != '-') return false;
  }
  return true;
}

bool is_subdomain(std::string_view text) {
  while (true) {
    const auto dot = text.find('.');
    if (!is_dns_label(text.substr(0, dot))) return false;
    if (dot == std::string_view::npos) return true;
    text.remove_prefix(dot + 1);
  }
}

// Letters, digits, '-', '_' and '.': looked up, since no processor foresees what comes next in a hash.
constexpr auto kLabelCharacters = [] {
  std::array<bool, 256> out{};
  for (size_t i = 0; i < out.size(); ++i) {
    const char c = static_cast<char>(i);
    out[i] = is_alnum(c) || c == '-' || c == '_' || c == '.';
  }
  return out;
}();

bool are_label_characters(std::string_view text) {
  bool all = true;
  for (const char c : text) all = all && kLabelCharacters[static_cast<unsigned char>(c)];
  return all;
}

// With a letter or digit at both ends.
bool is_label_text(std::string_view text) {
  return !text.empty() && is_alnum(text.front()) && is_alnum(text.back()) && are_label_characters(text);
}

}  // namespace

std::string check_dns1123_subdomain(std::string_view name) {
  if (name.size() > kSubdomainMax) return too_long(kSubdomainMax);
  if (is_subdomain(name)) return "";
  return "a lowercase RFC 1123 subdomain is needed: lower case letters, digits, '-' and '.', each part starting and "
         "ending with a letter or digit, such as 'example.com'";
}

std::string check_dns1123_label(std::string_view name) {
  if (name.size() > kLabelMax) return too_long(kLabelMax);
  if (is_dns_label(name)) return "";
  return "a lowercase RFC 1123 label is needed: lower case letters, digits and '-', starting and ending with a letter "
         "or digit, such as 'my-name' or '123-abc'";
}

std::string check_dns1035_label(std::string_view name) {
  if (name.size() > kLabelMax) return too_long(kLabelMax);
  if (is_dns_label(name) && is_lower(name.front())) return "";
  return "a DNS-1035 label is needed: lower case letters, digits and '-', starting with a letter and ending with a "
         "letter or digit, such as 'my-name' or 'abc-123'";
}

std::string check_path_segment(std::string_view name) {
  if (name == "." || name == "..") return fmt::format("may not be '{}'", name);
  for (char c : {'/', '%'}) {
    if (name.find(c) != std::string_view::npos) return fmt::format("may not contain '{}'", c);
  }
  return "";
}

std::string check_qualified_name(std::string_view name) {
  const auto slash = name.find('/');
  if (slash != std::string_view::npos) {
    const std::string_view prefix = name.substr(0, slash);
    name.remove_prefix(slash + 1);
    if (name.find('/') != std::string_view::npos) return "a qualified name has at most one '/', after a DNS subdomain";
    if (prefix.empty()) return "prefix part must be non-empty";
    if (auto fault = check_dns1123_subdomain(prefix); !fault.empty()) return "prefix part: " + fault;
  }
  if (name.empty()) return "name part must be non-empty";
  if (name.size() > kLabelMax) return "name part " + too_long(kLabelMax);
  if (is_label_text(name)) return "";
  return "name part must consist of letters, digits, '-', '_' and '.', starting and ending with a letter or digit, "
         "such as 'MyName' or 'example.com/my.name'";
}

std::string check_label_value(std::string_view value) {
  if (value.size() > kLabelMax) return too_long(kLabelMax);
  if (value.empty() || is_label_text(value)) return "";
  return "a label value is empty or consists of letters, digits, '-', '_' and '.', starting and ending with a letter "
         "or digit, such as 'MyValue' or '12345'";
}

std::string check_config_key(std::string_view key) {
  if (key.size() > kSubdomainMax) return too_long(kSubdomainMax);
  if (key.empty() || !are_label_characters(key))
    return "a key consists of letters, digits, '-', '_' and '.', such as 'key.name' or 'KEY_NAME'";
  if (key == ".") return "may not be '.'";
  if (key.starts_with("..")) return "may not start with '..'";
  return "";
}

std::string check_name(NameRule rule, std::string_view name) {
  switch (rule) {
    case NameRule::kDns1123Subdomain:
      return check_dns1123_subdomain(name);
    case NameRule::kDns1123Label:
      return check_dns1123_label(name);
    case NameRule::kDns1035Label:
      return check_dns1035_label(name);
    case NameRule::kPathSegment:
      return check_path_segment(name);
  }
  return "";
}

}  // namespace chandler::meta
