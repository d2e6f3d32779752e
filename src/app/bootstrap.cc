#include "app/bootstrap.h"

#include <fmt/format.h>

#include "auth/user.h"
#include "base/embedded.h"
#include "json/yaml.h"
#include "meta/gvk.h"

namespace chandler::app {
namespace {

Result<void> make(const registry::Kinds& kinds, registry::Objects& objects, const json::Value& object) {
  CH_TRY_LET(version, meta::GroupVersion::parse(json::string_or(object, "apiVersion")));
  const auto kind = kinds.find_kind(version.group, json::string_or(object, "kind"));
  if (kind == nullptr) return internal_error("a bootstrap object has an unknown kind");
  auto request = std::make_shared<registry::WriteRequest>();
  request->kind = kind;
  request->version = &kind->storage_version();
  request->ns = json::string_or(object.at("metadata"), "namespace");
  request->user.name = "system:apiserver";
  request->user.groups = {std::string(auth::kMasters)};
  const auto name = json::string_or(object.at("metadata"), "name");
  if (objects.cache().get(*kind, request->ns, name) != nullptr) return {};
  auto created = objects.create_and_wait(std::move(request), object);
  if (created.ok() || created.error().reason == Reason::kAlreadyExists) return {};
  auto error = std::move(created).error();
  error.message = fmt::format("the bootstrap object {} {} could not be made: {}", kind->kind, name, error.message);
  return error;
}

}  // namespace

Result<void> bootstrap_objects(const registry::Kinds& kinds, registry::Objects& objects) {
  // Namespaces first: the others live in them.
  for (const std::string_view path : {"bootstrap/namespaces.yaml", "bootstrap/roles.yaml", "bootstrap/bindings.yaml"}) {
    for (const auto& file : api_files()) {
      if (file.path != path) continue;
      CH_TRY_LET(documents, json::parse_yaml_stream(file.content));
      for (const auto& document : documents) CH_TRY(make(kinds, objects, document));
    }
  }
  return {};
}

}  // namespace chandler::app
