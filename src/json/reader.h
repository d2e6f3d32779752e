// Strict JSON reading: RFC 8259, valid UTF-8, bounded depth, and duplicate keys are seen (the last one wins, as in Go).
#pragma once

#include <string>
#include <string_view>
#include <vector>

#include "base/result.h"
#include "json/value.h"

namespace chandler::json {

struct ReadOptions {
  size_t max_depth = 128;
  Storage storage = {};  // where the values live; default heap
};

struct ReadReport {
  // Paths of keys that occurred more than once: "data.a", "spec.ports[0].name". Only the first ones when there are more
  // than 256 KiB of them.
  std::vector<std::string> duplicates;
};

// Integers that fit stay 64-bit integers, everything else is a double. Errors say what and at which offset.
Result<Value> parse(std::string_view text, const ReadOptions& options = {}, ReadReport* report = nullptr);

}  // namespace chandler::json
