// What a plain (unquoted) YAML scalar means under YAML 1.1 as Kubernetes' tools read it. Pure.
#pragma once

#include <cstdint>
#include <string_view>
#include <variant>

namespace chandler::json {

struct YamlNull {};
struct YamlText {};  // nothing else: the scalar is a string
// An integer that fits stays one; infinities and NaN come as double, for the caller to refuse.
using YamlScalar = std::variant<YamlText, YamlNull, bool, int64_t, uint64_t, double>;

YamlScalar resolve_yaml_scalar(std::string_view plain);

// True when some YAML reader would take the plain text for something other than a string: what the above knows, and
// dates and base-60 numbers, which we read as strings.
bool needs_yaml_quotes(std::string_view text);

}  // namespace chandler::json
