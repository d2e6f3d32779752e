// The node graph of one YAML document as libyaml's events describe it: aliases point to the node that bears the anchor,
// so nothing is copied until the graph is turned into a Value. Owned by the reader, used on one thread.
#pragma once

#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "base/result.h"

namespace chandler::json {

struct YamlNode {
  enum class Kind { kScalar, kSequence, kMapping, kAlias };
  Kind kind = Kind::kScalar;
  bool plain = false;            // a scalar without quotes and without a tag
  std::string tag;               // as written and resolved; empty when there is none
  std::string text;              // of a scalar
  std::vector<size_t> children;  // elements; of a mapping key, value, key, value...; of an alias its target
  size_t line = 0;               // counted from 1
};

struct YamlDocument {
  std::vector<YamlNode> nodes;  // the root is the first
};

// Reads a stream document by document.
class YamlStream {
 public:
  YamlStream(std::string_view text, size_t max_depth);
  ~YamlStream();
  YamlStream(const YamlStream&) = delete;
  YamlStream& operator=(const YamlStream&) = delete;

  // The next document, nullopt at the end of the stream. Errors name the line.
  Result<std::optional<YamlDocument>> next();

 private:
  struct Parser;
  Parser* parser_;
};

Error yaml_error(size_t line, std::string_view what);

}  // namespace chandler::json
