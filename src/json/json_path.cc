#include "json/json_path.h"

#include <algorithm>

#include "base/text.h"
#include "json/json_path_program.h"

namespace chandler::json {

struct JsonPath::Program {
  PathExpression path;
  std::vector<std::string> names;  // empty unless the path is simple
};

JsonPath::JsonPath(std::unique_ptr<Program> program) : program_(std::move(program)) {}
JsonPath::JsonPath(JsonPath&&) noexcept = default;
JsonPath& JsonPath::operator=(JsonPath&&) noexcept = default;
JsonPath::~JsonPath() = default;

Result<JsonPath> JsonPath::parse(std::string_view path) {
  path = trim(path);
  if (path.starts_with('{') && path.ends_with('}')) path = trim(path.substr(1, path.size() - 2));
  auto program = std::make_unique<Program>();
  CH_TRY_LET(compiled, parse_path(path));
  program->path = std::move(compiled);
  const auto& steps = program->path.steps;
  const auto is_name = [](const PathStep& step) { return step.kind == PathStep::Kind::kName; };
  if (std::all_of(steps.begin(), steps.end(), is_name)) {
    for (const PathStep& step : steps) program->names.push_back(step.name);
  }
  return JsonPath(std::move(program));
}

std::vector<const Value*> JsonPath::find(const Value& document) const {
  size_t visits_left = kMaxPathVisits;
  return find(document, visits_left);
}

std::vector<const Value*> JsonPath::find(const Value& document, size_t& visits_left) const {
  return walk_path(program_->path, document, document, visits_left);
}

bool JsonPath::is_simple() const { return !program_->names.empty(); }
const std::vector<std::string>& JsonPath::names() const { return program_->names; }

}  // namespace chandler::json
