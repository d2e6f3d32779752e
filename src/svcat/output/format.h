// What -o asks for, and printing objects that way. Tables are the business of each command.
#pragma once

#include <ostream>
#include <string>
#include <utility>
#include <vector>

#include "base/result.h"
#include "json/value.h"

namespace chandler::svcat {

struct Format {
  enum class Form { kTable, kWide, kJson, kYaml, kName, kJsonPath, kCustomColumns };
  Form form = Form::kTable;
  std::string jsonpath;                                      // the template
  std::vector<std::pair<std::string, std::string>> columns;  // title, path

  bool is_table() const { return form == Form::kTable || form == Form::kWide; }
  bool is_wide() const { return form == Form::kWide; }
};

// Usage errors for what is no format, no template or no path.
Result<Format> parse_format(std::string_view text);

// One object, or a list of them (kind List unless all are of one kind, then that kind's list). Not for tables.
Result<void> print_object(std::ostream& out, const Format& format, const json::Value& object);
Result<void> print_list(std::ostream& out, const Format& format, std::vector<json::Value> objects);

}  // namespace chandler::svcat
