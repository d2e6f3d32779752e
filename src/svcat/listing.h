// What every `get` has in common: pages printed as they arrive, all forms of output, and --watch. A command says where
// its objects are and what a row of its table holds.
#pragma once

#include <functional>
#include <string>
#include <vector>

#include "svcat/call.h"
#include "svcat/output/format.h"
#include "svcat/output/table.h"

namespace chandler::svcat {

struct Source {
  const Kind& kind;
  std::string ns;  // "": all
  FieldValues fields{};
};

enum class Verdict { kShow, kSkip, kLater };

struct Listing {
  std::vector<Column> columns{};
  std::vector<Column> wide_columns{};                                   // after the others, with -o wide
  std::function<Row(const json::Value& object, bool wide)> row{};       // as many cells as columns
  std::function<Verdict(const json::Value& object)> judge{};            // none: everything is shown
  std::function<Result<bool>(const json::Value& object)> judge_late{};  // of kLater, when all others are known
  // Of a list that came in one piece.
  std::function<void(std::vector<json::Value>& items)> arrange{};
  std::string nothing{};  // what to say when there is nothing to show
};

Result<int> run_listing(Call& call, const std::vector<Source>& sources, const Listing& listing);
// For `get NOUN NAME`.
Result<int> show_one(Call& call, const json::Value& object, const Listing& listing);

}  // namespace chandler::svcat
