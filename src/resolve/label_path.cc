#include "resolve/label_path.h"

#include <algorithm>

#include <fmt/format.h>

#include "base/text.h"

namespace chandler::resolve {
namespace {

bool is_plain(char c) {
  return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || (c >= '0' && c <= '9') || c == '-' || c == '_';
}

bool is_plain_name(std::string_view name) { return !name.empty() && std::all_of(name.begin(), name.end(), is_plain); }

Error fault(std::string_view path, size_t at, std::string_view what) {
  return bad_request(
      fmt::format("labels path {} at character {}: {}; write it as spec.template.metadata.labels, and a "
                  "name with dots as ['a.b']",
                  quoted(path), at + 1, what));
}

// One name in brackets and quotes; `at` is behind the opening bracket and ends behind the closing one.
Result<std::string> bracketed(std::string_view text, size_t& at) {
  const size_t start = at;
  if (at >= text.size() || (text[at] != '\'' && text[at] != '"')) {
    return fail(fault(text, at, "a bracket holds a name in quotes, not an index"));
  }
  const char quote = text[at++];
  const size_t end = text.find(quote, at);
  if (end == std::string_view::npos) return fail(fault(text, start, "the quote is never closed"));
  std::string name(text.substr(at, end - at));
  at = end + 1;
  if (at >= text.size() || text[at] != ']') return fail(fault(text, at, "a closing bracket is missing"));
  ++at;
  if (name.empty()) return fail(fault(text, start, "a name is empty"));
  const bool printable =
      std::all_of(name.begin(), name.end(), [](char c) { return static_cast<unsigned char>(c) >= 0x20 && c != 0x7F; });
  if (!printable || !is_valid_utf8(name))
    return fail(fault(text, start, "a name holds characters that cannot be shown"));
  return name;
}

// What no workload keeps its pods' labels in, and what must not be broken by a slip.
std::string why_reserved(const std::vector<std::string>& names) {
  const auto& first = names.front();
  if (first == "status") return "status belongs to the controller of the workload";
  if (first == "apiVersion" || first == "kind") return first + " is no object";
  if (first == "metadata" && (names.size() != 2 || names[1] != "labels")) {
    return "the only labels in metadata are metadata.labels";
  }
  return {};
}

bool is_true(const json::Value& schema, std::string_view key) { return json::bool_at(schema, key).value_or(false); }

bool may_be_text(const json::Value& schema) {
  const auto type = json::string_at(schema, "type");
  return !type || *type == "string" || is_true(schema, "x-kubernetes-int-or-string");
}

}  // namespace

Result<LabelPath> LabelPath::parse(std::string_view text) {
  if (text.empty()) return fail(fault(text, 0, "it is empty"));
  if (text.size() > kLongestLabelPath) {
    return bad_request(
        fmt::format("a labels path has at most {} characters, this one has {}", kLongestLabelPath, text.size()));
  }
  LabelPath path;
  size_t at = 0;
  while (at < text.size()) {
    if (path.names_.size() == kDeepestLabelPath) {
      return fail(fault(text, at, fmt::format("more than {} names", kDeepestLabelPath)));
    }
    if (text[at] == '[') {
      CH_TRY_LET(name, bracketed(text, ++at));
      path.names_.push_back(std::move(name));
    } else {
      if (!path.names_.empty()) {
        if (text[at] != '.') return fail(fault(text, at, "a dot or a bracket is missing"));
        ++at;
      }
      const size_t start = at;
      while (at < text.size() && is_plain(text[at])) ++at;
      if (at == start) {
        return fail(
            fault(text, at,
                  at < text.size() && text[at] != '.' ? "a character that is not allowed here" : "a name is empty"));
      }
      path.names_.emplace_back(text.substr(start, at - start));
    }
  }
  if (const auto why = why_reserved(path.names_); !why.empty()) {
    return bad_request(fmt::format("labels path {} cannot be used: {}", quoted(text), why));
  }
  return path;
}

std::string LabelPath::prefix(size_t count) const {
  std::string out;
  for (size_t i = 0; i < std::min(count, names_.size()); ++i) {
    const auto& name = names_[i];
    if (is_plain_name(name)) {
      if (!out.empty()) out += '.';
      out += name;
    } else {
      const char quote = name.find('\'') == std::string::npos ? '\'' : '"';
      out += fmt::format("[{}{}{}]", quote, name, quote);
    }
  }
  return out;
}

PathVerdict judge_label_path(const json::Value& schema, const LabelPath& path) {
  using Kind = PathVerdict::Kind;
  const json::Value* at = &schema;
  bool is_resource = true;  // whose metadata the server knows without being told
  for (size_t i = 0; i < path.names().size(); ++i) {
    const auto& name = path.names()[i];
    if (is_resource && name == "metadata") {
      const bool labels = i + 2 == path.names().size() && path.names()[i + 1] == "labels";
      if (labels) return {};
      return {Kind::kNotLabels, fmt::format("{} is not the labels of an object", path.str())};
    }
    const auto type = json::string_at(*at, "type");
    if (type && *type != "object") {
      return {Kind::kNotLabels,
              fmt::format("{} is of type {} and has no fields", i == 0 ? "the object" : path.prefix(i), *type)};
    }
    const auto* properties = json::object_at(*at, "properties");
    const auto* next = properties == nullptr ? nullptr : properties->if_contains(name);
    if (next == nullptr) {
      const auto* others = json::find(*at, "additionalProperties");
      if (others != nullptr && others->is_object()) next = others;
      if (others != nullptr && others->is_bool() && others->get_bool()) return {};
    }
    if (next == nullptr && is_true(*at, "x-kubernetes-preserve-unknown-fields")) return {};
    if (next == nullptr) {
      return {Kind::kMissing,
              fmt::format("the schema has no field {}, so what is written there would be dropped", path.prefix(i + 1))};
    }
    at = next;
    is_resource = is_true(*at, "x-kubernetes-embedded-resource");
  }
  const auto type = json::string_at(*at, "type");
  if (is_true(*at, "x-kubernetes-preserve-unknown-fields")) return {};
  const auto* others = json::find(*at, "additionalProperties");
  const bool open =
      others != nullptr && (others->is_object() ? may_be_text(*others) : others->is_bool() && others->get_bool());
  if (type && *type == "object" && open) return {};
  return {Kind::kNotLabels, fmt::format("{} is no map from names to texts", path.str())};
}

}  // namespace chandler::resolve
