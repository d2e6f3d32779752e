#include "apiserver/cells.h"

namespace chandler::apiserver {

Cell find_cell(std::string_view name) {
  constexpr std::span<const NamedCell> (*kLists[])() = {general_cells, workload_cells, pod_cells,
                                                        service_cells, storage_cells,  job_cells,
                                                        event_cells,   rbac_cells,     catalog_cells};
  for (const auto list : kLists) {
    for (const auto& entry : list()) {
      if (entry.name == name) return entry.cell;
    }
  }
  return nullptr;
}

}  // namespace chandler::apiserver
