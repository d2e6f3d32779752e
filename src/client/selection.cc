#include "client/selection.h"

namespace chandler::client {

std::string field_selector(const std::vector<std::pair<std::string, std::string>>& fields) {
  std::string out;
  for (const auto& [field, value] : fields) {
    if (!out.empty()) out += ',';
    out.append(field).append("=");
    for (const char c : value) {
      if (c == '\\' || c == ',' || c == '=') out += '\\';
      out += c;
    }
  }
  return out;
}

Result<registry::Query> query_for(const registry::Kind& kind, const Selection& selection) {
  meta::FieldSelector fields;
  if (!selection.fields.empty()) {
    CH_TRY_LET(parsed, meta::FieldSelector::parse(field_selector(selection.fields)));
    fields = std::move(parsed);
  }
  return registry::Query::make(kind, kind.storage_version(), kind.namespaced ? selection.ns : "", {}, fields);
}

std::string_view field_value(const registry::Kind& kind, const registry::Document& document, std::string_view field) {
  if (field == "metadata.name") return document.name();
  if (field == "metadata.namespace") return document.ns();
  const auto& selectable = kind.storage_version().selectable;
  for (size_t i = 0; i < selectable.size(); ++i) {
    if (selectable[i].label == field) return document.field(i);
  }
  return {};
}

}  // namespace chandler::client
