// Cells of server-side tables that a path cannot say, by the name that a column gives in `computed:`. api/COMPUTED.md
// specifies each of them. Pure functions of the document and the time.
#pragma once

#include <span>
#include <string_view>

#include "base/clock.h"
#include "json/value.h"

namespace chandler::apiserver {

using Cell = json::Value (*)(const json::Value& object, WallTime now);

// Null when there is no cell of that name.
Cell find_cell(std::string_view name);

struct NamedCell {
  std::string_view name;
  Cell cell;
};

// One list per file of cells/.
std::span<const NamedCell> general_cells();
std::span<const NamedCell> workload_cells();
std::span<const NamedCell> pod_cells();
std::span<const NamedCell> service_cells();
std::span<const NamedCell> storage_cells();
std::span<const NamedCell> job_cells();
std::span<const NamedCell> event_cells();
std::span<const NamedCell> rbac_cells();
std::span<const NamedCell> catalog_cells();

}  // namespace chandler::apiserver
