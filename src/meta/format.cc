#include "meta/format.h"

#include <arpa/inet.h>

#include <algorithm>
#include <array>
#include <cctype>
#include <limits>
#include <optional>
#include <string>
#include <utility>

#include "base/text.h"
#include "base/time_text.h"
#include "meta/names.h"
#include "meta/quantity.h"

namespace chandler::meta {
namespace {

constexpr std::array<std::pair<std::string_view, Format>, 34> kFormats = {{
    {"bsonobjectid", Format::kBsonObjectId},
    {"uri", Format::kUri},
    {"email", Format::kEmail},
    {"hostname", Format::kHostname},
    {"ipv4", Format::kIpv4},
    {"ipv6", Format::kIpv6},
    {"cidr", Format::kCidr},
    {"mac", Format::kMac},
    {"uuid", Format::kUuid},
    {"uuid3", Format::kUuid3},
    {"uuid4", Format::kUuid4},
    {"uuid5", Format::kUuid5},
    {"isbn", Format::kIsbn},
    {"isbn10", Format::kIsbn10},
    {"isbn13", Format::kIsbn13},
    {"creditcard", Format::kCreditCard},
    {"ssn", Format::kSsn},
    {"hexcolor", Format::kHexColor},
    {"rgbcolor", Format::kRgbColor},
    {"byte", Format::kByte},
    {"date", Format::kDate},
    {"duration", Format::kDuration},
    {"date-time", Format::kDateTime},
    {"datetime", Format::kDateTime},
    {"k8s-short-name", Format::kShortName},
    {"k8s-long-name", Format::kLongName},
    {"int32", Format::kInt32},
    {"int64", Format::kInt64},
    {"float", Format::kFloat},
    {"double", Format::kDouble},
    {"quantity", Format::kQuantity},
    {"micro-time", Format::kMicroTime},
    {"password", Format::kNone},
    {"", Format::kNone},
}};

bool is_builtin_format(Format format) { return format == Format::kQuantity || format == Format::kMicroTime; }
bool is_number_format(Format format) { return format >= Format::kInt32 && format <= Format::kDouble; }

std::string without_dashes(std::string_view text) {
  std::string out(text);
  out.erase(std::remove(out.begin(), out.end(), '-'), out.end());
  return out;
}

bool is_digit(char c) { return c >= '0' && c <= '9'; }
bool is_hex(char c) { return std::isxdigit(static_cast<unsigned char>(c)) != 0; }
bool is_alnum(char c) { return std::isalnum(static_cast<unsigned char>(c)) != 0; }

bool all_hex(std::string_view text) { return std::all_of(text.begin(), text.end(), is_hex); }

bool is_ip(std::string_view text, int family) {
  std::array<unsigned char, 16> address{};
  return text.size() < 64 && inet_pton(family, std::string(text).c_str(), address.data()) == 1;
}

bool is_cidr(std::string_view text) {
  const auto slash = text.find('/');
  if (slash == std::string_view::npos) return false;
  const auto bits = parse_uint64(text.substr(slash + 1));
  const auto address = text.substr(0, slash);
  return bits && ((*bits <= 32 && is_ip(address, AF_INET)) || (*bits <= 128 && is_ip(address, AF_INET6)));
}

// 6, 8 or 20 octets as aa:bb, aa-bb or aabb.ccdd.
bool is_mac(std::string_view text) {
  for (auto [separator, digits] : {std::pair{':', size_t{2}}, std::pair{'-', size_t{2}}, std::pair{'.', size_t{4}}}) {
    const auto groups = split(text, separator);
    const bool shaped = std::all_of(groups.begin(), groups.end(), [digits = digits](std::string_view group) {
      return group.size() == digits && all_hex(group);
    });
    const size_t octets = groups.size() * digits / 2;
    if (shaped && (octets == 6 || octets == 8 || octets == 20)) return true;
  }
  return false;
}

// Dashes may be left out. `version` 0: any.
bool is_uuid(std::string_view text, char version) {
  std::string digits;
  for (size_t i = 0; i < text.size(); ++i) {
    if (text[i] == '-') {
      if (digits.size() != 8 && digits.size() != 12 && digits.size() != 16 && digits.size() != 20) return false;
      if (i > 0 && text[i - 1] == '-') return false;
    } else if (is_hex(text[i]) && digits.size() < 32) {
      digits.push_back(text[i]);
    } else {
      return false;
    }
  }
  if (digits.size() != 32) return false;
  if (version == 0) return true;
  const bool variant = version == '3' || std::string_view("89abAB").find(digits[16]) != std::string_view::npos;
  return digits[12] == version && variant;
}

std::optional<std::string> without_separators(std::string_view text) {
  std::string kept;
  for (char c : text) {
    if (is_digit(c) || c == 'X' || c == 'x') {
      kept.push_back(c);
    } else if (c != '-' && c != ' ') {
      return std::nullopt;
    }
  }
  return kept;
}

bool is_isbn10(std::string_view text) {
  const auto digits = without_separators(text);
  if (!digits || digits->size() != 10) return false;
  int sum = 0;
  for (size_t i = 0; i < 10; ++i) {
    const char c = (*digits)[i];
    if (!is_digit(c) && i != 9) return false;
    sum += (is_digit(c) ? c - '0' : 10) * static_cast<int>(10 - i);
  }
  return sum % 11 == 0;
}

bool is_isbn13(std::string_view text) {
  const auto digits = without_separators(text);
  if (!digits || digits->size() != 13 || !std::all_of(digits->begin(), digits->end(), is_digit)) return false;
  int sum = 0;
  for (size_t i = 0; i < 13; ++i) sum += ((*digits)[i] - '0') * (i % 2 == 0 ? 1 : 3);
  return sum % 10 == 0;
}

bool is_credit_card(std::string_view text) {
  const auto digits = without_separators(text);
  if (!digits || digits->size() < 13 || digits->size() > 19) return false;
  if (!std::all_of(digits->begin(), digits->end(), is_digit)) return false;
  int sum = 0;  // Luhn
  for (size_t i = 0; i < digits->size(); ++i) {
    int digit = (*digits)[digits->size() - 1 - i] - '0';
    if (i % 2 == 1) digit = digit < 5 ? digit * 2 : digit * 2 - 9;
    sum += digit;
  }
  return sum % 10 == 0;
}

// 123-45-6789, the separators are optional and may be blanks.
bool is_ssn(std::string_view text) {
  size_t at = 0;
  for (size_t digits : {size_t{3}, size_t{2}, size_t{4}}) {
    if (at > 0 && at < text.size() && (text[at] == '-' || text[at] == ' ')) ++at;
    for (size_t i = 0; i < digits; ++i, ++at) {
      if (at >= text.size() || !is_digit(text[at])) return false;
    }
  }
  return at == text.size();
}

bool is_hex_color(std::string_view text) {
  if (text.starts_with('#')) text.remove_prefix(1);
  return (text.size() == 3 || text.size() == 6) && all_hex(text);
}

bool is_rgb_color(std::string_view text) {
  if (!text.starts_with("rgb(") || !text.ends_with(')')) return false;
  const auto parts = split(text.substr(4, text.size() - 5), ',');
  return parts.size() == 3 && std::all_of(parts.begin(), parts.end(), [](std::string_view part) {
           const std::string_view digits = trim(part);
           const auto value = parse_uint64(digits);
           return value && *value <= 255 && (digits.size() == 1 || digits[0] != '0');
         });
}

bool is_hostname(std::string_view text) {
  if (text.empty() || text.size() > 255) return false;
  if (text.ends_with('.')) text.remove_suffix(1);
  for (std::string_view label : split(text, '.')) {
    if (label.empty() || label.size() > 63 || label.front() == '-' || label.back() == '-') return false;
    for (char c : label) {
      if (!is_alnum(c) && c != '-' && static_cast<unsigned char>(c) < 0x80) return false;
    }
  }
  return true;
}

bool is_email(std::string_view text) {
  if (text.ends_with('>')) {  // Name <address>
    const auto open = text.rfind('<');
    if (open == std::string_view::npos) return false;
    text = text.substr(open + 1, text.size() - open - 2);
  }
  const auto at = text.rfind('@');
  if (at == std::string_view::npos || at == 0) return false;
  const std::string_view local = text.substr(0, at);
  const bool is_quoted = local.size() > 2 && local.front() == '"' && local.back() == '"';
  if (!is_quoted && local.find_first_of(" \t\r\n\"(),:;<>@[\\]") != std::string_view::npos) return false;
  if (!is_quoted && (local.front() == '.' || local.back() == '.' || local.find("..") != std::string_view::npos)) {
    return false;
  }
  const std::string_view domain = text.substr(at + 1);
  return is_hostname(domain) || (domain.starts_with('[') && domain.ends_with(']'));
}

// An absolute address, or an absolute path.
bool is_uri(std::string_view text) {
  for (size_t i = 0; i < text.size(); ++i) {
    const auto c = static_cast<unsigned char>(text[i]);
    if (c <= 0x20 || c == 0x7F) return false;
    if (c == '%' && (i + 2 >= text.size() || !is_hex(text[i + 1]) || !is_hex(text[i + 2]))) return false;
  }
  if (text.starts_with('/')) return true;
  const auto colon = text.find(':');
  if (colon == std::string_view::npos || colon == 0 || colon + 1 == text.size()) return false;
  const std::string_view scheme = text.substr(0, colon);
  return std::isalpha(static_cast<unsigned char>(scheme[0])) != 0 &&
         std::all_of(scheme.begin(), scheme.end(),
                     [](char c) { return is_alnum(c) || c == '+' || c == '-' || c == '.'; });
}

bool is_date(std::string_view text) { return text.size() == 10 && parse_rfc3339(std::string(text) + "T00:00:00Z"); }

// As Go writes durations, or words such as "3 days", "2w".
bool is_duration(std::string_view text) {
  if (parse_go_duration(text)) return true;
  constexpr std::array<std::string_view, 34> kUnits = {
      "ns",     "nanosecond",  "nanoseconds",  "us",      "µs",  "microsecond", "microseconds", "ms",      "milli",
      "millis", "millisecond", "milliseconds", "s",       "sec", "secs",        "second",       "seconds", "m",
      "min",    "mins",        "minute",       "minutes", "h",   "hr",          "hrs",          "hour",    "hours",
      "d",      "day",         "days",         "w",       "wk",  "week",        "weeks"};
  bool any = false;
  for (text = trim(text); !text.empty(); text = trim(text)) {
    const auto digits = std::min(text.find_first_not_of("0123456789"), text.size());
    if (digits == 0) return false;
    text = trim(text.substr(digits));
    const auto length = std::min(text.find_first_of(" 0123456789"), text.size());
    const std::string unit = to_lower(text.substr(0, length));
    if (std::find(kUnits.begin(), kUnits.end(), unit) == kUnits.end()) return false;
    text.remove_prefix(length);
    any = true;
  }
  return any;
}

}  // namespace

Format format_named(std::string_view name, bool built_in) {
  for (const auto& [known, format] : kFormats) {
    if (known != name) continue;
    return is_builtin_format(format) && !built_in ? Format::kNone : format;
  }
  return Format::kNone;
}

std::string_view format_name(Format format) {
  for (const auto& [name, known] : kFormats) {
    if (known == format) return name;
  }
  return "";
}

bool is_recognized_format(std::string_view type, std::string_view name) {
  if (type == "integer") return name == "int32" || name == "int64";
  if (type == "number") return name == "float" || name == "double";
  if (!type.empty() && type != "string") return false;
  const auto wanted = without_dashes(name);  // date-time and datetime are one format
  return std::any_of(kFormats.begin(), kFormats.end(), [&](const auto& entry) {
    const auto [known, format] = entry;
    return !known.empty() && !is_number_format(format) && !is_builtin_format(format) && without_dashes(known) == wanted;
  });
}

bool string_has_format(std::string_view text, Format format) {
  switch (format) {
    case Format::kBsonObjectId:
      return text.size() == 24 && all_hex(text);
    case Format::kUri:
      return is_uri(text);
    case Format::kEmail:
      return is_email(text);
    case Format::kHostname:
      return is_hostname(text);
    case Format::kIpv4:
      return is_ip(text, AF_INET);
    case Format::kIpv6:
      return is_ip(text, AF_INET6);
    case Format::kCidr:
      return is_cidr(text);
    case Format::kMac:
      return is_mac(text);
    case Format::kUuid:
      return is_uuid(text, 0);
    case Format::kUuid3:
      return is_uuid(text, '3');
    case Format::kUuid4:
      return is_uuid(text, '4');
    case Format::kUuid5:
      return is_uuid(text, '5');
    case Format::kIsbn:
      return is_isbn10(text) || is_isbn13(text);
    case Format::kIsbn10:
      return is_isbn10(text);
    case Format::kIsbn13:
      return is_isbn13(text);
    case Format::kCreditCard:
      return is_credit_card(text);
    case Format::kSsn:
      return is_ssn(text);
    case Format::kHexColor:
      return is_hex_color(text);
    case Format::kRgbColor:
      return is_rgb_color(text);
    case Format::kByte:
      return base64_decode(text).has_value();
    case Format::kDate:
      return is_date(text);
    case Format::kDuration:
      return is_duration(text);
    case Format::kDateTime:
    case Format::kMicroTime:
      return parse_rfc3339(text).has_value();
    case Format::kShortName:
      return check_dns1123_label(text).empty();
    case Format::kLongName:
      return check_dns1123_subdomain(text).empty();
    case Format::kQuantity:
      return parse_quantity(text).has_value();
    case Format::kNone:
    case Format::kInt32:
    case Format::kInt64:
    case Format::kFloat:
    case Format::kDouble:
      return true;
  }
  return true;
}

bool number_has_format(long double number, Format format) {
  if (format == Format::kInt32) {
    return number >= std::numeric_limits<int32_t>::min() && number <= std::numeric_limits<int32_t>::max();
  }
  if (format == Format::kInt64) {
    return number >= static_cast<long double>(std::numeric_limits<int64_t>::min()) &&
           number <= static_cast<long double>(std::numeric_limits<int64_t>::max());
  }
  return true;
}

}  // namespace chandler::meta
