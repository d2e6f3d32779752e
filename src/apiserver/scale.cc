#include "apiserver/scale.h"

namespace chandler::apiserver {
namespace {

registry::Column number_column(std::string_view name, std::string_view path, std::string_view description) {
  registry::Column column;
  column.name = name;
  column.type = "integer";
  column.description = description;
  auto parsed = json::JsonPath::parse(path);
  if (parsed.ok()) column.path = std::move(parsed).value();
  column.fallback = 0;
  return column;
}

}  // namespace

const registry::Version& scale_columns() {
  static const registry::Version version = [] {
    registry::Version out;
    out.name = "v1";
    out.columns.push_back(number_column("Desired", ".spec.replicas", "Number of replicas wanted."));
    out.columns.push_back(number_column("Available", ".status.replicas", "Number of replicas there are."));
    registry::Column age;
    age.name = "Age";
    age.type = "string";
    age.description = "Time since creation.";
    age.computed = "age";
    out.columns.push_back(std::move(age));
    return out;
  }();
  return version;
}

}  // namespace chandler::apiserver
