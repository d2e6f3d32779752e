#include "svcat/catalog/parameter_sources.h"

#include "base/text.h"
#include "json/writer.h"
#include "svcat/output/table.h"

namespace chandler::svcat {
namespace {

std::vector<std::string> steps_of(std::string_view pointer) {
  std::vector<std::string> steps;
  if (pointer.starts_with('/')) pointer.remove_prefix(1);
  for (const auto piece : split(pointer, '/')) {
    std::string step;
    for (size_t i = 0; i < piece.size(); ++i) {
      if (piece[i] == '~' && i + 1 < piece.size()) {
        step += piece[++i] == '1' ? '/' : '~';
      } else {
        step += piece[i];
      }
    }
    steps.push_back(std::move(step));
  }
  return steps;
}

}  // namespace

std::string path_of_pointer(std::string_view pointer) { return join(steps_of(pointer), "."); }

const json::Value* at_pointer(const json::Value& document, std::string_view pointer) {
  const json::Value* at = &document;
  for (const auto& step : steps_of(pointer)) {
    at = json::find(*at, step);
    if (at == nullptr) return nullptr;
  }
  return at;
}

void print_parameter_table(Call& call, const ParameterSources& what) {
  Table table(call.out(), {{"PARAMETER"}, {"VALUE", true}, {"SOURCE"}}, call.style());
  for (const auto& [pointer, source] : what.sources) {
    const auto* value = at_pointer(what.parameters, pointer);
    if (value == nullptr) continue;
    const auto named = what.names.find(source);
    table.add({path_of_pointer(pointer),
               value->is_string() ? std::string(json::view(value->get_string())) : json::write(*value),
               named == what.names.end() ? source : named->second});
  }
  table.flush();
}

}  // namespace chandler::svcat
