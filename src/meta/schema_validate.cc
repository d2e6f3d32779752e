#include <algorithm>
#include <cmath>
#include <optional>
#include <set>

#include <fmt/format.h>
#include <re2/re2.h>

#include "base/text.h"
#include "json/writer.h"
#include "meta/names.h"
#include "meta/schema.h"
#include "meta/schema_compiler.h"
#include "meta/schema_node.h"
#include "meta/trail.h"
#include "meta/validate_hiding_values.h"

namespace chandler::meta {
namespace {

// For hostile schemas, whose references lead in circles; no document that fits into a request comes near it.
constexpr int kMaxDepth = 500;

class Validator {
 public:
  Validator(const Path& base, OldDocument* old, FieldErrors& errors, Budget& budget, bool hide_values = false)
      : base_(base), old_(old), errors_(errors), budget_(budget), hide_values_(hide_values) {}

  void check(const Trail& trail) {
    const SchemaNode& node = *trail.schema;
    const json::Value& value = *trail.value;
    if (depth_ >= kMaxDepth) exhausted_ = true;
    if (!spend(1)) {
      ++faults_;
      return;
    }
    ++depth_;
    if (node.has(kNever)) {
      fault(trail, [&](const Path& path) { errors_.invalid(path, shown(value), "is not allowed here"); });
    }
    const bool is_null = value.is_null() && node.has(kNullable);
    if (!node.accepts_type(value)) {
      fault(trail, [&](const Path& path) {
        errors_.type_invalid(path, shown(value),
                             fmt::format("must be of type {}: got {}", node.type_names(), json::type_name(value)));
      });
    }
    if (!is_null) check_scalar(trail);
    if (value.is_object()) {
      check_object(trail);
    } else if (value.is_array()) {
      check_array(trail);
    }
    if (!is_null && node.constraints != nullptr) {
      if (node.constraints->composition) check_composition(*node.constraints->composition, trail);
      if (node.constraints->json_schema) check_references(*node.constraints->json_schema, trail);
    }
    --depth_;
  }

  // The schema leads in circles, or costs more than any document is worth.
  bool exhausted() const { return exhausted_; }

 private:
  // Charges for work beyond that on the values which check() counts, so that many branches for one large value cost
  // what they take. False: no steps are left.
  bool spend(size_t steps) {
    budget_.steps -= static_cast<int64_t>(steps);
    exhausted_ = exhausted_ || budget_.steps < 0;
    return !exhausted_;
  }
  static constexpr size_t kBytesPerStep = 16;

  // Looking a name up may read all of it.
  bool spend_look_up(std::string_view name) { return spend(1 + name.size() / kBytesPerStep); }

  // A fault counts unless the value is the old one. `report` is called with the path when somebody wants to read it.
  template <typename Report>
  void fault(const Trail& trail, Report report) {
    // Once there is more to read than anybody is told, the document is refused whatever else it has: looking for what
    // was before, which goes through old lists, is no longer worth it.
    const bool told_all = !quiet_ && reported_bytes_ > kMaxReportBytes;
    if (old_ != nullptr && !told_all && old_->has_same(trail)) return;
    ++faults_;
    if (quiet_ || exhausted_ || told_all) return;
    const size_t before = errors_.size();
    report(trail.path(base_));
    for (size_t i = before; i < errors_.size(); ++i) {
      const Cause& cause = errors_.causes()[i];
      reported_bytes_ += cause.field.size() + cause.message.size();
    }
  }

  const json::Value& shown(const json::Value& value) const { return hide_values_ ? hidden_ : value; }

  // Compositions are reported at the root of the document, which the API prints as <nil>.
  void composition_fault(const Trail& trail, std::string_view detail) {
    fault(trail, [&](const Path& path) {
      if (hide_values_) return errors_.invalid(path, hidden_, detail);
      errors_.invalid(base_.str().empty() ? Path("<nil>") : base_, "",
                      fmt::format("{} {}", quoted(path.str()), detail));
    });
  }

  void check_scalar(const Trail& trail) {
    const json::Value& value = *trail.value;
    const Constraints* constraints = trail.schema->constraints;
    const Format format = trail.schema->format;
    if (constraints != nullptr && !constraints->enumeration.empty()) check_enum(*constraints, trail);
    if (value.is_string()) {
      if (!spend(value.get_string().size() / kBytesPerStep)) return;
      if (constraints != nullptr) check_string(*constraints, trail);
      if (format != Format::kNone && !string_has_format(json::view(value.get_string()), format)) {
        invalid(trail, [&] { return fmt::format("must be of format {}", format_name(format)); });
      }
    } else if (const auto number = number_of(value)) {
      if (constraints != nullptr && constraints->number) check_number(*constraints->number, *number, trail);
      if (!number_has_format(*number, format)) {
        invalid(trail, [&] { return fmt::format("must be in the range of {}", format_name(format)); });
      }
    }
  }

  bool is_enumerated(const Constraints& constraints, const json::Value& value) {
    if (const auto* index = constraints.enumeration_index.get()) {
      if (value.is_string()) return index->texts.contains(std::string_view(json::view(value.get_string())));
      if (const auto number = number_of(value)) return index->numbers.contains(*number);
    }
    constexpr size_t kReadingsPerStep = 8;
    const size_t readings = constraints.enumeration.size();
    const size_t bytes = value.is_string()       ? value.get_string().size()
                         : value.is_structured() ? json::memory_of(value)
                                                 : 0;
    if (!spend(1 + readings / kReadingsPerStep + readings * (bytes / kBytesPerStep))) return false;
    return std::any_of(constraints.enumeration.begin(), constraints.enumeration.end(),
                       [&](const json::Value& allowed) { return json::equal(allowed, value); });
  }

  void check_enum(const Constraints& constraints, const Trail& trail) {
    if (is_enumerated(constraints, *trail.value)) return;
    fault(trail, [&](const Path& path) {
      std::vector<std::string> supported;
      supported.reserve(constraints.enumeration.size());
      for (const auto& allowed : constraints.enumeration) {
        supported.push_back(allowed.is_string() ? std::string(json::view(allowed.get_string())) : json::write(allowed));
      }
      errors_.not_supported(path, shown(*trail.value), supported);
    });
  }

  void check_string(const Constraints& constraints, const Trail& trail) {
    const std::string_view text = json::view(trail.value->get_string());
    // A character has at least one byte: short texts need no counting.
    if (text.size() > constraints.max_length && utf8_length(text) > constraints.max_length) {
      fault(trail, [&](const Path& path) { errors_.too_long(path, constraints.max_length); });
    }
    if (constraints.min_length > 0 && utf8_length(text) < constraints.min_length) {
      invalid(trail, [&] { return fmt::format("should be at least {} chars long", constraints.min_length); });
    }
    if (constraints.pattern && !matches(*constraints.pattern, text) && !exhausted_) {
      invalid(trail, [&] { return fmt::format("should match '{}'", constraints.pattern->pattern()); });
    }
  }

  bool matches(const re2::RE2& pattern, std::string_view text) {
    return spend(extra_bytes_to_match(pattern, text.size())) &&
           re2::RE2::PartialMatch(re2::StringPiece(text.data(), text.size()), pattern);
  }

  void check_number(const NumberRules& rules, long double number, const Trail& trail) {
    if (rules.minimum) {
      const long double bound = *rules.minimum;
      if (rules.exclusive_minimum ? number <= bound : number < bound) {
        const char* relation = rules.exclusive_minimum ? "greater than" : "greater than or equal to";
        invalid(trail, [&] { return fmt::format("should be {} {}", relation, static_cast<double>(bound)); });
      }
    }
    if (rules.maximum) {
      const long double bound = *rules.maximum;
      if (rules.exclusive_maximum ? number >= bound : number > bound) {
        const char* relation = rules.exclusive_maximum ? "less than" : "less than or equal to";
        invalid(trail, [&] { return fmt::format("should be {} {}", relation, static_cast<double>(bound)); });
      }
    }
    if (rules.multiple_of) {
      // Quotients of decimal fractions are never exact in binary (0.3 / 0.1): a tiny rest counts as none.
      const long double quotient = number / *rules.multiple_of;
      const long double rest = std::fabs(quotient - std::round(quotient));
      const bool whole = std::floor(number) == number && std::floor(*rules.multiple_of) == *rules.multiple_of;
      if (whole ? std::fmod(number, *rules.multiple_of) != 0 : rest > 1e-9L) {
        invalid(trail,
                [&] { return fmt::format("should be a multiple of {}", static_cast<double>(*rules.multiple_of)); });
      }
    }
  }

  template <typename Detail>
  void invalid(const Trail& trail, Detail detail) {
    fault(trail, [&](const Path& path) { errors_.invalid(path, shown(*trail.value), detail()); });
  }

  void required(const Trail& trail, std::string_view name) {
    fault(trail, [&](const Path& path) { errors_.required(path.member(name)); });
  }

  void check_object(const Trail& trail) {
    const SchemaNode& node = *trail.schema;
    const json::Object& object = trail.value->get_object();
    const Constraints* constraints = node.constraints;
    const JsonSchemaKeywords* extra = constraints != nullptr ? constraints->json_schema.get() : nullptr;
    if (constraints != nullptr) {
      // An object that has them all is at least as large; a short one must not cost a look-up for each.
      for (const auto& name : constraints->required) {
        if (!spend_look_up(name)) return;
        if (!object.contains(name)) required(trail, name);
      }
      if (object.size() > constraints->max_properties) {
        fault(trail, [&](const Path& path) { errors_.too_many(path, object.size(), constraints->max_properties); });
      }
      if (object.size() < constraints->min_properties) {
        invalid(trail, [&] { return fmt::format("should have at least {} properties", constraints->min_properties); });
      }
    }
    if (node.has(kEmbeddedResource)) check_embedded(trail);
    const bool describes_members = extra != nullptr || !node.properties.empty() || node.additional != nullptr;
    if (!describes_members || !spend(object.size())) return;
    for (const auto& member : object) {
      const std::string_view name = member.key();
      if (extra != nullptr) {
        check_json_member(*extra, trail, name, member.value());
      } else if (const SchemaNode* known = node.member(name)) {
        check(trail.member(name, *known, member.value()));
      }
    }
    if (extra != nullptr) check_dependencies(*extra, trail);
  }

  void check_json_member(const JsonSchemaKeywords& extra, const Trail& trail, std::string_view name,
                         const json::Value& value) {
    constexpr size_t kStepsPerMatch = 16;
    const SchemaNode* known = trail.schema->property(name);
    bool matched = known != nullptr;
    if (known != nullptr) check(trail.member(name, *known, value));
    for (const auto& [pattern, node] : extra.pattern_properties) {
      if (!spend(kStepsPerMatch + name.size() / kBytesPerStep)) return;
      if (!matches(*pattern, name)) continue;
      matched = true;
      check(trail.member(name, *node, value));
    }
    if (!matched && trail.schema->additional != nullptr) {
      check(trail.member(name, *trail.schema->additional, value));
    } else if (!matched && extra.closed) {
      fault(trail, [&](const Path& path) { errors_.forbidden(path.member(name), "is not a known property"); });
    }
    if (extra.property_names != nullptr) {
      const json::Value as_value(boost::json::string_view(name.data(), name.size()));
      if (!holds(*extra.property_names, as_value)) {
        fault(trail, [&](const Path& path) {
          errors_.invalid(path.member(name), shown(as_value), "the name is not allowed");
        });
      }
    }
  }

  void check_dependencies(const JsonSchemaKeywords& extra, const Trail& trail) {
    const json::Object& object = trail.value->get_object();
    for (const auto& [name, needed] : extra.required_with) {
      if (!spend_look_up(name)) return;
      if (!object.contains(name)) continue;
      for (const auto& other : needed) {
        if (!spend_look_up(other)) return;
        if (!object.contains(other)) required(trail, other);
      }
    }
    for (const auto& [name, node] : extra.schema_with) {
      if (!spend_look_up(name)) return;
      if (object.contains(name)) check_same(*node, trail);
    }
  }

  void check_embedded(const Trail& trail) {
    for (std::string_view name : {"apiVersion", "kind"}) {
      const json::Value* value = json::find(*trail.value, name);
      if (value == nullptr || (value->is_string() && value->get_string().empty())) {
        required(trail, name);
      } else if (!value->is_string()) {
        fault(trail, [&](const Path& path) { errors_.type_invalid(path.member(name), *value, "must be a string"); });
      }
    }
    const json::Value* metadata = json::find(*trail.value, "metadata");
    if (metadata == nullptr || !spend(json::memory_of(*metadata) / kBytesPerStep)) return;
    FieldErrors found;
    const std::string path = trail.path(base_).member("metadata").str();
    validate_metadata(*metadata, nullptr, found, {path, false});
    for (const auto& cause : found.causes()) {
      fault(trail, [&](const Path&) { errors_.add(cause); });
    }
  }

  void check_array(const Trail& trail) {
    const SchemaNode& node = *trail.schema;
    const json::Array& list = trail.value->get_array();
    const Constraints* constraints = node.constraints;
    size_t first = 0;
    if (constraints != nullptr) {
      if (list.size() > constraints->max_items) {
        fault(trail, [&](const Path& path) { errors_.too_many(path, list.size(), constraints->max_items); });
      }
      if (list.size() < constraints->min_items) {
        invalid(trail, [&] { return fmt::format("should have at least {} items", constraints->min_items); });
      }
      if (constraints->json_schema) first = check_json_array(*constraints->json_schema, trail);
    }
    for (size_t i = first; node.items != nullptr && i < list.size(); ++i) check(trail.item(i, *node.items, list[i]));
    if (node.list_type == ListType::kSet) {
      check_unique(trail, [](const json::Value& item) { return json::write(item); });
    } else if (node.list_type == ListType::kMap && node.strategy != nullptr) {
      check_unique(trail, [&](const json::Value& item) { return map_key(item, node); });
    }
  }

  // The number of items that the tuple has taken.
  size_t check_json_array(const JsonSchemaKeywords& extra, const Trail& trail) {
    const json::Array& list = trail.value->get_array();
    const size_t taken = std::min(extra.tuple.size(), list.size());
    for (size_t i = 0; i < taken; ++i) check(trail.item(i, *extra.tuple[i], list[i]));
    if (extra.unique_items) check_unique(trail, [](const json::Value& item) { return json::write(item); });
    if (extra.contains != nullptr) {
      bool found = false;
      for (const auto& item : list) found = found || holds(*extra.contains, item);
      if (!found) invalid(trail, [] { return std::string("should contain an item that the schema asks for"); });
    }
    return taken;
  }

  template <typename Key>
  void check_unique(const Trail& trail, Key key) {
    const json::Array& list = trail.value->get_array();
    if (list.size() < 2) return;  // no need to make keys
    constexpr size_t kStepsPerKey = 8;
    std::set<std::string> seen;  // no hash table: the client chooses the keys, and could choose those of one hash
    for (size_t i = 0; i < list.size(); ++i) {
      auto text = key(list[i]);
      if (!spend(kStepsPerKey + text.size() / kBytesPerStep)) return;
      if (seen.insert(std::move(text)).second) continue;
      fault(trail, [&](const Path& path) { errors_.duplicate(path.index(i), shown(list[i])); });
    }
  }

  // Another schema for the same value.
  void check_same(const SchemaNode& node, const Trail& trail) {
    Trail same = trail;
    same.schema = &node;
    check(same);
  }

  bool holds(const SchemaNode& node, const json::Value& value) { return holds(node, Trail{&node, &value}); }

  bool holds(const SchemaNode& node, const Trail& trail) {
    const bool was_quiet = std::exchange(quiet_, true);
    auto* old = std::exchange(old_, nullptr);
    const size_t before = faults_;
    check_same(node, trail);
    const bool held = faults_ == before;
    faults_ = before;
    old_ = old;
    quiet_ = was_quiet;
    return held;
  }

  void check_composition(const Composition& composition, const Trail& trail) {
    size_t failed = 0;
    for (const SchemaNode* node : composition.all_of) {
      const size_t before = faults_;
      check_same(*node, trail);
      if (faults_ != before) ++failed;
    }
    if (failed > 0) composition_fault(trail, "must validate all the schemas (allOf)");
    if (!composition.any_of.empty() && count_held(composition.any_of, trail, 1) == 0) {
      composition_fault(trail, "must validate at least one schema (anyOf)");
      check_same(*composition.any_of[0], trail);
    }
    if (!composition.one_of.empty()) {
      const size_t held = count_held(composition.one_of, trail, composition.one_of.size());
      if (held != 1) {
        composition_fault(trail, held == 0 ? "must validate one and only one schema (oneOf), none is valid"
                                           : "must validate one and only one schema (oneOf), several are valid");
      }
      if (held == 0) check_same(*composition.one_of[0], trail);
    }
    if (composition.not_node != nullptr && holds(*composition.not_node, trail)) {
      composition_fault(trail, "must not validate the schema (not)");
    }
  }

  void check_references(const JsonSchemaKeywords& extra, const Trail& trail) {
    if (extra.ref != nullptr) check_same(*extra.ref, trail);
    if (extra.condition == nullptr) return;
    const SchemaNode* branch = holds(*extra.condition, trail) ? extra.then_node : extra.else_node;
    if (branch != nullptr) check_same(*branch, trail);
  }

  size_t count_held(const std::vector<const SchemaNode*>& nodes, const Trail& trail, size_t enough) {
    size_t held = 0;
    for (const SchemaNode* node : nodes) {
      if (holds(*node, trail)) ++held;
      if (held == enough) break;
    }
    return held;
  }

  const Path& base_;
  OldDocument* old_;  // null: everything is new
  FieldErrors& errors_;
  Budget& budget_;
  bool hide_values_;
  const json::Value hidden_ = "";
  bool quiet_ = false;
  size_t faults_ = 0;
  int depth_ = 0;
  bool exhausted_ = false;
  size_t reported_bytes_ = 0;
};

}  // namespace

void validate(const SchemaNode& schema, const json::Value& value, const json::Value* old, const Path& path,
              FieldErrors& errors) {
  Budget budget;
  validate(schema, value, old, path, errors, budget);
}

void validate(const SchemaNode& schema, const json::Value& value, const json::Value* old, const Path& path,
              FieldErrors& errors, Budget& budget) {
  std::optional<OldDocument> before;
  if (old != nullptr) before.emplace(*old);
  Validator validator(path, before ? &*before : nullptr, errors, budget);
  validator.check(Trail{&schema, &value});
  if (validator.exhausted()) errors.invalid(path, "", "the schema leads in circles or costs too much to check");
}

bool validate_hiding_values(const SchemaNode& schema, const json::Value& value, const Path& path, FieldErrors& errors) {
  Budget budget;
  Validator validator(path, nullptr, errors, budget, true);
  validator.check(Trail{&schema, &value});
  return !validator.exhausted();
}

}  // namespace chandler::meta
