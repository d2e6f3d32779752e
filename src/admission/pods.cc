#include <algorithm>
#include <array>
#include <chrono>
#include <set>
#include <string>

#include "admission/fields.h"
#include "admission/kind_rules.h"
#include "admission/pod_spec.h"
#include "admission/quantities.h"
#include "base/time_text.h"
#include "json/writer.h"

namespace chandler::admission {
namespace {

constexpr int64_t kDefaultGrace = 30;
constexpr std::array<std::string_view, 2> kContainerLists = {"initContainers", "containers"};

// Guaranteed: every container has limits for processor and memory and asks for just that. BestEffort: nothing is said.
std::string_view quality_of_service(const json::Value& spec) {
  bool anything = false;
  bool all_limited = true;
  for (const auto list : kContainerLists) {
    each(spec, list, meta::Path(), [&](const json::Value& container, const meta::Path&) {
      const auto& resources = member(container, "resources");
      for (const std::string_view name : {"cpu", "memory"}) {
        const auto request = quantity_of(member(member(resources, "requests"), name));
        const auto limit = quantity_of(member(member(resources, "limits"), name));
        anything = anything || (request && !request->is_zero()) || (limit && !limit->is_zero());
        all_limited = all_limited && limit && !limit->is_zero() && request && *request == *limit;
      }
    });
  }
  return !anything ? "BestEffort" : all_limited ? "Guaranteed" : "Burstable";
}

// Who sets a limit and no request asks for the limit.
void default_requests(json::Object& container) {
  const auto* resources = container.if_contains("resources");
  const auto* limits = resources == nullptr ? nullptr : json::object_at(*resources, "limits");
  if (limits == nullptr || limits->empty()) return;
  const json::Object given = *limits;
  auto& requests = object_in(object_in(container, "resources"), "requests");
  for (const auto& entry : given) set_default(requests, entry.key(), entry.value());
}

void default_host_ports(json::Object& container) {
  each(container, "ports", [](json::Object& port) {
    if (const auto* number = port.if_contains("containerPort")) set_default(port, "hostPort", *number);
  });
}

// Puts the images of `from` into the containers of `to`, by position: what may change does not count.
void copy_images(json::Object& to, const json::Value& from, std::string_view list) {
  auto* mine = to.if_contains(list);
  const auto* before = json::array_at(from, list);
  if (mine == nullptr || before == nullptr || !mine->is_array()) return;
  auto& containers = mine->get_array();
  for (size_t i = 0; i < std::min(containers.size(), before->size()); ++i) {
    if (auto* container = containers[i].if_object()) copy_member(*container, (*before)[i], "image");
  }
}

bool contains_all(const json::Value& now, const json::Value& before) {
  const auto* wanted = before.if_array();
  if (wanted == nullptr) return true;
  const auto* have = now.if_array();
  if (have == nullptr) return false;
  std::set<std::string> texts;  // canonical, so the same text is the same item
  for (const auto& item : *have) texts.insert(json::write(item));
  return std::all_of(wanted->begin(), wanted->end(),
                     [&](const json::Value& item) { return texts.contains(json::write(item)); });
}

// A Pod runs as it was made: images may change, tolerations be added, scheduling gates be removed, the deadline drawn
// in.
void check_update(const json::Value& spec, const json::Value& old, meta::FieldErrors& errors) {
  const meta::Path path("spec");
  const auto deadline = json::int_at(spec, "activeDeadlineSeconds");
  const auto old_deadline = json::int_at(old, "activeDeadlineSeconds");
  if (old_deadline && (!deadline || *deadline > *old_deadline)) {
    errors.invalid(path.member("activeDeadlineSeconds"), member(spec, "activeDeadlineSeconds"),
                   "can be made shorter only, not longer");
  }
  json::Value rest = spec;
  if (!rest.is_object()) return;
  auto& now = rest.get_object();
  copy_member(now, old, "activeDeadlineSeconds");
  for (const auto list : kContainerLists) copy_images(now, old, list);
  if (contains_all(member(spec, "tolerations"), member(old, "tolerations"))) copy_member(now, old, "tolerations");
  if (contains_all(member(old, "schedulingGates"), member(spec, "schedulingGates")))
    copy_member(now, old, "schedulingGates");
  if (json::equal(rest, old)) return;
  errors.forbidden(path,
                   "a Pod cannot be changed but for images, added tolerations, removed scheduling gates and a shorter "
                   "activeDeadlineSeconds; delete it and make it anew");
}

}  // namespace

void default_pod(Context& context) {
  auto& spec = object_in(*context.object, "spec");
  default_pod_spec(spec);
  set_default(spec, "enableServiceLinks", true);
  const auto* host_network = spec.if_contains("hostNetwork");
  for (const auto list : kContainerLists) {
    each(spec, list, default_requests);
    if (host_network != nullptr && *host_network == json::Value(true)) each(spec, list, default_host_ports);
  }
  if (context.operation != registry::Operation::kCreate) return;
  auto& status = object_in(*context.object, "status");
  status["phase"] = "Pending";
  status["qosClass"] = text(quality_of_service(member(*context.object, "spec")));
}

void check_pod(const Context& context, meta::FieldErrors& errors) {
  const auto& spec = member(*context.object, "spec");
  check_pod_spec(spec, meta::Path("spec"), errors);
  if (context.old != nullptr && context.subresource.empty()) check_update(spec, member(*context.old, "spec"), errors);
}

void terminate_pod(Context& context) {
  using std::chrono::seconds;
  auto& metadata = object_in(*context.object, "metadata");
  const auto& before = member(*context.old, "metadata");
  if (const auto marked = json::string_at(before, "deletionTimestamp")) {
    // Already on its way: the time can only be cut short.
    const auto grace = json::int_at(before, "deletionGracePeriodSeconds").value_or(0);
    const auto end = parse_rfc3339(*marked);
    if (!context.grace_seconds || *context.grace_seconds >= grace || !end) return;
    const auto asked = std::max<int64_t>(*context.grace_seconds, 0);
    metadata["deletionTimestamp"] = rfc3339(*end - seconds(grace) + seconds(asked));
    metadata["deletionGracePeriodSeconds"] = asked;
    return;
  }
  const auto& spec = member(*context.object, "spec");
  const auto phase = json::string_or(member(*context.object, "status"), "phase");
  int64_t grace =
      context.grace_seconds.value_or(json::int_at(spec, "terminationGracePeriodSeconds").value_or(kDefaultGrace));
  if (grace < 0) grace = 1;
  // Nobody has to be waited for.
  if (!filled(spec, "nodeName") || phase == "Succeeded" || phase == "Failed") grace = 0;
  metadata["deletionTimestamp"] = rfc3339(context.now + seconds(grace));
  metadata["deletionGracePeriodSeconds"] = grace;
}

}  // namespace chandler::admission
