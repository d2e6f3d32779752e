// JSON in: never crashes, and what was read is written in a form that reads back as the same bytes.
#include "base/check.h"
#include "json/reader.h"
#include "json/writer.h"

using namespace chandler::json;

extern "C" int LLVMFuzzerTestOneInput(const uint8_t* data, size_t size) {
  ReadReport report;
  const auto value = parse({reinterpret_cast<const char*>(data), size}, {}, &report);
  if (!value.ok()) return 0;
  const std::string once = write(*value);
  const auto again = parse(once, {}, &report);
  CH_CHECK(again.ok());
  CH_CHECK(write(*again) == once);
  CH_CHECK(write(parse(write_pretty(*value)).value()) == once);
  return 0;
}
