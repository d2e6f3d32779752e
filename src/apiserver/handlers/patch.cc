#include <optional>
#include <string>
#include <vector>

#include <fmt/format.h>

#include "apiserver/body.h"
#include "apiserver/handlers/handlers.h"
#include "apiserver/respond.h"
#include "apiserver/write_answers.h"
#include "base/text.h"
#include "json/patch.h"
#include "json/reader.h"
#include "meta/schema.h"
#include "registry/object_rules.h"

namespace chandler::apiserver {
namespace {

constexpr std::string_view kApplyPatch = "application/apply-patch+yaml";

enum class PatchKind { kJson, kMerge, kStrategic };

Result<PatchKind> patch_kind(const Call& call) {
  const auto type = media_type(call.request->headers.get("Content-Type"));
  if (type == "application/json-patch+json") return PatchKind::kJson;
  if (type == "application/merge-patch+json") return PatchKind::kMerge;
  if (type == "application/strategic-merge-patch+json" && call.kind->builtin) return PatchKind::kStrategic;
  std::string supported = "application/json-patch+json, application/merge-patch+json";
  if (call.kind->builtin) supported += ", application/strategic-merge-patch+json";
  return unsupported_media_type(type, fmt::format("{}, {}", supported, kApplyPatch));
}

Result<void> apply(PatchKind kind, const Call& call, const json::Value& patch, json::Value& object) {
  switch (kind) {
    case PatchKind::kJson:
      return json::json_patch(object, patch);
    case PatchKind::kMerge:
      json::merge_patch(object, patch);
      return {};
    case PatchKind::kStrategic:
      return json::strategic_merge_patch(object, patch, *meta::merge_rules(call.version->schema));
  }
  return {};
}

// The patch itself is fine, what it makes of the object is not.
Error bad_patch(std::string_view why) {
  meta::FieldErrors errors;
  errors.invalid(meta::Path("patch"), "", why);
  auto error = invalid({}, errors.take());
  error.message = fmt::format("the patch cannot be applied: {}", why);
  return error;
}

// What a patch may not touch, whatever its kind.
Result<void> check_identity(const Call& call, const json::Value& object) {
  if (!object.is_object()) return bad_request("the patch does not leave an object");
  if (json::string_or(object, "kind") != call.kind->kind ||
      json::string_or(object, "apiVersion") != call.version->api_version) {
    return bad_patch(
        fmt::format("a patch cannot change kind or apiVersion of {} \"{}\"", call.kind->kind, call.info.name));
  }
  if (call.kind->builtin && call.version->schema != nullptr) {
    if (auto mismatch = meta::first_type_mismatch(*call.version->schema, object); !mismatch.empty()) {
      return bad_patch(mismatch);
    }
  }
  CH_TRY(check_name(call, object));
  return check_namespace(call, object);
}

// What a strict client does not let pass: elsewhere a fault of the body, here of what the patch makes of the object.
Result<void> check_strictly(const Call& call, const std::vector<std::string>& duplicates, json::Value& object) {
  std::vector<std::string> unknown;
  if (call.version->schema != nullptr) meta::prune(*call.version->schema, object, &unknown, true);
  const auto faults = registry::decoding_faults(duplicates, unknown);
  if (faults.empty()) return {};
  return bad_patch("strict decoding error: " + join(faults, ", "));
}

}  // namespace

void handle_patch(const Services& services, const CallPtr& call) {
  if (is_apply(*call)) return handle_apply(services, call);
  auto kind = patch_kind(*call);
  if (!kind.ok()) return respond_error(services, *call, kind.error());
  auto request = write_request(*call, "PatchOptions");
  if (!request.ok()) return respond_error(services, *call, request.error());
  if (call->info.query.has("force")) {
    meta::FieldErrors errors;
    errors.forbidden(meta::Path("force"), "may not be specified for non-apply patch");
    return respond_error(services, *call, invalid({"meta.k8s.io", "PatchOptions", "", ""}, errors.take()));
  }
  json::ReadReport report;
  auto parsed = json::parse(call->request->body, {}, &report);
  if (!parsed.ok()) return respond_error(services, *call, parsed.error());
  const auto patch = std::make_shared<const json::Value>(std::move(parsed).value());
  if (*kind != PatchKind::kJson && !patch->is_object()) {
    return respond_error(services, *call, bad_request("the patch must be an object"));
  }
  std::optional<std::vector<std::string>> strict;
  if ((*request)->validation == registry::FieldValidation::kStrict) strict = report.duplicates;
  (*request)->duplicates = std::move(report.duplicates);
  use_stored_kind(services, **request);

  auto transform = [call, patch, kind = *kind, strict](const registry::Document& current) -> Result<json::Value> {
    json::Value object = in_version(*call, current.parse());
    CH_TRY(apply(kind, *call, *patch, object));
    CH_TRY(check_identity(*call, object));
    if (strict) CH_TRY(check_strictly(*call, *strict, object));
    return to_stored_form(*call, std::move(object));
  };
  const auto tell = [](const Services& all, Call& done, const registry::WriteResult& result) {
    respond_written(all, done, 200, result);
  };
  services.objects.update(*request, std::move(transform), nullptr, when_written(services, call, tell));
}

}  // namespace chandler::apiserver
