// YAML 1.1 in and out, as Kubernetes understands it (yes/no/on/off are booleans, keys become strings, merge keys and
// anchors work, alias expansion is bounded). JSON is a subset.
#pragma once

#include <string>
#include <string_view>
#include <vector>

#include "base/result.h"
#include "json/reader.h"
#include "json/value.h"

namespace chandler::json {

// The first document of the stream; null for an empty one.
Result<Value> parse_yaml(std::string_view text, const ReadOptions& options = {}, ReadReport* report = nullptr);
// Every document; empty ones are left out.
Result<std::vector<Value>> parse_yaml_stream(std::string_view text, const ReadOptions& options = {});
// Block style, keys sorted, strings quoted when they would read as something else.
std::string write_yaml(const Value& value);

}  // namespace chandler::json
