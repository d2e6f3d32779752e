#include "client/selection.h"

namespace chandler::client {
namespace {

// The key of a label that is written like a field; empty for other fields.
std::string_view label_key(std::string_view field) {
  return field.starts_with(kLabelField) ? field.substr(kLabelField.size()) : std::string_view();
}

}  // namespace

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
  std::string label_text;
  for (const auto& [field, value] : selection.fields) {
    const auto key = label_key(field);
    if (key.empty()) {
      fields.add_equal(field, value);
    } else {
      label_text.append(label_text.empty() ? "" : ",").append(key).append("=").append(value);
    }
  }
  meta::LabelSelector labels;
  if (!label_text.empty()) {
    CH_TRY_LET(parsed, meta::LabelSelector::parse(label_text));
    labels = std::move(parsed);
  }
  return registry::Query::make(kind, kind.storage_version(), kind.namespaced ? selection.ns : "", std::move(labels),
                               fields);
}

std::string_view field_value(const registry::Kind& kind, const registry::Document& document, std::string_view field) {
  if (field == "metadata.name") return document.name();
  if (field == "metadata.namespace") return document.ns();
  if (const auto key = label_key(field); !key.empty()) return document.label(key).value_or(std::string_view());
  const auto& selectable = kind.storage_version().selectable;
  for (size_t i = 0; i < selectable.size(); ++i) {
    if (selectable[i].label == field) return document.field(i);
  }
  return {};
}

}  // namespace chandler::client
