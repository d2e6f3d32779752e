#include "resolve/selector_options.h"

#include <algorithm>
#include <array>
#include <set>

#include <fmt/format.h>

#include "base/text.h"
#include "json/reader.h"
#include "meta/names.h"
#include "resolve/choose_default.h"

namespace chandler::resolve {
namespace {

constexpr size_t kMostOptions = 64;
constexpr size_t kMostValues = 256;
constexpr size_t kLongestDescription = 4096;
constexpr std::array<std::string_view, 5> kMembers = {"key", "defaultValue", "required", "allowedValues",
                                                      "description"};

meta::Path annotation_path() { return meta::Path("metadata").member("annotations").key(kSelectorOptionsAnnotation); }

std::optional<std::string_view> annotation_of(const json::Value& storage_class) {
  const auto* annotations = json::find_path(storage_class, {"metadata", "annotations"});
  return annotations == nullptr ? std::nullopt : json::string_at(*annotations, kSelectorOptionsAnnotation);
}

bool has_type(const json::Value& option, std::string_view name) {
  const auto& value = *json::find(option, name);
  if (name == "required") return value.is_bool() || value.is_null();
  if (name != "allowedValues") return value.is_string() || value.is_null();
  if (value.is_null()) return true;
  const auto* values = value.if_array();
  return values != nullptr && std::all_of(values->begin(), values->end(), [](const auto& v) { return v.is_string(); });
}

// A schema checks the field; the annotation is only text. "" when the JSON has the right form.
std::string form_fault(const json::Value& options) {
  const auto* list = options.if_array();
  if (list == nullptr) return "must be a JSON array of options such as [{\"key\": \"zone\"}]";
  for (size_t i = 0; i < list->size(); ++i) {
    const auto* option = (*list)[i].if_object();
    if (option == nullptr || json::string_or((*list)[i], "key").empty()) {
      return fmt::format("entry {} must be an object with a key", i);
    }
    for (const auto& entry : *option) {
      const std::string_view name(entry.key().data(), entry.key().size());
      if (std::find(kMembers.begin(), kMembers.end(), name) == kMembers.end()) {
        return fmt::format(
            "entry {} has an unknown member {}; known are key, defaultValue, required, allowedValues "
            "and description",
            i, quoted(name));
      }
      if (!has_type((*list)[i], name)) return fmt::format("{} of entry {} is of the wrong type", name, i);
    }
  }
  return "";
}

Result<json::Value> parse_annotation(std::string_view text) {
  constexpr size_t kDepth = 8;
  auto parsed = json::parse(text, {.max_depth = kDepth});
  if (!parsed.ok()) {
    return bad_request(
        fmt::format("annotation {} is not JSON: {}", kSelectorOptionsAnnotation, parsed.error().message));
  }
  if (const auto fault = form_fault(*parsed); !fault.empty()) {
    return bad_request(fmt::format("annotation {}: {}", kSelectorOptionsAnnotation, fault));
  }
  return parsed;
}

std::vector<SelectorOption> read_list(const json::Value& options) {
  std::vector<SelectorOption> read;
  const auto* list = options.if_array();
  for (size_t i = 0; list != nullptr && i < list->size(); ++i) {
    const auto& item = (*list)[i];
    SelectorOption option;
    option.key = json::string_or(item, "key");
    if (const auto value = json::string_at(item, "defaultValue")) option.default_value = std::string(*value);
    option.required = json::bool_at(item, "required").value_or(false);
    if (const auto* values = json::array_at(item, "allowedValues")) {
      option.allowed_values.emplace();
      for (const auto& value : *values) {
        if (value.is_string()) option.allowed_values->emplace_back(json::view(value.get_string()));
      }
      // An empty list says no more than a missing one: clients in Go drop both.
      if (option.allowed_values->empty()) option.allowed_values.reset();
    }
    option.description = json::string_or(item, "description");
    read.push_back(std::move(option));
  }
  return read;
}

void check_option(const SelectorOption& option, const meta::Path& path, meta::FieldErrors& errors) {
  if (auto fault = meta::check_qualified_name(option.key); !fault.empty()) {
    errors.invalid(path.member("key"), option.key, fault);
  }
  const auto check_value = [&](const std::string& value, const meta::Path& at) {
    if (auto fault = meta::check_label_value(value); !fault.empty()) errors.invalid(at, value, fault);
  };
  if (option.allowed_values) {
    const auto& values = *option.allowed_values;
    const auto at = path.member("allowedValues");
    if (values.size() > kMostValues) errors.too_many(at, values.size(), kMostValues);
    std::set<std::string_view> seen;
    for (size_t i = 0; i < values.size(); ++i) {
      check_value(values[i], at.index(i));
      if (!seen.insert(values[i]).second) errors.duplicate(at.index(i), json::Value(values[i]));
    }
  }
  if (option.default_value) {
    const auto at = path.member("defaultValue");
    check_value(*option.default_value, at);
    const auto& allowed = option.allowed_values;
    if (option.required) {
      errors.forbidden(at, "a required key has no default: leave out defaultValue or required");
    } else if (allowed && std::find(allowed->begin(), allowed->end(), *option.default_value) == allowed->end()) {
      errors.invalid(at, *option.default_value, fmt::format("must be one of allowedValues: {}", list_names(*allowed)));
    }
  }
  if (option.description.size() > kLongestDescription) {
    errors.too_long(path.member("description"), kLongestDescription);
  }
}

void check_list(const json::Value& list, const meta::Path& path, meta::FieldErrors& errors) {
  const auto options = read_list(list);
  if (options.size() > kMostOptions) errors.too_many(path, options.size(), kMostOptions);
  std::set<std::string_view> seen;
  for (size_t i = 0; i < options.size(); ++i) {
    check_option(options[i], path.index(i), errors);
    if (!seen.insert(options[i].key).second) {
      errors.duplicate(path.index(i).member("key"), json::Value(options[i].key));
    }
  }
}

// What an admin wrote, made harmless for terminals: no line but those we begin.
void append_visible(std::string& out, std::string_view line) {
  for (size_t i = 0; i < line.size(); ++i) {
    const auto byte = static_cast<unsigned char>(line[i]);
    const auto next = i + 1 < line.size() ? static_cast<unsigned char>(line[i + 1]) : 0;
    if (byte < 0x20 || byte == 0x7f) {
      out += fmt::format("\\x{:02x}", byte);
    } else if (byte == 0xc2 && next >= 0x80 && next < 0xa0) {  // the same once more, beyond ASCII
      out += fmt::format("\\u{:04x}", next);
      ++i;
    } else {
      out += line[i];
    }
  }
}

// Descriptions begin like the rest of a sentence, unless they begin with an abbreviation.
std::string as_continuation(std::string text) {
  const auto is_upper = [](char c) { return c >= 'A' && c <= 'Z'; };
  if (!text.empty() && is_upper(text[0]) && (text.size() == 1 || !is_upper(text[1]))) {
    text[0] = static_cast<char>(text[0] - 'A' + 'a');
  }
  return text;
}

void describe_text(std::string& out, const std::string& description) {
  const auto text = as_continuation(std::string(trim(description)));
  if (text.empty()) return;
  const auto lines = split(text, '\n');
  for (size_t i = 0; i < lines.size(); ++i) {
    out += i == 0 ? "      - " : "        ";
    append_visible(out, trim(lines[i]));
    out += '\n';
  }
}

void describe_option(std::string& out, const SelectorOption& option) {
  out += "    ";
  append_visible(out, option.key);
  if (option.required) out += " (required)";
  out += '\n';
  describe_text(out, option.description);
  if (option.allowed_values) {
    out += "      - values:\n";
    for (const auto& value : *option.allowed_values) {
      out += "        - ";
      append_visible(out, value);
      if (value == option.default_value) out += " (default)";
      out += '\n';
    }
  } else if (option.default_value) {
    out += "      - default: ";
    append_visible(out, *option.default_value);
    out += '\n';
  }
  out += '\n';
}

}  // namespace

SelectorPolicy selector_policy(const json::Value& storage_class) {
  const auto policy = json::string_or(storage_class, "selectorPolicy");
  if (policy == "Enforce") return SelectorPolicy::kEnforce;
  return policy == "Ignore" ? SelectorPolicy::kIgnore : SelectorPolicy::kWarn;
}

SelectorChoice selector_choice(const json::Value& storage_class) {
  return json::string_or(storage_class, "selectorChoice") == "First" ? SelectorChoice::kFirst : SelectorChoice::kSpread;
}

Result<std::vector<SelectorOption>> read_selector_options(const json::Value& storage_class) {
  if (const auto* list = json::array_at(storage_class, "selectorOptions"); list != nullptr && !list->empty()) {
    return read_list(*json::find(storage_class, "selectorOptions"));
  }
  const auto text = annotation_of(storage_class);
  if (!text) return std::vector<SelectorOption>();
  CH_TRY_LET(parsed, parse_annotation(*text));
  return read_list(parsed);
}

void check_selector_options(const json::Value& storage_class, meta::FieldErrors& errors) {
  const auto* field = json::find(storage_class, "selectorOptions");
  const bool has_field = field != nullptr && field->is_array() && !field->get_array().empty();
  if (has_field) check_list(*field, meta::Path("selectorOptions"), errors);
  const auto text = annotation_of(storage_class);
  if (!text) return;
  const auto parsed = parse_annotation(*text);
  if (!parsed.ok()) return errors.invalid(annotation_path(), *text, parsed.error().message);
  if (!has_field) return check_list(*parsed, annotation_path(), errors);
  if (read_list(*parsed) != read_list(*field)) {
    errors.invalid(annotation_path(), *text, "differs from selectorOptions: change both, or remove the annotation");
  }
}

std::string describe_selector_options(std::span<const SelectorOption> options) {
  std::string out;
  for (const auto& option : options) describe_option(out, option);
  return out;
}

}  // namespace chandler::resolve
