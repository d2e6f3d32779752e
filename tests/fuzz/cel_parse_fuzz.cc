// Any text as an expression: it is read or refused, and what is printed of it is read back as the same.
#include <cstdint>
#include <string_view>

#include "base/check.h"
#include "cel/expression.h"

extern "C" int LLVMFuzzerTestOneInput(const uint8_t* data, size_t size) {
  using namespace chandler;
  const auto parsed = cel::parse({reinterpret_cast<const char*>(data), size});
  if (!parsed.ok()) return 0;
  const auto printed = cel::print(**parsed);
  // Printing adds parentheses, so what nests near the bound may be beyond it when printed.
  if ((*parsed)->depth > cel::kMaxDepth / 8 || printed.size() > cel::kMaxSource) return 0;
  const auto again = cel::parse(printed);
  CH_CHECK(again.ok());
  CH_CHECK(cel::print(**again) == printed);
  return 0;
}
