#include <fmt/format.h>

#include <cmath>

#include "json/duplicate_keys.h"
#include "json/writer.h"
#include "json/yaml.h"
#include "json/yaml_document.h"
#include "json/yaml_scalar.h"

namespace chandler::json {
namespace {

// A few lines of aliases of aliases can describe gigabytes. How many bytes aliases may add is bounded by the text's
// size.
size_t allowed_expansion(std::string_view text) { return 1024 * 1024 + 10 * text.size(); }

constexpr std::string_view kTagPrefix = "tag:yaml.org,2002:";

bool is_merge_key(const YamlNode& node) { return node.plain && node.text == "<<"; }

// Turns the node graph of a document into a value. `keys` is null when nobody wants to know about duplicates.
class Converter {
 public:
  Converter(const YamlDocument& document, const ReadOptions& options, DuplicateKeys* keys, size_t& expansion_left)
      : nodes_(document.nodes), options_(options), keys_(keys), expansion_left_(expansion_left) {}

  Result<Value> convert() { return value(nodes_.front(), 0); }

 private:
  Result<Value> value(const YamlNode& node, size_t depth);
  Result<Value> expand(const YamlNode& node, size_t depth);
  Result<Value> scalar(const YamlNode& node);
  Result<Value> sequence(const YamlNode& node, size_t depth);
  Result<Value> mapping(const YamlNode& node, size_t depth);
  Result<void> merge(Object& object, const YamlNode& source, size_t depth);
  Result<void> merge_mapping(Object& object, const YamlNode& from, size_t depth);
  Result<void> charge(const YamlNode& node);

  const YamlNode& target(const YamlNode& node) const {
    return node.kind == YamlNode::Kind::kAlias ? nodes_[node.children.front()] : node;
  }

  const std::vector<YamlNode>& nodes_;
  const ReadOptions& options_;
  DuplicateKeys* keys_;
  size_t& expansion_left_;
  bool expanding_ = false;  // inside an alias or a merge
};

Result<Value> Converter::value(const YamlNode& node, size_t depth) {
  if (expanding_) CH_TRY(charge(node));
  if (keys_ != nullptr && (node.kind == YamlNode::Kind::kAlias || node.kind == YamlNode::Kind::kScalar))
    keys_->scalar();
  if (node.kind == YamlNode::Kind::kAlias) return expand(target(node), depth);
  if (node.kind == YamlNode::Kind::kScalar) return scalar(node);
  if (depth >= options_.max_depth) {
    return yaml_error(node.line, fmt::format("nested deeper than {} levels", options_.max_depth));
  }
  return node.kind == YamlNode::Kind::kSequence ? sequence(node, depth + 1) : mapping(node, depth + 1);
}

Result<void> Converter::charge(const YamlNode& node) {
  const size_t cost = sizeof(Value) + node.text.size();
  if (cost > expansion_left_) return yaml_error(node.line, "aliases expand to too much");
  expansion_left_ -= cost;
  return {};
}

Result<Value> Converter::expand(const YamlNode& node, size_t depth) {
  // Duplicates below were reported where the node stands.
  DuplicateKeys* keys = std::exchange(keys_, nullptr);
  const bool expanding = std::exchange(expanding_, true);
  auto result = value(node, depth);
  keys_ = keys;
  expanding_ = expanding;
  return result;
}

Value to_value(const YamlScalar& scalar, std::string_view text, const Storage& storage) {
  return std::visit(
      [&](const auto& resolved) -> Value {
        using T = std::decay_t<decltype(resolved)>;
        if constexpr (std::is_same_v<T, YamlText>) {
          return Value(text, storage);
        } else if constexpr (std::is_same_v<T, YamlNull>) {
          return Value(nullptr, storage);
        } else {
          return Value(resolved, storage);
        }
      },
      scalar);
}

Result<Value> Converter::scalar(const YamlNode& node) {
  if (node.plain) {
    const YamlScalar resolved = resolve_yaml_scalar(node.text);
    if (const double* number = std::get_if<double>(&resolved); number != nullptr && !std::isfinite(*number)) {
      return yaml_error(node.line, "a number that is not finite cannot be a number of JSON");
    }
    return to_value(resolved, node.text, options_.storage);
  }
  std::string_view tag = node.tag;
  if (!tag.starts_with(kTagPrefix)) return Value(node.text, options_.storage);  // quoted, or a tag of the user's own
  tag.remove_prefix(kTagPrefix.size());
  if (tag == "str" || tag == "timestamp") return Value(node.text, options_.storage);

  const YamlScalar resolved = resolve_yaml_scalar(node.text);
  Value value = to_value(resolved, node.text, options_.storage);
  const bool fits = (tag == "null" && value.is_null()) || (tag == "bool" && value.is_bool()) ||
                    (tag == "int" && (value.is_int64() || value.is_uint64())) || (tag == "float" && value.is_number());
  if (!fits || (value.is_double() && !std::isfinite(value.get_double()))) {
    // Without tag and value: together they may be a secret that begins with ! and lacks its quotes.
    return yaml_error(node.line, "the value does not fit its tag; a text that begins with ! must be in quotes");
  }
  return value;
}

Result<Value> Converter::sequence(const YamlNode& node, size_t depth) {
  if (keys_ != nullptr) keys_->open_array();
  Array array(options_.storage);
  array.reserve(node.children.size());
  for (const size_t child : node.children) {
    CH_TRY_LET(element, value(nodes_[child], depth));
    array.push_back(std::move(element));
  }
  if (keys_ != nullptr) keys_->close_array();
  return Value(std::move(array));
}

// Keys become strings: 1 is "1", yes is "true".
Result<std::string> key_text(const YamlNode& node) {
  if (node.kind != YamlNode::Kind::kScalar) return yaml_error(node.line, "a key must be a scalar");
  if (!node.plain) return node.text;
  const YamlScalar resolved = resolve_yaml_scalar(node.text);
  if (std::holds_alternative<YamlNull>(resolved)) return yaml_error(node.line, "a key must not be null");
  if (const double* number = std::get_if<double>(&resolved); number != nullptr && !std::isfinite(*number))
    return node.text;
  const Value value = to_value(resolved, node.text, {});
  return value.is_string() ? node.text : write(value);
}

Result<Value> Converter::mapping(const YamlNode& node, size_t depth) {
  if (keys_ != nullptr) keys_->open_object();
  Object object(options_.storage);
  object.reserve(node.children.size() / 2);
  for (size_t i = 0; i + 1 < node.children.size(); i += 2) {
    const YamlNode& key_node = target(nodes_[node.children[i]]);
    if (is_merge_key(key_node)) continue;
    if (expanding_ || &key_node != &nodes_[node.children[i]]) CH_TRY(charge(key_node));
    CH_TRY_LET(key, key_text(key_node));
    if (keys_ != nullptr) keys_->key_copy(key);
    CH_TRY_LET(member, value(nodes_[node.children[i + 1]], depth));
    object.insert_or_assign(key, std::move(member));
  }
  if (keys_ != nullptr) keys_->close_object();
  for (size_t i = 0; i + 1 < node.children.size(); i += 2) {
    if (!is_merge_key(target(nodes_[node.children[i]]))) continue;
    CH_TRY(merge(object, nodes_[node.children[i + 1]], depth));
  }
  return Value(std::move(object));
}

// `<<`: takes over the members that the object does not have itself; of several sources the first wins.
Result<void> Converter::merge(Object& object, const YamlNode& source, size_t depth) {
  const YamlNode& from = target(source);
  if (from.kind == YamlNode::Kind::kSequence) {
    for (const size_t child : from.children) {
      CH_TRY(merge_mapping(object, target(nodes_[child]), depth));
    }
    return {};
  }
  return merge_mapping(object, from, depth);
}

Result<void> Converter::merge_mapping(Object& object, const YamlNode& from, size_t depth) {
  if (from.kind != YamlNode::Kind::kMapping) {
    return yaml_error(from.line, "the value of << must be a mapping or a list of mappings");
  }
  CH_TRY_LET(merged, expand(from, depth));
  for (auto& member : merged.get_object()) object.emplace(member.key(), std::move(member.value()));
  return {};
}

Result<Value> convert(const YamlDocument& document, const ReadOptions& options, ReadReport* report,
                      size_t& expansion_left) {
  std::optional<DuplicateKeys> keys;
  if (report != nullptr) keys.emplace(report->duplicates);
  return Converter(document, options, keys ? &*keys : nullptr, expansion_left).convert();
}

// Most "YAML" is JSON, which is read faster as such, and a few escapes of JSON are unknown to YAML 1.1.
std::optional<Value> parse_if_json(std::string_view text, const ReadOptions& options, ReadReport* report) {
  const size_t first = text.find_first_not_of(" \t\r\n");
  if (first == text.npos || text[first] != '{') return std::nullopt;
  ReadReport found;
  auto value = parse(text, options, report == nullptr ? nullptr : &found);
  if (!value.ok()) return std::nullopt;
  if (report != nullptr) *report = std::move(found);
  return std::move(value).value();
}

}  // namespace

Result<Value> parse_yaml(std::string_view text, const ReadOptions& options, ReadReport* report) {
  try {
    if (auto json = parse_if_json(text, options, report)) return *std::move(json);
    YamlStream stream(text, options.max_depth);
    CH_TRY_LET(document, stream.next());
    if (!document) return Value(nullptr, options.storage);
    size_t expansion_left = allowed_expansion(text);
    return convert(*document, options, report, expansion_left);
  } catch (const std::exception& e) {
    return bad_request(fmt::format("cannot read YAML: {}", e.what()));
  }
}

Result<std::vector<Value>> parse_yaml_stream(std::string_view text, const ReadOptions& options) {
  try {
    std::vector<Value> values;
    if (auto json = parse_if_json(text, options, nullptr)) {
      values.push_back(*std::move(json));
      return values;
    }
    YamlStream stream(text, options.max_depth);
    size_t expansion_left = allowed_expansion(text);
    for (;;) {
      CH_TRY_LET(document, stream.next());
      if (!document) return values;
      CH_TRY_LET(value, convert(*document, options, nullptr, expansion_left));
      if (!value.is_null()) values.push_back(std::move(value));
    }
  } catch (const std::exception& e) {
    return bad_request(fmt::format("cannot read YAML: {}", e.what()));
  }
}

}  // namespace chandler::json
