// Lines of JSON are layers of parameters. Merging never crashes, every leaf has a source, and the highest layer merged
// again changes nothing.
#include <cstdint>
#include <string_view>
#include <vector>

#include "base/check.h"
#include "base/text.h"
#include "json/reader.h"
#include "json/writer.h"
#include "resolve/combine_parameters.h"
#include "resolve/merge_parameters.h"
#include "resolve/parameter_checksum.h"
#include "resolve/parameter_schema.h"

namespace {

using namespace chandler;

size_t count_leaves(const json::Value& value, bool is_root) {
  const auto* object = value.if_object();
  if (object == nullptr || object->empty()) return is_root ? 0 : 1;
  size_t leaves = 0;
  for (const auto& member : *object) leaves += count_leaves(member.value(), false);
  return leaves;
}

}  // namespace

extern "C" int LLVMFuzzerTestOneInput(const uint8_t* data, size_t size) {
  std::vector<json::Value> values;
  for (const auto line : split({reinterpret_cast<const char*>(data), size}, '\n')) {
    auto value = json::parse(line);
    if (value.ok() && values.size() < 4) values.push_back(std::move(*value));
  }
  std::vector<resolve::ParameterLayer> layers;
  for (const auto& value : values) layers.push_back({"Layer" + std::to_string(layers.size()), &value});
  const auto merged = resolve::merge_parameters(layers, {"s"});
  if (!merged.ok()) return 0;
  CH_CHECK(count_leaves(merged->value, true) == merged->sources.size());
  if (!layers.empty()) {
    const resolve::ParameterLayer again[] = {{"Merged", &merged->value}, layers.back()};
    const auto twice = resolve::merge_parameters(again);
    CH_CHECK(twice.ok() && json::equal(twice->value, merged->value));
    (void)resolve::validate_parameters(values.front(), merged->value);
  }
  std::vector<resolve::SecretParameters> secrets;
  for (const auto& value : values) secrets.push_back({"secret", value});
  if (const auto combined = resolve::combine_parameters(nullptr, secrets); combined.ok()) {
    CH_CHECK(combined->value.get_object().size() == combined->redacted.get_object().size());
    (void)resolve::parameters_digest(combined->value);
  }
  return 0;
}
