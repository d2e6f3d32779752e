#include "resolve/parameter_schema.h"

#include <cstdint>

#include <fmt/format.h>

#include "base/cut_text.h"
#include "base/text.h"
#include "base/visible_text.h"
#include "meta/field_error.h"
#include "meta/schema.h"
#include "meta/validate_hiding_values.h"
#include "resolve/choose_default.h"
#include "resolve/parameter_bounds.h"

namespace chandler::resolve {
namespace {

// Brokers may publish 64 KB; the rest is generosity. Nobody records the paths in a schema.
constexpr ParameterBounds kSchemaBounds{64, 20'000, 512 * 1024, SIZE_MAX};
// Of a path or a rule in a message.
constexpr size_t kMaxShown = 300;

// The broker wrote the schema, so what is quoted of it is made visible.
std::string cut(std::string_view text) { return shorten(visible_text(text), kMaxShown); }

std::string_view without_prefix(std::string_view text, std::string_view prefix) {
  if (text.starts_with(prefix)) text.remove_prefix(prefix.size());
  return text;
}

// The demand of a cause whose value is hidden: what follows the (empty) value.
std::string rule_of(const Cause& cause) {
  if (cause.reason == "FieldValueRequired") return "is required";
  if (cause.reason == "FieldValueDuplicate") return "must not occur twice in the list";
  std::string_view rule = cause.message;
  for (std::string_view prefix : {R"(Invalid value: "": )", R"(Unsupported value: "": )", "Forbidden: "}) {
    rule = without_prefix(rule, prefix);
  }
  return cut(rule);
}

}  // namespace

ParameterCheck validate_parameters(const json::Value& schema, const json::Value& parameters, std::string_view root) {
  ParameterCheck check;
  if (schema.is_null()) return check;
  if (const auto bounded = check_bounds(schema, "the keywords of the schema", kSchemaBounds); !bounded.ok()) {
    check.schema_unusable = visible_text(bounded.error().message);
    return check;
  }
  meta::CompileOptions options;
  options.structural = false;
  meta::FieldErrors errors;
  const meta::SchemaPtr compiled = meta::compile_schema(schema, meta::Path("schema"), options, errors);
  if (compiled == nullptr) {
    std::vector<std::string> causes;
    for (const auto& cause : errors.causes()) causes.push_back(fmt::format("{}: {}", cause.field, cause.message));
    check.schema_unusable = visible_text(list_names(causes, 3));
    return check;
  }
  meta::FieldErrors faults;
  const json::Value none = json::Object();  // who gives no parameters gives none, not null
  if (!meta::validate_hiding_values(*compiled, parameters.is_null() ? none : parameters, meta::Path(root), faults)) {
    check.schema_unusable = "the schema leads in circles or costs too much to check";
    return check;
  }
  for (const auto& cause : faults.causes()) {
    ParameterFault fault{cut(cause.field), rule_of(cause)};
    if (check.faults.size() < kMaxParameterFaults) check.faults.push_back(std::move(fault));
  }
  return check;
}

std::string describe_faults(const std::vector<ParameterFault>& faults) {
  std::string text;
  for (size_t i = 0; i < faults.size(); ++i) {
    if (i == 10) return fmt::format("{}; and {} more", text, faults.size() - i);
    if (i > 0) text += "; ";
    text += fmt::format("{}: {}", faults[i].path, faults[i].rule);
  }
  return text;
}

}  // namespace chandler::resolve
