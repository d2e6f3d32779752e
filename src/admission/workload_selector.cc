#include "admission/workload_selector.h"

#include "admission/fields.h"
#include "admission/pod_spec.h"
#include "meta/selector.h"

namespace chandler::admission {

void check_workload_selector(const json::Value& spec, const meta::Path& path, meta::FieldErrors& errors) {
  const auto& selector = member(spec, "selector");
  const auto& labels = member(member(member(spec, "template"), "metadata"), "labels");
  const auto labels_path = path.member("template").member("metadata").member("labels");
  constexpr std::string_view kMismatch = "the selector does not select these labels";
  if (selector.is_null()) return errors.invalid(labels_path, labels, kMismatch);  // the schema says that it is missing
  const auto parsed = meta::LabelSelector::from_json(selector, path.member("selector").str());
  if (!parsed.ok()) {
    for (const auto& cause : parsed.error().causes) errors.add(cause);
    return;
  }
  if (parsed->empty()) errors.invalid(path.member("selector"), selector, "an empty selector would select every pod");
  const auto label = [&](std::string_view key) { return json::string_at(labels, key); };
  if (!parsed->matches(label)) errors.invalid(labels_path, labels, kMismatch);
}

void check_long_running(const json::Value& spec, const meta::Path& path, meta::FieldErrors& errors) {
  check_workload_selector(spec, path, errors);
  const auto& pod_template = member(spec, "template");
  check_pod_template(pod_template, path.member("template"), errors);
  const auto& pod = member(pod_template, "spec");
  const auto pod_path = path.member("template").member("spec");
  const auto policy = json::string_or(pod, "restartPolicy", "Always");
  if (policy == "OnFailure" || policy == "Never") {
    errors.not_supported(pod_path.member("restartPolicy"), text(policy), {"Always"});
  }
  if (present(pod, "activeDeadlineSeconds")) {
    errors.forbidden(pod_path.member("activeDeadlineSeconds"), "pods that are to run for ever have no deadline");
  }
}

}  // namespace chandler::admission
