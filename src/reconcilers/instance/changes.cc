#include "reconcilers/instance/changes.h"

#include <fmt/format.h>

#include "base/time_text.h"
#include "reconcilers/catalog/conditions.h"
#include "reconcilers/catalog/operation.h"
#include "reconcilers/catalog/reasons.h"
#include "reconcilers/catalog/retry.h"

namespace chandler::reconcilers {
namespace {

constexpr size_t kMostUnconfirmed = 8;  // as the schema has it

void settle(json::Object& status, const InstanceView& instance, std::string_view reason, std::string_view message,
            WallTime now) {
  status["externalProperties"] = instance.in_progress();
  status.erase("unconfirmedProperties");
  status["provisionStatus"] = "Provisioned";
  status["deprovisionStatus"] = "Required";
  status["reconciledGeneration"] = instance.observed_generation();
  status.erase("instanceUsable");
  end_operation(status);
  clear_retry(status);
  remove_condition(status, kFailed);
  set_condition(status, kReady, Truth::kTrue, reason, message, now);
}

}  // namespace

void note_provisioned(json::Object& status, const InstanceView& instance, WallTime now) {
  settle(status, instance, reason::kProvisionedSuccessfully, "The instance was provisioned successfully", now);
}

void note_updated(json::Object& status, const InstanceView& instance, WallTime now) {
  settle(status, instance, reason::kInstanceUpdated, "The instance was updated successfully", now);
  // A provision that is carried out late brings the former plan: whoever ends that has to name it.
  if (status.contains("lateRequestUntil") && !status.contains("lateRequestProperties"))
    status["lateRequestProperties"] = instance.external();
}

void note_unconfirmed(json::Object& status, const InstanceView& instance) {
  if (instance.operation() != InstanceOperation::kUpdate) return;
  const auto plan = instance.in_progress_target().plan_id;
  const auto checksum = text_at(instance.in_progress(), "parameterChecksum");
  json::Array list;
  for (const auto& known : instance.unconfirmed()) {
    const bool is_same =
        read_target(known, instance.object().ns()).plan_id == plan && text_at(known, "parameterChecksum") == checksum;
    if (!is_same) list.push_back(known);
  }
  list.push_back(instance.in_progress());
  if (list.size() > kMostUnconfirmed) list.erase(list.begin());
  status["unconfirmedProperties"] = std::move(list);
}

void note_deprovisioned(json::Object& status, WallTime now) {
  end_operation(status);
  clear_retry(status);
  status.erase("externalProperties");
  status.erase("unconfirmedProperties");
  status["provisionStatus"] = "NotProvisioned";
  status["deprovisionStatus"] = "Succeeded";
  remove_condition(status, kFailed);
  set_condition(status, kReady, Truth::kFalse, reason::kDeprovisioned, "The instance was deprovisioned successfully",
                now);
}

void note_refused(json::Object& status, const InstanceView& instance, std::string_view ready_reason,
                  std::string_view failed_reason, std::string_view message, WallTime now) {
  if (!instance.provisioned()) status["deprovisionStatus"] = "NotRequired";
  note_unconfirmed(status, instance);
  end_operation(status);
  clear_retry(status);
  set_condition(status, kReady, Truth::kFalse, ready_reason, message, now);
  set_condition(status, kFailed, Truth::kTrue, failed_reason, message, now);
}

void note_cleaned_up(json::Object& status, const InstanceView& instance, const Settings& settings, WallTime now) {
  end_clean_up(status, settings, instance.object().uid(), now);
  status["provisionStatus"] = "NotProvisioned";
  status["deprovisionStatus"] = "NotRequired";
}

std::vector<controller::Note> note_dashboard(json::Object& status, const osb::Answer& answer) {
  if (!answer.dashboard_url.empty()) status["dashboardURL"] = text(answer.dashboard_url);
  if (answer.dashboard_fault.empty()) return {};
  return {warning(reason::kDashboardNotShown,
                  fmt::format("The broker's dashboard_url {}; it is not shown.", answer.dashboard_fault))};
}

}  // namespace chandler::reconcilers
