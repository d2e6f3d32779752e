#include "apiserver/table.h"

#include <algorithm>
#include <string_view>

#include "apiserver/cells.h"
#include "apiserver/cells/reading.h"
#include "json/writer.h"

namespace chandler::apiserver {
namespace {

using registry::Column;

json::Object definition(std::string_view name, std::string_view type, std::string_view format,
                        std::string_view description, int priority) {
  return {{"name", name}, {"type", type}, {"format", format}, {"description", description}, {"priority", priority}};
}

bool has_name_column(const registry::Version& version) {
  return std::any_of(version.columns.begin(), version.columns.end(),
                     [](const Column& column) { return column.name == "Name"; });
}

std::string as_text(const json::Value& value) {
  return value.is_string() ? std::string(json::view(value.get_string())) : json::write(value);
}

json::Value as_integer(const json::Value& value) {
  if (value.is_int64() || value.is_uint64()) return value;
  if (value.is_double()) {
    constexpr double kLimit = 9223372036854775808.0;
    const double number = value.get_double();
    if (number >= -kLimit && number < kLimit) return static_cast<int64_t>(number);
  }
  return nullptr;
}

// The value at the column's path in the column's type; null where it has another type.
json::Value typed(const Column& column, const json::Value& value, WallTime now) {
  if (column.type == "integer") return as_integer(value);
  if (column.type == "number") return value.is_number() ? value : json::Value();
  if (column.type == "boolean") return value.is_bool() ? value : json::Value();
  if (column.type == "date")
    return json::Value(cells::age(value.is_string() ? json::view(value.get_string()) : "", now));
  // Some columns of Kubernetes' own kinds call themselves strings and show counts; their fallback tells them apart.
  if (value.is_number() && column.fallback.is_number()) return value;
  return json::Value(as_text(value));
}

// What the paths of a row may visit together. In proportion to the object: paths such as ..*..* lead to each place many
// times, and a table has many rows.
size_t visits_for(const json::Value& object) {
  constexpr size_t kAtLeast = 10'000;
  constexpr size_t kBytesPerVisit = 2;
  return kAtLeast + json::memory_of(object) / kBytesPerVisit;
}

// Once no visits are left, cells are empty.
json::Value cell(const Column& column, const json::Value& object, WallTime now, size_t& visits_left) {
  if (!column.computed.empty()) {
    const auto compute = find_cell(column.computed);
    return compute == nullptr ? json::Value() : compute(object, now);
  }
  if (column.path && visits_left > 0) {
    const auto found = column.path->find(object, visits_left);
    if (!found.empty() && !found.front()->is_null()) {
      auto value = typed(column, *found.front(), now);
      constexpr size_t kBytesPerVisit = 16;  // of text: many columns may show the same large part
      if (value.is_string()) visits_left -= std::min(visits_left, value.get_string().size() / kBytesPerVisit);
      return value;
    }
  }
  if (column.fallback.is_null() && column.type == "date") return "<unknown>";
  return column.fallback;
}

json::Array cells_of(const registry::Version& version, const json::Value& object, WallTime now) {
  json::Array out;
  if (!has_name_column(version)) out.emplace_back(cells::text_at(object, {"metadata", "name"}));
  if (version.columns.empty()) out.push_back(find_cell("age")(object, now));
  size_t visits_left = visits_for(object);
  for (const auto& column : version.columns) out.push_back(cell(column, object, now, visits_left));
  return out;
}

// Clients leave rows of ended Pods out of some views; these conditions tell them which.
json::Array row_conditions(const registry::Version& version, const json::Value& object) {
  const bool is_pod = std::any_of(version.columns.begin(), version.columns.end(),
                                  [](const Column& column) { return column.computed == "pod-status"; });
  const auto phase = cells::text_at(object, {"status", "phase"});
  if (!is_pod || (phase != "Succeeded" && phase != "Failed")) return {};
  const auto* message = phase == "Succeeded" ? "All containers have ended well." : "A container has failed.";
  json::Array out;
  out.push_back(json::Object{{"type", "Completed"}, {"status", "True"}, {"reason", phase}, {"message", message}});
  return out;
}

json::Value row_object(const Output& output, const json::Value& object) {
  switch (output.include) {
    case Output::Include::kNone:
      return nullptr;
    case Output::Include::kObject:
      return object;
    case Output::Include::kMetadata:
      break;
  }
  // Rows are for looking at; who owns which field would be a third of the bytes, and nobody looks for it here.
  auto out = partial_metadata(output, object);
  if (auto* metadata = json::find(out, "metadata"); metadata != nullptr && metadata->is_object()) {
    metadata->get_object().erase("managedFields");
  }
  return out;
}

std::string api_version(const Output& output) { return "meta.k8s.io/" + output.shape_version; }

}  // namespace

json::Array table_columns(const registry::Version& version) {
  json::Array out;
  if (!has_name_column(version)) {
    out.push_back(definition("Name", "string", "name", "Name of the object; unique within its namespace.", 0));
  }
  if (version.columns.empty()) out.push_back(definition("Age", "date", "", "Time since the object was created.", 0));
  for (const auto& column : version.columns) {
    out.push_back(definition(column.name, column.type, column.format, column.description, column.priority));
  }
  return out;
}

json::Value table_row(const registry::Version& version, const Output& output, const json::Value& object, WallTime now) {
  json::Object row{{"cells", cells_of(version, object, now)}};
  if (auto conditions = row_conditions(version, object); !conditions.empty()) row["conditions"] = std::move(conditions);
  row["object"] = row_object(output, object);
  return row;
}

json::Value make_table(const Output& output, json::Array columns, json::Array rows, json::Object list_metadata) {
  json::Object table{{"kind", "Table"}, {"apiVersion", api_version(output)}, {"metadata", std::move(list_metadata)}};
  table["columnDefinitions"] = columns.empty() ? json::Value() : json::Value(std::move(columns));  // null: as before
  table["rows"] = std::move(rows);
  return table;
}

json::Value partial_metadata(const Output& output, const json::Value& object) {
  json::Object out{{"kind", "PartialObjectMetadata"}, {"apiVersion", api_version(output)}};
  const auto* metadata = json::find(object, "metadata");
  out["metadata"] = metadata == nullptr ? json::Value(json::Object()) : *metadata;
  return out;
}

}  // namespace chandler::apiserver
