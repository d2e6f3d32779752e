// Three lines: a schema, a value, and an expression over it. The value need not fit the schema, as in an object that is
// older than its schema. Evaluation ends within its budget, whatever it is given.
#include <cstdint>
#include <string_view>

#include "base/check.h"
#include "cel/checker.h"
#include "cel/evaluator.h"
#include "json/reader.h"
#include "meta/schema.h"

extern "C" int LLVMFuzzerTestOneInput(const uint8_t* data, size_t size) {
  using namespace chandler;
  const std::string_view text(reinterpret_cast<const char*>(data), size);
  const size_t first = text.find('\n');
  const size_t second = first == std::string_view::npos ? first : text.find('\n', first + 1);
  if (second == std::string_view::npos) return 0;
  const auto document = json::parse(text.substr(0, first));
  const auto value = json::parse(text.substr(first + 1, second - first - 1));
  if (!document.ok() || !value.ok()) return 0;
  meta::FieldErrors errors;
  const auto schema = meta::compile_schema(*document, meta::Path("s"), {}, errors);
  if (schema == nullptr) return 0;
  const auto source = text.substr(second + 1);
  const auto parsed = cel::parse(source);
  const auto self = cel::schema_type(*schema, true);
  if (!parsed.ok() || self == nullptr) return 0;
  meta::Patterns patterns;
  const auto checked = cel::check(**parsed, source, {{"self", self}}, patterns);
  if (!checked.ok()) return 0;
  auto root = cel::Value::of(*value, schema.get());
  if (!root.ok()) return 0;
  std::vector<cel::Value> slots(checked->slots);
  slots[0] = *root;
  constexpr uint64_t kBudget = 20000;
  cel::Meter meter(kBudget);
  const auto outcome = cel::evaluate(**parsed, slots, meter);
  CH_CHECK(meter.spent() <= kBudget);
  CH_CHECK(outcome.ok() || !outcome.error().message.empty());
  return 0;
}
