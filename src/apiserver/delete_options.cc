#include "apiserver/delete_options.h"

#include <fmt/format.h>

#include "apiserver/body.h"
#include "base/text.h"

namespace chandler::apiserver {
namespace {

using Propagation = registry::DeleteOptions::Propagation;

ObjectRef about_options() { return {"meta.k8s.io", "DeleteOptions", "", ""}; }

Result<json::Value> options_document(const Call& call) {
  if (!call.request->body.empty()) {
    CH_TRY_LET(body, read_body(*call.request));
    if (!body.value.is_object()) return bad_request("DeleteOptions must be an object");
    const auto kind = json::string_or(body.value, "kind");
    if (!kind.empty() && kind != "DeleteOptions") {
      return bad_request(fmt::format("{} cannot be handled as DeleteOptions", kind));
    }
    return std::move(body.value);
  }
  json::Object out;
  const auto& query = call.info.query;
  if (const auto text = query.get("gracePeriodSeconds"); !text.empty()) {
    const auto seconds = parse_int64(text);
    if (!seconds)
      return bad_request(fmt::format("gracePeriodSeconds: Invalid value: {}: must be a number", quoted(text)));
    out["gracePeriodSeconds"] = *seconds;
  }
  if (query.has("propagationPolicy")) out["propagationPolicy"] = query.get("propagationPolicy");
  if (query.has("orphanDependents")) out["orphanDependents"] = query.flag("orphanDependents");
  json::Array dry_run;
  for (const auto value : query.all("dryRun")) dry_run.emplace_back(value);
  out["dryRun"] = std::move(dry_run);
  return json::Value(std::move(out));
}

void read_propagation(const json::Value& document, registry::DeleteOptions& options, meta::FieldErrors& errors) {
  const auto policy = json::string_at(document, "propagationPolicy");
  const auto orphan = json::bool_at(document, "orphanDependents");
  const meta::Path path("propagationPolicy");
  if (policy && orphan) {
    errors.invalid(path, *policy, "orphanDependents and propagationPolicy cannot be set at the same time");
  } else if (policy == "Foreground") {
    options.propagation = Propagation::kForeground;
  } else if (policy == "Background") {
    options.propagation = Propagation::kBackground;
  } else if (policy == "Orphan" || (orphan && *orphan)) {
    options.propagation = Propagation::kOrphan;
  } else if (policy) {
    errors.not_supported(path, json::Value(*policy), {"Background", "Foreground", "Orphan"});
  }
}

}  // namespace

Result<registry::DeleteOptions> delete_options(const Call& call, registry::WriteRequest& request) {
  CH_TRY_LET(document, options_document(call));
  registry::DeleteOptions options;
  meta::FieldErrors errors;
  read_propagation(document, options, errors);
  options.grace_seconds = json::int_at(document, "gracePeriodSeconds");
  if (const auto* preconditions = json::find(document, "preconditions")) {
    options.uid = json::string_or(*preconditions, "uid");
    options.resource_version = json::string_or(*preconditions, "resourceVersion");
  }
  if (const auto* dry_run = json::array_at(document, "dryRun")) {
    for (const auto& item : *dry_run) {
      if (item == "") continue;
      if (item != "All") errors.not_supported(meta::Path("dryRun"), item, {"All"});
      request.dry_run = true;
    }
  }
  if (!errors.empty()) return invalid(about_options(), errors.take());
  return options;
}

}  // namespace chandler::apiserver
