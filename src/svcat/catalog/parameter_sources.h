// Parameters as a table: each value and who set it.
#pragma once

#include <map>
#include <string>

#include "json/value.h"
#include "svcat/call.h"

namespace chandler::svcat {

struct ParameterSources {
  json::Value parameters;                      // an object, complete
  std::map<std::string, std::string> sources;  // by JSON pointer
  // "Class" becomes "class azure-mysql", and so on.
  std::map<std::string, std::string> names;
};

void print_parameter_table(Call& call, const ParameterSources& what);

// "/firewall/name" as people write it: firewall.name
std::string path_of_pointer(std::string_view pointer);
// Null: nothing is there.
const json::Value* at_pointer(const json::Value& document, std::string_view pointer);

}  // namespace chandler::svcat
