// Protobuf request bodies: never crashes, and what was decoded is a document that can be written and read again.
#include "base/check.h"
#include "json/reader.h"
#include "json/writer.h"
#include "meta/protobuf/decoder.h"

using namespace chandler;

extern "C" int LLVMFuzzerTestOneInput(const uint8_t* data, size_t size) {
  const auto document = meta::decode_protobuf({reinterpret_cast<const char*>(data), size});
  if (!document.ok()) {
    CH_CHECK(document.error().http() == 400 || document.error().http() == 415);
    return 0;
  }
  const std::string text = json::write(*document);
  const auto again = json::parse(text);
  CH_CHECK(again.ok());
  CH_CHECK(json::write(*again) == text);
  return 0;
}
