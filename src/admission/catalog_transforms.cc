#include "admission/catalog_transforms.h"

#include "admission/fields.h"
#include "json/json_path.h"
#include "meta/names.h"

namespace chandler::admission {
namespace {

void check_key(const json::Value& operation, std::string_view field, const meta::Path& path,
               meta::FieldErrors& errors) {
  // The schema has seen to length and letters; what is left are names that no secret takes.
  const auto key = json::string_or(operation, field);
  if (key == "." || key == "..") errors.invalid(path.member(field), key, meta::check_config_key(key));
}

void check_added_key(const json::Value& add, const meta::Path& path, meta::FieldErrors& errors) {
  check_key(add, "key", path, errors);
  if (!present(add, "jsonPathExpression") && !present(add, "stringValue") && !present(add, "value")) {
    errors.required(path, "give the value as jsonPathExpression, stringValue or value");
  }
  const auto expression = json::string_at(add, "jsonPathExpression");
  if (!expression) return;
  if (expression->empty()) {
    errors.required(path.member("jsonPathExpression"), "a template such as {.uri}");
  } else if (const auto parsed = json::JsonPathTemplate::parse(*expression); !parsed.ok()) {
    errors.invalid(path.member("jsonPathExpression"), *expression, parsed.error().message);
  }
}

}  // namespace

void check_transforms(const json::Value& object, std::string_view field, meta::FieldErrors& errors) {
  each(member(object, "spec"), field, meta::Path("spec"), [&](const json::Value& entry, const meta::Path& path) {
    const auto& add = member(entry, "addKey");
    const auto& rename = member(entry, "renameKey");
    const auto& from = member(member(entry, "addKeysFrom"), "secretRef");
    if (add.is_object()) check_added_key(add, path.member("addKey"), errors);
    if (rename.is_object()) check_key(rename, "to", path.member("renameKey"), errors);
    if (const auto ns = json::string_or(from, "namespace"); !ns.empty()) {
      const auto fault = meta::check_dns1123_label(ns);
      if (!fault.empty()) {
        errors.invalid(path.member("addKeysFrom").member("secretRef").member("namespace"), ns, fault);
      }
    }
  });
}

std::vector<SecretUse> transform_secrets(const json::Value& object, std::string_view field) {
  std::vector<SecretUse> uses;
  each(member(object, "spec"), field, meta::Path("spec"), [&](const json::Value& entry, const meta::Path& path) {
    const auto& from = member(member(entry, "addKeysFrom"), "secretRef");
    auto ns = json::string_or(from, "namespace", namespace_of(object));
    if (ns.empty()) ns = namespace_of(object);
    auto name = json::string_or(from, "name");
    if (ns.empty() || name.empty()) return;
    uses.push_back({std::move(ns), std::move(name), path.member("addKeysFrom").member("secretRef").str()});
  });
  return uses;
}

}  // namespace chandler::admission
