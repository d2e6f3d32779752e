#include "app/parameter_check.h"

#include "resolve/parameter_schema.h"

namespace chandler::app {

std::vector<std::string> check_parameters(const json::Value& schema, const json::Value& parameters) {
  std::vector<std::string> faults;
  for (const auto& fault : resolve::validate_parameters(schema, parameters).faults) {
    faults.push_back(fault.path + ": " + fault.rule);
  }
  return faults;
}

}  // namespace chandler::app
