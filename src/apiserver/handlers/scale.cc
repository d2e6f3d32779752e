#include <fmt/format.h>

#include "apiserver/body.h"
#include "apiserver/handlers/handlers.h"
#include "apiserver/respond.h"
#include "apiserver/scale.h"
#include "apiserver/table.h"
#include "apiserver/write_answers.h"
#include "base/text.h"
#include "json/patch.h"
#include "json/reader.h"
#include "json/yaml.h"
#include "registry/scale_conversion.h"

namespace chandler::apiserver {
namespace {

using registry::check_scale;
using registry::has_replicas;
using registry::put_scale;
using registry::scale_of;

constexpr std::string_view kPatchesOfScale =
    "application/json-patch+json, application/merge-patch+json, application/apply-patch+yaml";

void respond_scale(const Services& services, Call& call, const json::Value& object, const Warnings& warnings) {
  const auto scale = scale_of(*call.version->scale, object);
  if (call.output.shape == Shape::kTable) {
    json::Array rows;
    rows.push_back(table_row(scale_columns(), call.output, scale, services.clock.now()));
    json::Object metadata{{"resourceVersion", json::string_or(scale.at("metadata"), "resourceVersion")}};
    return respond_value(services, call, 200,
                         make_table(call.output, table_columns(scale_columns()), std::move(rows), std::move(metadata)),
                         warnings);
  }
  if (call.output.shape == Shape::kPartialMetadata) {
    return respond_value(services, call, 200, partial_metadata(call.output, scale), warnings);
  }
  respond_value(services, call, 200, scale, warnings);
}

void get_scale(const Services& services, Call& call) {
  const auto document = services.cache.get(*call.kind, call.info.ns, call.info.name);
  if (document == nullptr) return respond_error(services, call, not_found(call.kind->ref(call.info.name)));
  const auto object = document->parse();
  const auto& paths = *call.version->scale;
  if (!has_replicas(paths, object)) {
    return respond_error(services, call,
                         internal_error(fmt::format("{} \"{}\" has no .{}; set it, or scale the object, which sets it",
                                                    call.kind->kind, call.info.name, join(paths.spec_replicas, "."))));
  }
  respond_scale(services, call, object, {});
}

// From the present Scale to the wanted one.
using ChangeScale = std::function<Result<void>(json::Value& scale)>;

Result<ChangeScale> replacement(const Call& call) {
  CH_TRY_LET(body, read_body(*call.request));
  auto wanted = std::make_shared<const json::Value>(std::move(body.value));
  CH_TRY(check_scale(*wanted, call.info.name));
  return ChangeScale([wanted](json::Value& scale) -> Result<void> {
    scale = *wanted;
    return {};
  });
}

Result<ChangeScale> patch_of_scale(const Call& call) {
  const auto type = media_type(call.request->headers.get("Content-Type"));
  const bool is_json = type == "application/json-patch+json";
  // A Scale has no lists, so a strategic merge is a merge.
  const bool is_merge = type == "application/merge-patch+json" ||
                        (type == "application/strategic-merge-patch+json" && call.kind->builtin);
  if (!is_json && !is_merge) {
    return unsupported_media_type(type, kPatchesOfScale);
  }
  CH_TRY_LET(parsed, json::parse(call.request->body));
  if (is_merge && !parsed.is_object()) return bad_request("the patch must be an object");
  auto patch = std::make_shared<const json::Value>(std::move(parsed));
  return ChangeScale([patch, is_json](json::Value& scale) -> Result<void> {
    // The version of the object counts only when the patch names it.
    scale.at("metadata").as_object().erase("resourceVersion");
    if (is_json) return json::json_patch(scale, *patch);
    json::merge_patch(scale, *patch);
    return {};
  });
}

Result<json::Value> scaled(const Call& call, const registry::Document& current, const ChangeScale& change) {
  json::Value object = in_version(call, current.parse());
  const auto& paths = *call.version->scale;
  json::Value scale = scale_of(paths, object);
  CH_TRY(change(scale));
  CH_TRY(check_scale(scale, call.info.name));
  CH_TRY(check_name(call, scale));
  CH_TRY(check_namespace(call, scale));
  if (const auto uid = json::string_or(scale.at("metadata"), "uid"); !uid.empty() && uid != current.uid()) {
    return conflict(
        call.kind->ref(call.info.name),
        fmt::format("Precondition failed: UID in precondition: {}, UID in object meta: {}", uid, current.uid()));
  }
  CH_TRY(put_scale(paths, scale, object));
  return object;
}

// A Scale that is applied: its replicas are the applier's field of the object itself, under the name of this endpoint.
Result<std::shared_ptr<const registry::Application>> applied_scale(const Call& call) {
  CH_TRY(check_apply_options(call));
  auto parsed = json::parse_yaml(call.request->body);
  if (!parsed.ok()) return bad_request(fmt::format("error decoding YAML: {}", parsed.error().message));
  const auto& scale = *parsed;
  if (json::string_or(scale, "kind").empty() || json::string_or(scale, "apiVersion").empty()) {
    return bad_request("an applied configuration must say its apiVersion and kind; here autoscaling/v1 and Scale");
  }
  CH_TRY(check_scale(scale, call.info.name));
  CH_TRY(check_name(call, scale));
  CH_TRY(check_namespace(call, scale));
  if (const auto* managed = json::find_path(scale, {"metadata", "managedFields"});
      managed != nullptr && !managed->is_null()) {
    return bad_request("metadata.managedFields must not be in an applied configuration; leave it out");
  }
  auto out = std::make_shared<registry::Application>();
  out->config = registry::scale_config(*call.kind, *call.version, scale);
  out->force = is_forced(call);
  return std::shared_ptr<const registry::Application>(std::move(out));
}

void tell_scale(const Services& services, Call& call, const registry::WriteResult& result) {
  auto object = json::parse(result.json());
  if (!object.ok()) return respond_error(services, call, object.error());
  respond_scale(services, call, *object, result.warnings);
}

void apply_scale(const Services& services, const CallPtr& call,
                 const std::shared_ptr<registry::WriteRequest>& request) {
  auto application = applied_scale(*call);
  if (!application.ok()) return respond_error(services, *call, application.error());
  request->application = std::move(application).value();
  services.objects.update(request, nullptr, nullptr, when_written(services, call, tell_scale));
}

}  // namespace

void handle_scale(const Services& services, const CallPtr& call) {
  if (call->info.verb == "get") return get_scale(services, *call);
  const bool replaces = call->info.verb == "update";
  auto request = write_request(*call, replaces ? "UpdateOptions" : "PatchOptions");
  if (!request.ok()) return respond_error(services, *call, request.error());
  (*request)->subresource.clear();  // what is stored is the whole object, and its rules are those of any update
  if (!replaces && is_apply(*call)) return apply_scale(services, call, *request);
  auto change = replaces ? replacement(*call) : patch_of_scale(*call);
  if (!change.ok()) return respond_error(services, *call, change.error());
  services.objects.update(
      *request, [call, change = *change](const registry::Document& current) { return scaled(*call, current, change); },
      nullptr, when_written(services, call, tell_scale));
}

}  // namespace chandler::apiserver
