#include "reconcilers/usage/usage_target.h"

#include <fmt/format.h>

#include "base/text.h"
#include "reconcilers/usage/usage_names.h"

namespace chandler::reconcilers {

ResolvedKind resolve_kind(const json::Value& usage_kind_spec, controller::View& view) {
  const auto& resource = member(usage_kind_spec, "resource");
  const auto group = text_at(resource, "group");
  const auto version = text_at(resource, "version");
  const auto kind = text_at(resource, "kind");
  ResolvedKind out;
  auto served = view.find_kind(group, version, kind);
  if (!served) {
    out.reason = "KindNotServed";
    out.message = fmt::format(
        "The API serves no kind {} in group {}; install its CustomResourceDefinition, or correct "
        "spec.resource of the UsageKind.",
        quoted(kind), quoted(group));
    return out;
  }
  if (!served->namespaced) {
    out.reason = "KindNotNamespaced";
    out.message = fmt::format(
        "{} of group {} belongs to the cluster, and usages deliver to workloads of their own "
        "namespace; name another kind.",
        served->kind, quoted(group));
    return out;
  }
  out.truth = Truth::kTrue;
  if (served->exact_version) {
    out.reason = "KindServed";
    out.message = fmt::format("{} is served as {}.", quoted(kind), served->name.plural);
  } else {
    out.reason = "VersionNotServed";
    out.message = fmt::format(
        "Version {} of {} is not served; {} is used instead. Correct or remove "
        "spec.resource.version of the UsageKind.",
        quoted(version), quoted(kind), served->version);
  }
  out.served = std::move(served);
  return out;
}

FoundTarget find_target(const UsageView& usage, controller::View& view) {
  FoundTarget out;
  const auto name = usage.usage_kind();
  out.resolved = {usage::kUsageKindResolved, Truth::kFalse, "UsageKindNotFound", ""};
  const auto kind = view.get(kUsageKinds, "", name);
  const auto before = usage.snapshot();
  const bool delivered = before && before->usage_kind == name && before->target.workload == usage.workload();
  if (!kind) {
    out.resolved.message =
        fmt::format("There is no UsageKind {}; {}", quoted(name),
                    delivered ? "what was delivered stays as status.snapshot says, and goes when this usage is deleted."
                              : "create it, or use one of those that `svcat get usagekinds` shows.");
    return out;
  }
  if (kind.deleting() && !delivered) {
    out.resolved.reason = "UsageKindBeingDeleted";
    out.resolved.message = fmt::format("UsageKind {} is being deleted and takes no new usages.", quoted(name));
    return out;
  }
  const auto resolved = resolve_kind(spec_of(kind), view);
  if (!resolved.served) {
    out.resolved.reason = resolved.reason;
    out.resolved.message = resolved.message;
    return out;
  }
  auto path = resolve::LabelPath::parse(text_at(spec_of(kind), "labelsPath"));
  if (!path.ok()) {
    out.resolved.reason = "LabelsPathInvalid";
    out.resolved.message = fmt::format("UsageKind {}: {}.", quoted(name), path.error().message);
    return out;
  }
  UsageSnapshot snapshot;
  snapshot.usage_kind = name;
  snapshot.usage_kind_uid = kind.uid();
  snapshot.usage_kind_generation = generation_of(kind);
  snapshot.target = {std::string(resolved.served->name.group),
                     resolved.served->version,
                     resolved.served->kind,
                     std::string(resolved.served->name.plural),
                     path->str(),
                     usage.workload()};
  const bool exact = resolved.reason == "KindServed";
  out.resolved.truth = Truth::kTrue;
  out.resolved.reason = exact ? std::string_view("UsageKindResolved") : resolved.reason;
  out.resolved.message =
      exact ? fmt::format("UsageKind {} leads to {}.", quoted(name), snapshot.target.described()) : resolved.message;
  out.snapshot = std::move(snapshot);
  out.path = std::move(*path);
  return out;
}

}  // namespace chandler::reconcilers
