// PATCH with application/apply-patch+yaml: server-side apply.
#include <fmt/format.h>

#include "apiserver/body.h"
#include "apiserver/handlers/handlers.h"
#include "apiserver/respond.h"
#include "apiserver/write_answers.h"
#include "base/text.h"
#include "json/yaml.h"
#include "meta/schema.h"
#include "registry/object_rules.h"

namespace chandler::apiserver {
namespace {

Result<void> check_config(const Call& call, json::Value& config) {
  const auto& kind = *call.kind;
  if (!config.is_object()) return bad_request("the applied configuration must be an object");
  const auto& expected = call.version->api_version;
  const auto given_kind = json::string_or(config, "kind");
  const auto given_version = json::string_or(config, "apiVersion");
  if (given_kind.empty() || given_version.empty()) {
    return bad_request(
        fmt::format("an applied configuration must say its apiVersion and kind; here {} and {}", expected, kind.kind));
  }
  if (given_kind != kind.kind || given_version != expected) {
    return bad_request(fmt::format("the applied configuration is a {} of {}, but the URL is of {} of {}",
                                   quoted(given_kind), quoted(given_version), kind.kind, expected));
  }
  if (const auto* metadata = json::find(config, "metadata"); metadata != nullptr && !metadata->is_object()) {
    return bad_request("metadata must be an object");
  }
  CH_TRY(check_name(call, config));
  CH_TRY(check_namespace(call, config));
  if (const auto* managed = json::find(config.at("metadata"), "managedFields");
      managed != nullptr && !managed->is_null()) {
    return bad_request("metadata.managedFields must not be in an applied configuration; leave it out");
  }
  if (call.version->schema == nullptr) return {};
  std::vector<std::string> unknown;
  meta::prune(*call.version->schema, config, &unknown, true);
  if (!unknown.empty()) {
    return bad_request(
        fmt::format("the applied configuration has fields that {} does not know, and nobody can own "
                    "such a field: {}",
                    kind.kind, join(registry::decoding_faults({}, unknown), ", ")));
  }
  if (!kind.builtin) return {};
  if (auto mismatch = meta::first_type_mismatch(*call.version->schema, config); !mismatch.empty()) {
    return bad_request(fmt::format("{} in version \"{}\" cannot be handled as a {}: {}", kind.kind, call.version->name,
                                   kind.kind, mismatch));
  }
  return {};
}

// What this request cannot say: what only the server sets, and the part that another endpoint is for.
void keep_what_counts(const Call& call, json::Value& config) {
  auto& metadata = registry::metadata_of(config);
  for (const std::string_view key : {"creationTimestamp", "deletionGracePeriodSeconds", "deletionTimestamp",
                                     "generation", "managedFields", "selfLink"}) {
    metadata.erase(key);
  }
  auto& object = config.get_object();
  if (call.info.subresource.empty()) {
    if (call.version->has_status) object.erase("status");
    return;
  }
  const auto part = registry::written_part(call.info.subresource);
  json::erase_members(object, [&](const auto& member) {
    const std::string_view name = member.key();
    return name != part && name != "apiVersion" && name != "kind" && name != "metadata";
  });
  for (const std::string_view key : {"labels", "annotations", "finalizers", "ownerReferences", "generateName"}) {
    metadata.erase(key);
  }
}

}  // namespace

void handle_apply(const Services& services, const CallPtr& call) {
  auto request = write_request(*call, "PatchOptions");
  if (!request.ok()) return respond_error(services, *call, request.error());
  if (auto checked = check_apply_options(*call); !checked.ok()) {
    return respond_error(services, *call, checked.error());
  }
  json::ReadReport report;
  auto config = json::parse_yaml(call->request->body, {}, &report);
  if (!config.ok()) {
    return respond_error(services, *call, bad_request(fmt::format("error decoding YAML: {}", config.error().message)));
  }
  if (auto checked = check_config(*call, *config); !checked.ok()) {
    return respond_error(services, *call, checked.error());
  }
  keep_what_counts(*call, *config);
  (*request)->duplicates = std::move(report.duplicates);

  auto application = std::make_shared<registry::Application>();
  application->config = to_stored_form(*call, std::move(config).value());
  application->force = is_forced(*call);
  (*request)->application = std::move(application);
  (*request)->may_create = creation_check(services, *call, (*request)->user);
  use_stored_kind(services, **request);
  const auto tell = [](const Services& all, Call& done, const registry::WriteResult& result) {
    respond_written(all, done, result.created ? 201 : 200, result);
  };
  services.objects.update(*request, nullptr, nullptr, when_written(services, call, tell));
}

}  // namespace chandler::apiserver
