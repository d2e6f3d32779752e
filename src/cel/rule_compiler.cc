#include <algorithm>
#include <optional>

#include <fmt/format.h>

#include "base/text.h"
#include "cel/checker.h"
#include "cel/rule.h"
#include "cel/type.h"

namespace chandler::cel {
namespace {

using meta::Path;
using meta::SchemaNode;

constexpr std::string_view kKeyword = "x-kubernetes-validations";
constexpr size_t kMaxRulesOfPlace = 1000;
const std::vector<std::string> kReasons = {"FieldValueInvalid", "FieldValueForbidden", "FieldValueRequired",
                                           "FieldValueDuplicate"};

// What holds for a place of the schema and all below it.
struct Context {
  uint64_t times = 1;  // how often such a place can occur in one object
  bool root = false;
  bool correlated = true;  // the same place of the old object can be told
};

std::string blank_free(std::string_view text) { return std::string(trim(text)); }

class RuleCompiler {
 public:
  explicit RuleCompiler(meta::FieldErrors& errors) : errors_(errors) {}

  std::unique_ptr<RulePlace> place(const json::Value& schema, const SchemaNode& node, const Path& path,
                                   Context context) {
    auto out = std::make_unique<RulePlace>();
    out->schema = &node;
    if (!schema.is_object()) return nullptr;
    compile_rules_of(schema, node, path, context, *out);
    compile_children(schema, node, path, context, *out);
    if (node.default_value != nullptr && total_ <= kSchemaEstimate) {
      // A default goes into objects, so it must keep the rules too. Rules that check_total() will refuse are not run.
      json::Value value = *node.default_value;
      meta::apply_defaults(node, value);
      check_place(*out, value, nullptr, path.member("default"), errors_);
    }
    const bool empty =
        out->rules.empty() && out->properties.empty() && out->items == nullptr && out->additional == nullptr;
    return empty ? nullptr : std::move(out);
  }

  // Rules that are dear together though each is not.
  void check_total() {
    if (total_ <= kSchemaEstimate) return;
    for (const auto& path : dear_) {
      errors_.forbidden(path,
                        "contributes to the estimated cost of all rules of the schema, which is beyond the limit; "
                        "set maxItems, maxProperties and maxLength where lists, maps and strings are declared");
    }
  }

 private:
  void compile_children(const json::Value& schema, const SchemaNode& node, const Path& path, const Context& context,
                        RulePlace& out) {
    Context below = context;
    below.root = false;
    if (const auto* properties = json::object_at(schema, "properties")) {
      below.correlated = context.correlated && !node.has(meta::kAtomicMap);
      for (const auto& property : *properties) {
        const SchemaNode* child = node.property(property.key());
        if (child == nullptr) continue;
        auto compiled = place(property.value(), *child, path.member("properties").key(property.key()), below);
        if (compiled != nullptr) out.properties.emplace(property.key(), std::move(compiled));
      }
    }
    if (const auto* additional = json::find(schema, "additionalProperties");
        additional != nullptr && node.additional != nullptr) {
      below.correlated = context.correlated && !node.has(meta::kAtomicMap);
      below.times = saturating_multiply(context.times, max_entries(node));
      out.additional = place(*additional, *node.additional, path.member("additionalProperties"), below);
    }
    if (const auto* items = json::find(schema, "items"); items != nullptr && node.items != nullptr) {
      below.correlated = context.correlated && node.list_type == meta::ListType::kMap;
      below.times = saturating_multiply(context.times, max_items(node));
      out.items = place(*items, *node.items, path.member("items"), below);
    }
  }

  void compile_rules_of(const json::Value& schema, const SchemaNode& node, const Path& path, const Context& context,
                        RulePlace& out) {
    const auto* given = json::find(schema, kKeyword);
    if (given == nullptr || given->is_null()) return;
    const Path here = path.member(kKeyword);
    const auto* rules = given->if_array();
    if (rules == nullptr) return errors_.type_invalid(here, *given, "must be a list of rules");
    if (rules->size() > kMaxRulesOfPlace) return errors_.too_many(here, rules->size(), kMaxRulesOfPlace);
    if (rules->empty()) return;
    const auto self = schema_type(node, context.root);
    if (self == nullptr) {
      return errors_.invalid(here, json::Value(nullptr),
                             "the schema says too little about the type for rules to read it");
    }
    for (size_t i = 0; i < rules->size(); ++i) {
      if (auto rule = compile((*rules)[i], node, self, here.index(i), context)) out.rules.push_back(std::move(*rule));
    }
  }

  std::optional<Rule> compile(const json::Value& given, const SchemaNode& node, const TypePtr& self, const Path& path,
                              const Context& context) {
    const size_t before = errors_.size();
    Rule rule;
    rule.text = blank_free(json::string_or(given, "rule"));
    rule.message = blank_free(json::string_or(given, "message"));
    rule.reason = json::string_or(given, "reason", "FieldValueInvalid");
    rule.optional_old = json::bool_at(given, "optionalOldSelf").value_or(false);
    if (rule.reason.empty()) rule.reason = "FieldValueInvalid";
    check_texts(given, rule, path);
    if (std::find(kReasons.begin(), kReasons.end(), rule.reason) == kReasons.end()) {
      errors_.not_supported(path.member("reason"), json::Value(rule.reason), kReasons);
    }
    read_field_path(given, node, path, rule);
    if (rule.text.empty()) {
      errors_.required(path.member("rule"), "rule is not specified");
      return std::nullopt;
    }
    const std::vector<Variable> variables = {{"self", self},
                                             {"oldSelf", rule.optional_old ? optional_type(self) : self}};
    auto checked = program(rule.text, path.member("rule"), variables, Kind::kBool, context, rule.program);
    if (!checked) return std::nullopt;
    rule.uses_old = checked->used[1];
    if (const auto text = blank_free(json::string_or(given, "messageExpression")); !text.empty()) {
      const auto at = path.member("messageExpression");
      const auto message = program(text, at, variables, Kind::kString, context, rule.message_program);
      if (message && message->used[1] && !rule.uses_old) {
        errors_.invalid(at, text, "oldSelf cannot be used here: the rule itself does not use it");
      }
    } else if (json::find(given, "messageExpression") != nullptr) {
      errors_.required(path.member("messageExpression"), "messageExpression must be non-empty if specified");
    }
    if (rule.uses_old && !context.correlated) {
      errors_.invalid(path.member("rule"), rule.text,
                      "oldSelf cannot be used here: items of a list that is not of type map, and what is in an atomic "
                      "map, have no old value that belongs to them");
    }
    if (json::find(given, "optionalOldSelf") != nullptr && !rule.uses_old) {
      errors_.invalid(path.member("optionalOldSelf"), json::Value(rule.optional_old),
                      "may not be set if oldSelf is not used in the rule");
    }
    if (errors_.size() != before) return std::nullopt;
    return rule;
  }

  void check_texts(const json::Value& given, const Rule& rule, const Path& path) {
    const auto has_break = [](std::string_view text) { return text.find_first_of("\r\n") != std::string_view::npos; };
    const auto* message = json::find(given, "message");
    if (message != nullptr && rule.message.empty()) {
      errors_.invalid(path.member("message"), json::string_or(given, "message"),
                      "message must be non-empty if specified");
    }
    if (has_break(rule.message)) {
      errors_.invalid(path.member("message"), rule.message, "message must not contain line breaks");
    }
    if (has_break(rule.text) && rule.message.empty() && json::string_or(given, "messageExpression").empty()) {
      errors_.required(path.member("message"), "message must be specified if the rule contains line breaks");
    }
  }

  // ".spec.x", "['a-b'].c": leads through properties and maps, never into lists.
  void read_field_path(const json::Value& given, const SchemaNode& node, const Path& path, Rule& rule) {
    const auto* member = json::find(given, "fieldPath");
    if (member == nullptr) return;
    const auto text = json::string_or(given, "fieldPath");
    const auto refuse = [&](std::string_view why) { errors_.invalid(path.member("fieldPath"), text, why); };
    const SchemaNode* at = &node;
    std::string_view rest = trim(text);
    if (rest.empty()) return refuse("must be non-empty if specified");
    if (rest.find_first_of("\r\n") != std::string_view::npos) return refuse("must not contain line breaks");
    while (!rest.empty()) {
      std::string_view name;
      if (rest.starts_with("['")) {
        const size_t end = rest.find("']");
        if (end == std::string_view::npos) return refuse("has a bracket without its end");
        name = rest.substr(2, end - 2);
        rest.remove_prefix(end + 2);
      } else if (rest.front() == '.') {
        rest.remove_prefix(1);
        name = rest.substr(0, rest.find_first_of(".["));
        rest.remove_prefix(name.size());
      } else {
        return refuse("must be a path such as .field or ['field'], without indexes");
      }
      if (name.empty()) return refuse("has an empty name in it");
      at = at->member(name);
      if (at == nullptr) return refuse("does not refer to a valid field of the schema");
      rule.field_path.emplace_back(name);
    }
  }

  std::optional<Checked> program(const std::string& text, const Path& path, const std::vector<Variable>& variables,
                                 Kind wanted, const Context& context, Program& out) {
    const auto failed = [&](std::string_view why) {
      errors_.invalid(path, text, fmt::format("compilation failed: {}", why));
      return std::nullopt;
    };
    auto parsed = parse(text);
    if (!parsed.ok()) return failed(parsed.error().message);
    auto checked = check(**parsed, text, variables, patterns_);
    if (!checked.ok()) return failed(checked.error().message);
    if (!fits(*checked->type, *scalar_type(wanted))) {
      return failed(
          fmt::format("1:1: must evaluate to a {}, not to a {}", kind_name(wanted), type_text(*checked->type)));
    }
    const uint64_t cost = saturating_multiply(checked->cost, context.times);
    if (cost > kRuleEstimate) {
      const double factor = static_cast<double>(cost) / static_cast<double>(kRuleEstimate);
      const std::string by = factor > 100 ? "more than 100x" : fmt::format("{:.1f}x", factor);
      errors_.forbidden(path,
                        fmt::format("estimated rule cost exceeds budget by factor of {} (try simplifying the rule, "
                                    "or adding maxItems, maxProperties, and maxLength where arrays, maps, and "
                                    "strings are declared)",
                                    by));
    } else {
      total_ = saturating_add(total_, cost);
      if (cost > kSchemaEstimate / 100) dear_.push_back(path);
    }
    out.expression = std::move(*parsed);
    out.slots = checked->slots;
    return std::move(*checked);
  }

  meta::FieldErrors& errors_;
  meta::Patterns patterns_;
  uint64_t total_ = 0;
  std::vector<Path> dear_;
};

}  // namespace

SchemaRulesPtr compile_rules(const json::Value& document, meta::SchemaPtr schema, const Path& path,
                             meta::FieldErrors& errors) {
  RuleCompiler compiler(errors);
  Context context;
  context.root = true;
  auto root = compiler.place(document, *schema, path, context);
  compiler.check_total();
  if (root == nullptr) return nullptr;
  return std::make_shared<const SchemaRules>(std::move(schema), std::move(root));
}

}  // namespace chandler::cel
