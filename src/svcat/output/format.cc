#include "svcat/output/format.h"

#include <algorithm>

#include <fmt/format.h>

#include "base/text.h"
#include "json/json_path.h"
#include "json/writer.h"
#include "json/yaml.h"
#include "svcat/arguments.h"
#include "svcat/catalog/fields.h"

namespace chandler::svcat {
namespace {

constexpr std::string_view kForms =
    "table, wide, json, yaml, name, jsonpath=TEMPLATE or custom-columns=TITLE:.path,...";

// "serviceinstance.servicecatalog.k8s.io/mydb", as kubectl takes it.
std::string resource_name(const json::Value& object) {
  const auto version = text_at(object, {"apiVersion"});
  const auto slash = version.find('/');
  const auto group = slash == std::string::npos ? std::string() : "." + version.substr(0, slash);
  return fmt::format("{}{}/{}", to_lower(text_at(object, {"kind"})), group, name_of(object));
}

std::string cell_of(const json::JsonPath& path, const json::Value& object) {
  std::vector<std::string> values;
  for (const auto* value : path.find(object)) {
    values.push_back(value->is_string() ? std::string(json::view(value->get_string())) : json::write(*value));
  }
  return values.empty() ? "<none>" : join(values, ",");
}

Result<void> print_columns(std::ostream& out, const Format& format, const std::vector<json::Value>& objects) {
  std::vector<std::vector<std::string>> rows(1);
  std::vector<json::JsonPath> paths;
  for (const auto& [title, path] : format.columns) {
    rows.front().push_back(title);
    CH_TRY_LET(compiled, json::JsonPath::parse(path));
    paths.push_back(std::move(compiled));
  }
  for (const auto& object : objects) {
    auto& row = rows.emplace_back();
    for (const auto& path : paths) row.push_back(cell_of(path, object));
  }
  std::vector<size_t> widths(paths.size());
  for (const auto& row : rows) {
    for (size_t i = 0; i < row.size(); ++i) widths[i] = std::max(widths[i], utf8_length(row[i]));
  }
  for (const auto& row : rows) {
    std::string line;
    for (size_t i = 0; i < row.size(); ++i) {
      line += row[i];
      if (i + 1 < row.size()) line += std::string(widths[i] - utf8_length(row[i]) + 3, ' ');
    }
    out << line << '\n';
  }
  return {};
}

// Who owns which field is for programs to know; kubectl leaves it out too. A JSONPath finds it.
json::Value without_field_owners(json::Value document) {
  const auto leave_out = [](json::Value& object) {
    auto* metadata = json::find(object, "metadata");
    if (metadata != nullptr && metadata->is_object()) metadata->get_object().erase("managedFields");
  };
  leave_out(document);
  if (auto* items = json::find(document, "items"); items != nullptr && items->is_array()) {
    for (auto& item : items->get_array()) leave_out(item);
  }
  return document;
}

Result<void> print_document(std::ostream& out, const Format& format, const json::Value& document) {
  if (format.form == Format::Form::kJson) {
    out << json::write_pretty(without_field_owners(document)) << '\n';
  } else if (format.form == Format::Form::kYaml) {
    out << json::write_yaml(without_field_owners(document));
  } else {
    CH_TRY_LET(compiled, json::JsonPathTemplate::parse(format.jsonpath));
    out << compiled.render(document);
  }
  return {};
}

json::Value list_of(std::vector<json::Value> objects) {
  const auto kind = objects.empty() ? std::string() : text_at(objects.front(), {"kind"});
  const bool same = !kind.empty() && std::all_of(objects.begin(), objects.end(), [&](const json::Value& object) {
    return text_at(object, {"kind"}) == kind;
  });
  json::Object list;
  list["apiVersion"] = same ? text_at(objects.front(), {"apiVersion"}) : "v1";
  list["kind"] = same ? kind + "List" : "List";
  list["metadata"] = json::Object();
  json::Array items;
  for (auto& object : objects) items.push_back(std::move(object));
  list["items"] = std::move(items);
  return list;
}

Result<Format> custom_columns(std::string_view spec) {
  Format format;
  format.form = Format::Form::kCustomColumns;
  for (const auto part : split(spec, ',')) {
    const auto colon = part.find(':');
    const bool complete = colon != std::string_view::npos && colon > 0 && colon + 1 < part.size();
    if (!complete) {
      return usage_error(fmt::format("custom-columns: {} is not TITLE:.path, as in NAME:.metadata.name", quoted(part)));
    }
    auto path = json::JsonPath::parse(part.substr(colon + 1));
    if (!path.ok()) return usage_error(fmt::format("custom-columns {}: {}", part, path.error().message));
    format.columns.emplace_back(part.substr(0, colon), part.substr(colon + 1));
  }
  return format;
}

}  // namespace

Result<Format> parse_format(std::string_view text) {
  using Form = Format::Form;
  Format format;
  const auto equals = text.find('=');
  const auto word = to_lower(text.substr(0, equals));
  if (equals != std::string_view::npos) {
    const auto value = text.substr(equals + 1);
    if (word == "custom-columns") return custom_columns(value);
    if (word == "jsonpath") {
      auto compiled = json::JsonPathTemplate::parse(value);
      if (!compiled.ok()) return usage_error(fmt::format("-o jsonpath: {}", compiled.error().message));
      format.form = Form::kJsonPath;
      format.jsonpath = value;
      return format;
    }
  }
  static constexpr std::pair<std::string_view, Form> kWords[] = {{"", Form::kTable},    {"table", Form::kTable},
                                                                 {"wide", Form::kWide}, {"json", Form::kJson},
                                                                 {"yaml", Form::kYaml}, {"name", Form::kName}};
  for (const auto& [known, form] : kWords) {
    if (word != known || equals != std::string_view::npos) continue;
    format.form = form;
    return format;
  }
  const auto near = nearest(word, {"table", "wide", "json", "yaml", "name", "jsonpath", "custom-columns"});
  return usage_error(fmt::format("-o {} is no format{}; there are {}", quoted(text),
                                 near.empty() ? "" : fmt::format(" (did you mean {}?)", near), kForms));
}

Result<void> print_object(std::ostream& out, const Format& format, const json::Value& object) {
  if (format.form == Format::Form::kName) {
    out << resource_name(object) << '\n';
    return {};
  }
  if (format.form == Format::Form::kCustomColumns) return print_columns(out, format, {object});
  return print_document(out, format, object);
}

Result<void> print_list(std::ostream& out, const Format& format, std::vector<json::Value> objects) {
  if (format.form == Format::Form::kName) {
    for (const auto& object : objects) out << resource_name(object) << '\n';
    return {};
  }
  if (format.form == Format::Form::kCustomColumns) return print_columns(out, format, objects);
  return print_document(out, format, list_of(std::move(objects)));
}

}  // namespace chandler::svcat
