// The JSONPath dialect of Kubernetes, as used by printer columns, selectable fields and -o jsonpath: .a.b, ['a.b'],
// [0],
// [-1], [0:2], [*], .*, ..name, [?(@.type=="Ready")].status, and template text with {...}. Compiled once, then
// evaluated.
#pragma once

#include <memory>
#include <string>
#include <string_view>
#include <vector>

#include "base/result.h"
#include "json/value.h"

namespace chandler::json {

class JsonPath {
 public:
  // A bare path: ".spec.x", "spec.x", "{.spec.x}", "$.spec.x".
  static Result<JsonPath> parse(std::string_view path);
  JsonPath(JsonPath&&) noexcept;
  JsonPath& operator=(JsonPath&&) noexcept;
  ~JsonPath();

  // All values the path leads to, in document order; missing members lead nowhere (no error).
  std::vector<const Value*> find(const Value& document) const;
  // The same, but what lies beyond `visits_left` places is not found. The visits that the search used are taken off:
  // one for each place and one for each step that led nowhere.
  std::vector<const Value*> find(const Value& document, size_t& visits_left) const;
  // True for a plain chain of member names such as .spec.free; `names` gives them.
  bool is_simple() const;
  const std::vector<std::string>& names() const;

 private:
  struct Program;
  explicit JsonPath(std::unique_ptr<Program> program);
  std::unique_ptr<Program> program_;
};

// A template as for `-o jsonpath=`: text, {.path}, {range .items[*]}...{end}, {"\n"}.
class JsonPathTemplate {
 public:
  static Result<JsonPathTemplate> parse(std::string_view text);
  JsonPathTemplate(JsonPathTemplate&&) noexcept;
  JsonPathTemplate& operator=(JsonPathTemplate&&) noexcept;
  ~JsonPathTemplate();
  std::string render(const Value& document) const;

 private:
  struct Program;
  explicit JsonPathTemplate(std::unique_ptr<Program> program);
  std::unique_ptr<Program> program_;
};

}  // namespace chandler::json
