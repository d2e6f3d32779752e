#include "svcat/catalog/secret_parameters.h"

#include <fmt/format.h>

#include "base/text.h"
#include "resolve/combine_parameters.h"
#include "svcat/catalog/fields.h"

namespace chandler::svcat {

Result<SecretKeys> secret_keys(Call& call, const std::string& ns, const json::Value& object) {
  SecretKeys out;
  const auto* from = array_at(object, {"spec", "parametersFrom"});
  if (from == nullptr) return out;
  CH_TRY_LET(catalog, call.catalog());
  for (const auto& one : from->get_array()) {
    const auto name = text_at(one, {"secretKeyRef", "name"});
    const auto key = text_at(one, {"secretKeyRef", "key"});
    const auto label = fmt::format("secret {}, key {}", name, key);
    const auto secret = catalog->get(secrets_kind(), ns, name);
    if (!secret.ok()) {
      out.notes.push_back(fmt::format("{}: {}", label, secret.error().message));
      continue;
    }
    const auto bytes = base64_decode(text_at(*secret, {"data", key}));
    if (!bytes || bytes->empty()) {
      out.notes.push_back(fmt::format("{}: there is no such key in the secret", label));
      continue;
    }
    const auto parameters = resolve::read_secret_parameters(label, *bytes);
    if (!parameters.ok()) {
      out.notes.push_back(parameters.error().message);
      continue;
    }
    for (const auto& [parameter, value] : parameters->value.as_object()) {
      out.keys.insert(std::string(parameter));
      out.sources[std::string(parameter)] = label;
    }
  }
  return out;
}

}  // namespace chandler::svcat
