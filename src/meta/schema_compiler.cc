#include "meta/schema_compiler.h"

#include <algorithm>
#include <unordered_set>

#include <fmt/format.h>

#include "base/text.h"
#include "meta/structural_rules.h"

namespace chandler::meta {
namespace {

constexpr std::string_view kFragmentPrefix = "fragment/";

uint8_t type_bit(std::string_view name) {
  if (name == "object") return kTypeObject;
  if (name == "array") return kTypeArray;
  if (name == "string") return kTypeString;
  if (name == "integer") return kTypeInteger;
  if (name == "number") return kTypeNumber;
  if (name == "boolean") return kTypeBoolean;
  if (name == "null") return kTypeNull;
  return 0;
}

bool is_empty(const Constraints& c) {
  return c.min_length == 0 && c.max_length == kUnlimited && c.min_items == 0 && c.max_items == kUnlimited &&
         c.min_properties == 0 && c.max_properties == kUnlimited && !c.pattern && c.enumeration.empty() &&
         c.required.empty() && !c.number && !c.composition && !c.json_schema;
}

// So many comparisons cost less than a look-up.
constexpr size_t kFewValues = 16;

std::unique_ptr<EnumerationIndex> index_of(const std::vector<json::Value>& enumeration) {
  if (enumeration.size() <= kFewValues) return nullptr;
  auto index = std::make_unique<EnumerationIndex>();
  for (const auto& value : enumeration) {
    if (value.is_string()) {
      index->texts.emplace(json::view(value.get_string()));
    } else if (const auto number = number_of(value)) {
      index->numbers.insert(*number);
    }
  }
  return index;
}

bool is_empty(const NumberRules& n) { return !n.minimum && !n.maximum && !n.multiple_of; }

bool is_empty(const Composition& c) {
  return c.all_of.empty() && c.any_of.empty() && c.one_of.empty() && c.not_node == nullptr;
}

// The defaults of a compiled schema. A default may need any part of it, so they are checked when all of it is there.
class DefaultCheck {
 public:
  explicit DefaultCheck(FieldErrors& errors) : errors_(errors) {}

  void check(const SchemaNode& node, const Path& path) {
    if (!seen_.insert(&node).second) return;  // a fragment
    for (const Property& property : node.properties) {
      check(*property.schema, path.member("properties").key(property.name));
    }
    if (node.additional != nullptr) check(*node.additional, path.member("additionalProperties"));
    if (node.items != nullptr) check(*node.items, path.member("items"));
    if (node.default_value != nullptr) check_default(node, path.member("default"));
  }

 private:
  // It must survive pruning and validation, with the defaults inside it filled in.
  void check_default(const SchemaNode& node, const Path& path) {
    // As the value of a member, so that the default is no root and its apiVersion, kind and metadata are nothing
    // special.
    Property member{"value", &node};
    SchemaNode holder;
    holder.properties = std::span<const Property>(&member, 1);
    json::Value value{{"value", *node.default_value}};
    std::vector<std::string> unknown;
    prune(holder, value, &unknown);
    if (!unknown.empty()) return errors_.invalid(path, *node.default_value, "must not have unknown fields");
    if (!apply_defaults(holder, value, budget_)) {
      return errors_.forbidden(path, "the defaults inside it, or inside it and those before it, are too large");
    }
    if (const json::Value* filled = json::find(value, "value")) {
      validate(node, *filled, nullptr, path, errors_, budget_);
    }
  }

  FieldErrors& errors_;
  Budget budget_;  // of all together: a schema may have thousands
  std::unordered_set<const SchemaNode*> seen_;
};

}  // namespace

SchemaCompiler::SchemaCompiler(const json::Value& document, const CompileOptions& options,
                               std::shared_ptr<SchemaArena> arena, FieldErrors& errors)
    : document_(document),
      options_(options),
      built_in_(options.allow_metadata || options.fragments != nullptr),
      arena_(std::move(arena)),
      errors_(errors) {
  if (options.fragments != nullptr && options.fragments->arena_ != arena_)
    arena_->fragments = options.fragments->arena_;
}

void SchemaCompiler::compile_document(SchemaNode& node, const Path& path) {
  targets_[&document_] = &node;
  fill(node, document_, path);
  while (!queue_.empty()) {
    const Target target = std::move(queue_.back());
    queue_.pop_back();
    fill(*target.node, *target.schema, target.path);
  }
}

const SchemaNode* SchemaCompiler::compile(const json::Value& schema, const Path& path) {
  if (built_in_ && options_.fragments != nullptr) {
    if (const auto ref = json::string_at(schema, "$ref")) return compile_fragment_ref(schema, *ref, path);
  }
  SchemaNode& node = arena_->nodes.emplace_back();
  fill(node, schema, path);
  return &node;
}

void SchemaCompiler::fill(SchemaNode& node, const json::Value& schema, const Path& path) {
  if (schema.is_bool() && !options_.structural) {
    node.flags = schema.get_bool() ? kPreserveUnknown : kNever;
    return;
  }
  if (!schema.is_object()) return errors_.type_invalid(path, schema, "must be a schema");
  Constraints constraints;
  fill_types(node, schema, path);
  fill_extensions(node, schema, path);
  fill_properties(node, schema, path);
  fill_items(node, constraints, schema, path);
  fill_constraints(constraints, schema, path);
  if (!options_.structural) {
    node.flags |= kPreserveUnknown;
    if (!constraints.json_schema) constraints.json_schema = std::make_unique<JsonSchemaKeywords>();
    fill_json_schema(*constraints.json_schema, schema, path);
  } else {
    fill_default(node, schema);
  }
  if (!is_empty(constraints)) node.constraints = &arena_->constraints.emplace_back(std::move(constraints));
}

void SchemaCompiler::fill_types(SchemaNode& node, const json::Value& schema, const Path& path) {
  if (flag(schema, "nullable", path).value_or(false)) node.flags |= kNullable;
  if (flag(schema, "x-kubernetes-int-or-string", path).value_or(false)) {
    node.flags |= kIntOrString;
    node.types = kTypeInteger | kTypeString;
  }
  const json::Value* type = json::find(schema, "type");
  if (node.types != 0) {
    // Said by the extension; a type beside it adds nothing.
  } else if (!options_.structural && type != nullptr && type->is_array()) {
    for (const auto& name : texts(schema, "type", path)) {
      const uint8_t bit = type_bit(name);
      if (bit == 0) errors_.invalid(path.member("type"), name, "is not a type");
      node.types |= bit;
    }
  } else if (const auto name = text(schema, "type", path)) {
    node.types = type_bit(*name);
    if (node.types == 0 && !name->empty() && !options_.structural) {
      errors_.invalid(path.member("type"), *name, "is not a type");
    }
  }
  if (const auto format = text(schema, "format", path)) node.format = format_named(*format, built_in_);
  // Quantities are written as text, but a bare number is understood.
  if (node.format == Format::kQuantity) node.types |= kTypeNumber;
}

void SchemaCompiler::fill_properties(SchemaNode& node, const json::Value& schema, const Path& path) {
  if (const json::Object* members = object(schema, "properties", path); members != nullptr && !members->empty()) {
    std::vector<Property> properties;
    properties.reserve(members->size());
    const Path here = path.member("properties");
    for (const auto& member : *members) {
      properties.push_back({std::string(member.key()), compile(member.value(), here.key(member.key()))});
    }
    std::sort(properties.begin(), properties.end(),
              [](const Property& a, const Property& b) { return a.name < b.name; });
    node.properties = arena_->properties.emplace_back(std::move(properties));
  }
  const json::Value* additional = json::find(schema, "additionalProperties");
  if (additional == nullptr || additional->is_null()) return;
  const Path here = path.member("additionalProperties");
  if (!additional->is_bool()) {
    node.additional = compile(*additional, here);
  } else if (additional->get_bool()) {
    SchemaNode& any = arena_->nodes.emplace_back();
    any.flags = kPreserveUnknown | kNullable;
    node.additional = &any;
  }
}

void SchemaCompiler::fill_items(SchemaNode& node, Constraints& constraints, const json::Value& schema,
                                const Path& path) {
  const json::Value* items = json::find(schema, "items");
  if (items == nullptr || items->is_null()) return;
  if (!items->is_array()) {
    node.items = compile(*items, path.member("items"));
  } else if (!options_.structural) {
    constraints.json_schema = std::make_unique<JsonSchemaKeywords>();
    constraints.json_schema->tuple = compile_list(schema, "items", path);
    node.items = compile_member(schema, "additionalItems", path);  // what comes after the tuple
  }
}

void SchemaCompiler::fill_extensions(SchemaNode& node, const json::Value& schema, const Path& path) {
  if (flag(schema, "x-kubernetes-preserve-unknown-fields", path).value_or(false)) node.flags |= kPreserveUnknown;
  if (flag(schema, "x-kubernetes-embedded-resource", path).value_or(false)) node.flags |= kEmbeddedResource;
  if (text(schema, "x-kubernetes-map-type", path) == "atomic") node.flags |= kAtomicMap;

  const std::string_view list_type = text(schema, "x-kubernetes-list-type", path).value_or("");
  node.list_type = list_type == "atomic" ? ListType::kAtomic
                   : list_type == "set"  ? ListType::kSet
                   : list_type == "map"  ? ListType::kMap
                                         : ListType::kUnset;
  MergeStrategy strategy;
  strategy.map_keys = texts(schema, "x-kubernetes-list-map-keys", path);
  if (built_in_) {
    strategy.merge_key = text(schema, "x-kubernetes-patch-merge-key", path).value_or("");
    for (std::string_view part : split(text(schema, "x-kubernetes-patch-strategy", path).value_or(""), ',')) {
      strategy.merge |= part == "merge";
      strategy.retain_keys |= part == "retainKeys";
    }
  }
  if (!strategy.map_keys.empty() || strategy.merge || strategy.retain_keys) {
    node.strategy = &arena_->strategies.emplace_back(std::move(strategy));
  }
}

void SchemaCompiler::fill_default(SchemaNode& node, const json::Value& schema) {
  const json::Value* value = json::find(schema, "default");
  if (value == nullptr || (value->is_null() && !node.has(kNullable))) return;
  node.default_value = &arena_->defaults.emplace_back(*value, json::Storage());
}

void SchemaCompiler::fill_constraints(Constraints& constraints, const json::Value& schema, const Path& path) {
  fill_bounds(constraints, schema, path);
  if (const auto pattern = text(schema, "pattern", path); pattern && !pattern->empty()) {
    constraints.pattern = compile_pattern(*pattern, path.member("pattern"));
  }
  if (const json::Array* values = list(schema, "enum", path)) {
    for (const auto& value : *values) constraints.enumeration.emplace_back(value, json::Storage());
  }
  if (!options_.structural && json::find(schema, "const") != nullptr) {
    constraints.enumeration.assign(1, json::Value(*json::find(schema, "const"), json::Storage()));
  }
  constraints.enumeration_index = index_of(constraints.enumeration);
  const json::Value* required = json::find(schema, "required");
  // Draft 3 wrote `required: true` on the member itself; brokers still do, and it constrains nothing here.
  if (options_.structural || required == nullptr || !required->is_bool()) {
    constraints.required = texts(schema, "required", path);
  }
  Composition composition;
  composition.all_of = compile_list(schema, "allOf", path);
  composition.any_of = compile_list(schema, "anyOf", path);
  composition.one_of = compile_list(schema, "oneOf", path);
  composition.not_node = compile_member(schema, "not", path);
  if (!is_empty(composition)) constraints.composition = std::make_unique<Composition>(std::move(composition));
}

void SchemaCompiler::fill_bounds(Constraints& constraints, const json::Value& schema, const Path& path) {
  constraints.min_length = count(schema, "minLength", path).value_or(0);
  constraints.max_length = count(schema, "maxLength", path).value_or(kUnlimited);
  constraints.min_items = count(schema, "minItems", path).value_or(0);
  constraints.max_items = count(schema, "maxItems", path).value_or(kUnlimited);
  constraints.min_properties = count(schema, "minProperties", path).value_or(0);
  constraints.max_properties = count(schema, "maxProperties", path).value_or(kUnlimited);

  NumberRules rules;
  rules.minimum = number(schema, "minimum", path);
  rules.maximum = number(schema, "maximum", path);
  // A boolean beside the bound, or (in newer JSON Schemas) the bound itself.
  const auto exclusive = [&](std::string_view keyword, std::optional<long double>& bound, bool& is_exclusive) {
    const json::Value* value = json::find(schema, keyword);
    if (options_.structural || value == nullptr || value->is_bool()) {
      is_exclusive = flag(schema, keyword, path).value_or(false);
    } else {
      bound = number(schema, keyword, path);
      is_exclusive = bound.has_value();
    }
  };
  exclusive("exclusiveMinimum", rules.minimum, rules.exclusive_minimum);
  exclusive("exclusiveMaximum", rules.maximum, rules.exclusive_maximum);
  rules.multiple_of = number(schema, "multipleOf", path);
  if (rules.multiple_of && *rules.multiple_of <= 0) {
    errors_.invalid(path.member("multipleOf"), *json::find(schema, "multipleOf"), "must be greater than 0");
    rules.multiple_of.reset();
  }
  if (!is_empty(rules)) constraints.number = std::make_unique<NumberRules>(rules);
}

std::vector<const SchemaNode*> SchemaCompiler::compile_list(const json::Value& schema, std::string_view keyword,
                                                            const Path& path) {
  std::vector<const SchemaNode*> nodes;
  const json::Array* schemas = list(schema, keyword, path);
  for (size_t i = 0; schemas != nullptr && i < schemas->size(); ++i) {
    nodes.push_back(compile((*schemas)[i], path.member(keyword).index(i)));
  }
  return nodes;
}

const SchemaNode* SchemaCompiler::compile_member(const json::Value& schema, std::string_view keyword,
                                                 const Path& path) {
  const json::Value* value = json::find(schema, keyword);
  return value == nullptr || value->is_null() ? nullptr : compile(*value, path.member(keyword));
}

const SchemaNode* SchemaCompiler::compile_fragment_ref(const json::Value& schema, std::string_view ref,
                                                       const Path& path) {
  if (schema.get_object().size() > 1) errors_.forbidden(path, "nothing may stand beside $ref");
  const SchemaNode* node = nullptr;
  if (ref.starts_with(kFragmentPrefix)) {
    node = fragment(*options_.fragments, ref.substr(kFragmentPrefix.size()), errors_);
  }
  if (node != nullptr) return node;
  errors_.not_found(path.member("$ref"), ref);
  return &arena_->nodes.emplace_back();
}

const SchemaNode* SchemaCompiler::fragment(Fragments& fragments, std::string_view name, FieldErrors& errors) {
  const auto known = fragments.compiled_.find(name);
  if (known != fragments.compiled_.end()) return known->second;
  const json::Value* document = fragments.load_(name);
  if (document == nullptr) return nullptr;
  SchemaNode& node = fragments.arena_->nodes.emplace_back();
  fragments.compiled_.emplace(std::string(name), &node);  // before it is filled: it may refer to itself
  CompileOptions options;
  options.allow_metadata = true;
  options.fragments = &fragments;
  const Path path(std::string(kFragmentPrefix).append(name));
  check_structural_fragment(*document, path, options, errors);
  SchemaCompiler(*document, options, fragments.arena_, errors).compile_document(node, path);
  return &node;
}

Fragments::Fragments(std::function<const json::Value*(std::string_view name)> load)
    : load_(std::move(load)), arena_(std::make_shared<SchemaArena>()) {}

Result<SchemaPtr> Fragments::get(std::string_view name) {
  FieldErrors errors;
  const SchemaNode* node = SchemaCompiler::fragment(*this, name, errors);
  if (node == nullptr) return not_found(ObjectRef{"", "fragments", std::string(name), ""});
  if (errors.empty()) DefaultCheck(errors).check(*node, Path(std::string(kFragmentPrefix).append(name)));
  if (!errors.empty()) return invalid(ObjectRef{"", "Fragment", std::string(name), ""}, errors.take());
  return SchemaPtr(arena_, node);
}

SchemaPtr compile_schema(const json::Value& schema, const Path& path, const CompileOptions& options,
                         FieldErrors& errors) {
  FieldErrors found;
  if (options.structural) check_structural(schema, path, options, found);
  auto arena = std::make_shared<SchemaArena>();
  SchemaNode& root = arena->nodes.emplace_back();
  SchemaCompiler(schema, options, arena, found).compile_document(root, path);
  if (found.empty() && options.structural) DefaultCheck(found).check(root, path);
  for (const auto& cause : found.causes()) errors.add(cause);
  return found.empty() ? SchemaPtr(arena, &root) : nullptr;
}

}  // namespace chandler::meta
