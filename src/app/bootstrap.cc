#include "app/bootstrap.h"

#include <fmt/format.h>

#include "auth/system_users.h"
#include "auth/user.h"
#include "base/embedded.h"
#include "json/yaml.h"
#include "meta/gvk.h"

namespace chandler::app {
namespace {

// Which of the objects that are made only once have been made.
constexpr std::string_view kOnceNamespace = "kube-system";
constexpr std::string_view kOnceName = "shipped-usage-kinds";

std::shared_ptr<registry::WriteRequest> request_for(const registry::KindPtr& kind, std::string_view ns) {
  auto request = std::make_shared<registry::WriteRequest>();
  request->kind = kind;
  request->version = &kind->storage_version();
  request->ns = ns;
  request->user = std::make_shared<const auth::User>(
      auth::User{.name = std::string(auth::kServer), .uid = {}, .groups = {std::string(auth::kMasters)}, .extra = {}});
  return request;
}

Result<void> make(const registry::Kinds& kinds, registry::Objects& objects, const json::Value& object) {
  CH_TRY_LET(version, meta::GroupVersion::parse(json::string_or(object, "apiVersion")));
  const auto kind = kinds.find_kind(version.group, json::string_or(object, "kind"));
  if (kind == nullptr) return internal_error("a bootstrap object has an unknown kind");
  auto request = request_for(kind, json::string_or(object.at("metadata"), "namespace"));
  const auto name = json::string_or(object.at("metadata"), "name");
  if (objects.cache().get(*kind, request->ns, name) != nullptr) return {};
  auto created = objects.create_and_wait(std::move(request), object);
  if (created.ok() || created.error().reason == Reason::kAlreadyExists) return {};
  auto error = std::move(created).error();
  error.message = fmt::format("the bootstrap object {} {} could not be made: {}", kind->kind, name, error.message);
  return error;
}

// Notes that an object has been made once, so that an operator can delete it for good.
Result<void> note_made(const registry::KindPtr& kind, registry::Objects& objects, std::string_view name) {
  auto request = request_for(kind, kOnceNamespace);
  request->name = kOnceName;
  if (objects.cache().get(*kind, kOnceNamespace, kOnceName) == nullptr) {
    json::Object metadata{{"name", std::string(kOnceName)}, {"namespace", std::string(kOnceNamespace)}};
    json::Object made{{"apiVersion", "v1"}, {"kind", "ConfigMap"}};
    made["metadata"] = std::move(metadata);
    made["data"] = json::Object{{std::string(name), "made"}};
    CH_TRY(objects.create_and_wait(std::move(request), std::move(made)));
    return {};
  }
  CH_TRY(objects.update_and_wait(std::move(request), [&](const registry::Document& current) -> Result<json::Value> {
    auto value = current.parse();
    auto& data = value.as_object()["data"];
    if (!data.is_object()) data.emplace_object();
    data.get_object()[name] = "made";
    return value;
  }));
  return {};
}

Result<void> make_once(const registry::Kinds& kinds, registry::Objects& objects, const json::Value& object) {
  CH_TRY_LET(version, meta::GroupVersion::parse(json::string_or(object, "apiVersion")));
  // An operator may have left the group out; on a cluster it is somebody else's.
  if (kinds.find_kind(version.group, json::string_or(object, "kind")) == nullptr) return {};
  const auto config_maps = kinds.find_kind("", "ConfigMap");
  if (config_maps == nullptr) return internal_error("there is no kind ConfigMap");
  const auto name = json::string_or(object.at("metadata"), "name");
  const auto record = objects.cache().get(*config_maps, kOnceNamespace, kOnceName);
  if (record != nullptr) {
    const auto value = record->parse();
    const auto* data = json::object_at(value, "data");
    if (data != nullptr && data->contains(name)) return {};
  }
  CH_TRY(make(kinds, objects, object));
  return note_made(config_maps, objects, name);
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
  for (const auto& file : api_files()) {
    if (file.path != "bootstrap/usagekinds.yaml") continue;
    CH_TRY_LET(documents, json::parse_yaml_stream(file.content));
    for (const auto& document : documents) CH_TRY(make_once(kinds, objects, document));
  }
  return {};
}

}  // namespace chandler::app
