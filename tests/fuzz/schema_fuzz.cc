// First half of the input: a schema; second half: a value. Once as a CRD's schema, once as a broker's.
#include <cstdint>
#include <string_view>

#include "base/check.h"
#include "json/reader.h"
#include "meta/schema.h"

extern "C" int LLVMFuzzerTestOneInput(const uint8_t* data, size_t size) {
  using namespace chandler;
  const std::string_view text(reinterpret_cast<const char*>(data), size);
  const auto document = json::parse(text.substr(0, size / 2));
  const auto given = json::parse(text.substr(size / 2));
  if (!document.ok() || !given.ok()) return 0;
  for (const bool structural : {true, false}) {
    meta::CompileOptions options;
    options.structural = structural;
    meta::FieldErrors errors;
    const auto schema = meta::compile_schema(*document, meta::Path("s"), options, errors);
    CH_CHECK((schema == nullptr) == !errors.empty());
    if (schema == nullptr) continue;
    json::Value value = *given;
    meta::prune(*schema, value, nullptr);
    meta::apply_defaults(*schema, value);
    std::vector<std::string> unknown;
    meta::prune(*schema, value, &unknown);
    CH_CHECK(unknown.empty());
    meta::validate(*schema, value, nullptr, meta::Path(), errors);
    meta::FieldErrors unchanged;
    meta::validate(*schema, value, &value, meta::Path(), unchanged);
    (void)meta::first_type_mismatch(*schema, value);
  }
  return 0;
}
