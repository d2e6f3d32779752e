#include <algorithm>
#include <optional>

#include <fmt/format.h>

#include "base/text.h"
#include "cel/evaluator.h"
#include "cel/rule.h"

namespace chandler::cel {
namespace {

using meta::Path;

// The root has no name; the API tells it so.
Path named(const Path& path) { return path.str().empty() ? Path("<nil>") : path; }

// Types as messages name them instead of values.
std::string type_word(const meta::SchemaNode& node) {
  return node.has(meta::kIntOrString) ? "integer or string" : node.type_names();
}

// A value and what it was before: what did not change may go on breaking a rule that came later.
struct Pair {
  const json::Value& now;
  const json::Value* before;
  std::optional<bool> same;

  bool is_same() {
    if (!same) same = json::equal(now, *before);
    return *same;
  }
};

class RuleCheck {
 public:
  RuleCheck(bool update, meta::FieldErrors& errors) : update_(update), errors_(errors) {}

  // `old` is the value at the same place before; null when there was none, or none that can be told. `above` is the
  // nearest place around it that can be told; null when there is none.
  void visit(const RulePlace& place, const json::Value& value, const json::Value* old, const Path& path, Pair* above) {
    if (stopped_ || value.is_null()) return;
    if (old != nullptr && old->is_null()) old = nullptr;
    Pair own{value, old, std::nullopt};
    Pair* nearest = old != nullptr ? &own : above;
    for (const auto& rule : place.rules) {
      if (stopped_) return;
      check(rule, place, value, old, path, nearest);
    }
    if (const auto* object = value.if_object()) {
      visit_members(place, *object, old == nullptr || place.schema->has(meta::kAtomicMap) ? nullptr : old->if_object(),
                    path, nearest);
    }
    if (const auto* list = value.if_array(); list != nullptr && place.items != nullptr) {
      visit_items(place, *list, old == nullptr ? nullptr : old->if_array(), path, nearest);
    }
  }

 private:
  void visit_members(const RulePlace& place, const json::Object& object, const json::Object* old, const Path& path,
                     Pair* nearest) {
    for (const auto& member : object) {
      const std::string_view name = member.key();
      const RulePlace* below = nullptr;
      bool key = false;
      if (const auto found = place.properties.find(name); found != place.properties.end()) {
        below = found->second.get();
      } else if (place.additional != nullptr) {
        below = place.additional.get();
        key = true;
      }
      if (below == nullptr) continue;
      const auto* before = old == nullptr ? nullptr : old->if_contains(name);
      visit(*below, member.value(), before, key ? path.key(name) : path.member(name), nearest);
    }
  }

  void visit_items(const RulePlace& place, const json::Array& list, const json::Array* old, const Path& path,
                   Pair* nearest) {
    const bool keyed = place.schema->list_type == meta::ListType::kMap && place.schema->strategy != nullptr;
    std::map<std::string, const json::Value*> before;
    if (old != nullptr && keyed) {
      for (const auto& item : *old) before.emplace(key_of(place, item), &item);
    }
    for (size_t i = 0; i < list.size(); ++i) {
      const json::Value* same = nullptr;
      if (!before.empty()) {
        if (const auto found = before.find(key_of(place, list[i])); found != before.end()) same = found->second;
      }
      visit(*place.items, list[i], same, path.index(i), nearest);
    }
  }

  static std::string key_of(const RulePlace& place, const json::Value& item) {
    json::Array key;
    for (const auto& name : place.schema->strategy->map_keys) {
      const auto* part = json::find(item, name);
      key.push_back(part == nullptr ? json::Value() : *part);
    }
    return boost::json::serialize(key);
  }

  void check(const Rule& rule, const RulePlace& place, const json::Value& value, const json::Value* old,
             const Path& path, Pair* nearest) {
    // On an update a rule with an optional old value runs also where there was none before, and on a creation.
    if (rule.uses_old && !rule.optional_old && old == nullptr) return;
    auto outcome = run(rule, rule.program, place, value, old);
    if (outcome.ok() && outcome->is(Kind::kBool) && outcome->as_bool()) return;
    const bool over = !outcome.ok() && outcome.error().over_budget;
    if (!over && update_ && !rule.uses_old && nearest != nullptr && nearest->is_same()) return;  // was so before
    if (over) {
      stopped_ = true;
      errors_.invalid(
          named(path), type_word(*place.schema),
          fmt::format("no further validation rules are run: the cost limit was reached by rule: {}", rule.text));
    } else if (!outcome.ok()) {
      errors_.invalid(named(path), type_word(*place.schema),
                      fmt::format("{} evaluation error for rule: {}", outcome.error().message, rule.text));
    } else {
      report(rule, place, value, old, path);
    }
  }

  Outcome run(const Rule& rule, const Program& program, const RulePlace& place, const json::Value& value,
              const json::Value* old) {
    if (spent_ >= kObjectBudget) return Meter::over();
    std::vector<Value> slots(program.slots);
    CH_TRY_LET(self, Value::of(value, place.schema));
    slots[0] = std::move(self);
    if (rule.uses_old) {
      Value before;
      if (old != nullptr) {
        CH_TRY_LET(read, Value::of(*old, place.schema));
        before = std::move(read);
      }
      slots[1] = !rule.optional_old ? before : old == nullptr ? Value::none() : Value::some(std::move(before));
    }
    Meter meter(std::min(kCallBudget, kObjectBudget - spent_));
    auto outcome = evaluate(*program.expression, slots, meter);
    spent_ += meter.spent() + 1;  // `true` takes time too
    // A text may be part of what goes out of scope here, so it is copied by who wants to keep it.
    return outcome;
  }

  std::string message_of(const Rule& rule, const RulePlace& place, const json::Value& value, const json::Value* old) {
    if (rule.message_program.expression != nullptr) {
      const auto made = run(rule, rule.message_program, place, value, old);
      constexpr size_t kMaxMessage = 5 * 1024;
      if (made.ok() && made->is(Kind::kString)) {
        const auto text = trim(made->text());
        if (!text.empty() && text.size() <= kMaxMessage && text.find('\n') == std::string_view::npos) {
          return std::string(text);
        }
      }
    }
    return rule.message.empty() ? "failed rule: " + rule.text : rule.message;
  }

  void report(const Rule& rule, const RulePlace& place, const json::Value& value, const json::Value* old, Path path) {
    const std::string detail = message_of(rule, place, value, old);
    const meta::SchemaNode* node = place.schema;
    for (const auto& name : rule.field_path) {
      const bool property = node != nullptr && node->property(name) != nullptr;
      path = property ? path.member(name) : path.key(name);
      node = node == nullptr ? nullptr : node->member(name);
    }
    path = named(path);
    const std::string type = node == nullptr ? "object" : type_word(*node);
    if (rule.reason == "FieldValueForbidden") return errors_.forbidden(path, detail);
    if (rule.reason == "FieldValueRequired") return errors_.required(path, detail);
    if (rule.reason == "FieldValueDuplicate") return errors_.duplicate(path, json::Value(type));
    errors_.invalid(path, type, detail);
  }

  const bool update_;
  meta::FieldErrors& errors_;
  uint64_t spent_ = 0;
  bool stopped_ = false;
};

}  // namespace

void check_place(const RulePlace& place, const json::Value& value, const json::Value* old, const Path& path,
                 meta::FieldErrors& errors) {
  RuleCheck(old != nullptr, errors).visit(place, value, old, path, nullptr);
}

void check_rules(const SchemaRules& rules, const json::Value& object, const json::Value* old,
                 meta::FieldErrors& errors) {
  check_place(rules.root(), object, old, Path(), errors);
}

}  // namespace chandler::cel
