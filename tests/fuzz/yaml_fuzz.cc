// YAML in: never crashes, and what was read is written as YAML that reads back as the same document.
#include "base/check.h"
#include "fuzz/budget/budget.h"
#include "json/writer.h"
#include "json/yaml.h"

using namespace chandler::json;

// The text is read three times and written once, and an alias of two bytes repeats what it stands for.
chandler::fuzz::Budget chandler::fuzz::target_budget() { return {.per_byte = 512}; }

extern "C" int LLVMFuzzerTestOneInput(const uint8_t* data, size_t size) {
  const std::string_view text(reinterpret_cast<const char*>(data), size);
  ReadReport report;
  (void)parse_yaml_stream(text);
  const auto value = parse_yaml(text, {}, &report);
  if (!value.ok()) return 0;
  const auto again = parse_yaml(write_yaml(*value));
  CH_CHECK(again.ok());
  CH_CHECK(write(*again) == write(*value));
  return 0;
}
