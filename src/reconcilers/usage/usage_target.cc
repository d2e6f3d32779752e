#include "reconcilers/usage/usage_target.h"

#include <fmt/format.h>

#include "base/text.h"
#include "reconcilers/usage/usage_names.h"

namespace chandler::reconcilers {
namespace {

constexpr std::string_view kPodTemplate = "spec.template.metadata.labels";

// Kubernetes' own workloads have no CustomResourceDefinition to look into.
struct KnownPath {
  std::string_view group;
  std::string_view plural;
  std::string_view path;
};
constexpr KnownPath kKnownPaths[] = {
    {"apps", "deployments", kPodTemplate},
    {"apps", "statefulsets", kPodTemplate},
    {"apps", "daemonsets", kPodTemplate},
    {"apps", "replicasets", kPodTemplate},
    {"batch", "jobs", kPodTemplate},
    {"batch", "cronjobs", "spec.jobTemplate.spec.template.metadata.labels"},
    {"", "replicationcontrollers", kPodTemplate},
};

const json::Value* schema_of(const client::Object& crd, std::string_view version) {
  const auto* versions = crd ? json::array_at(spec_of(crd), "versions") : nullptr;
  if (versions == nullptr) return nullptr;
  for (const auto& entry : *versions) {
    if (text_at(entry, "name") == version) return json::find_path(entry, {"schema", "openAPIV3Schema"});
  }
  return nullptr;
}

}  // namespace

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

Observation path_state(std::string_view labels_path, const client::ServedKind& served, controller::View& view) {
  Observation out{usage::kPathValid, Truth::kFalse, "PathInvalid", ""};
  const auto path = resolve::LabelPath::parse(labels_path);
  if (!path.ok()) {
    out.message = path.error().message + ".";
    return out;
  }
  const auto crd = view.get(kCrds, "", fmt::format("{}.{}", served.name.plural, served.name.group));
  if (const auto* schema = schema_of(crd, served.version)) {
    using Kind = resolve::PathVerdict::Kind;
    const auto verdict = resolve::judge_label_path(*schema, *path);
    out.truth = verdict.kind == Kind::kFound ? Truth::kTrue : Truth::kFalse;
    out.reason = verdict.kind == Kind::kFound     ? "PathFound"
                 : verdict.kind == Kind::kMissing ? "PathNotInSchema"
                                                  : "PathNotLabels";
    out.message = verdict.kind == Kind::kFound
                      ? fmt::format("The schema of {} has labels at {}.", served.kind, path->str())
                      : fmt::format("Of {}: {}; correct spec.labelsPath.", served.kind, verdict.message);
    return out;
  }
  for (const auto& known : kKnownPaths) {
    if (served.name != client::KindName{known.group, known.plural}) continue;
    const bool fits = path->str() == known.path || path->str() == "metadata.labels";
    out.truth = fits ? Truth::kTrue : Truth::kFalse;
    out.reason = fits ? "PathFound" : "PathNotInSchema";
    out.message =
        fits ? fmt::format("{} has labels at {}.", served.kind, path->str())
             : fmt::format("{} keeps the labels of its pods at {}; correct spec.labelsPath.", served.kind, known.path);
    return out;
  }
  out.truth = Truth::kUnknown;
  out.reason = "SchemaUnknown";
  out.message = fmt::format("The schema of {} is not to be seen from here; `svcat test usagekind` tries the path out.",
                            served.kind);
  out.counts = false;
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
  out.path_valid = path_state(path->str(), *resolved.served, view);
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
