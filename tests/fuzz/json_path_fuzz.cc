// A path or a template, over a document that has everything: never crashes, never works without end.
#include "json/json_path.h"
#include "json/reader.h"

using namespace chandler::json;

extern "C" int LLVMFuzzerTestOneInput(const uint8_t* data, size_t size) {
  static const Value document =
      parse(R"({"a":{"b":[{"c":1,"d":"x"},{"c":2.5,"d":null},[0,1,[2]]],"e.f":true},"g":[[],{},"h"]})").value();
  const std::string_view text(reinterpret_cast<const char*>(data), size);
  if (const auto path = JsonPath::parse(text); path.ok()) (void)path->find(document);
  if (const auto compiled = JsonPathTemplate::parse(text); compiled.ok()) (void)compiled->render(document);
  return 0;
}
