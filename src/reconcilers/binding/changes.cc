#include "reconcilers/binding/changes.h"

#include "base/time_text.h"
#include "reconcilers/catalog/conditions.h"
#include "reconcilers/catalog/operation.h"
#include "reconcilers/catalog/reasons.h"
#include "reconcilers/catalog/retry.h"

namespace chandler::reconcilers {

void note_bound(json::Object& status, const BindingView& binding, WallTime now) {
  status["externalProperties"] = binding.in_progress();
  status["unbindStatus"] = "Required";
  status["bindingID"] = text(binding.id());
  status["reconciledGeneration"] = binding.generation();
  object_in(status, "binding")["name"] = text(binding.secret_name());
  end_operation(status);
  clear_retry(status);
  status.erase("mergedParameters");
  status.erase("mergedSecretTransform");
  remove_condition(status, kFailed);
  set_condition(status, kReady, Truth::kTrue, reason::kInjected, kBoundMessage, now);
}

void note_validity(json::Object& status, const json::Value& body) {
  const auto take = [&](std::string_view from, std::string_view to) {
    const auto value = time_at(member(body, "metadata"), from);
    if (value) {
      status[to] = text(rfc3339(*value));
    } else {
      status.erase(to);
    }
  };
  take("expires_at", "expirationTime");
  take("renew_before", "renewBeforeTime");
}

void note_unbound(json::Object& status, WallTime now) {
  end_operation(status);
  clear_retry(status);
  status.erase("externalProperties");
  status["unbindStatus"] = "Succeeded";
  remove_condition(status, kFailed);
  set_condition(status, kReady, Truth::kFalse, reason::kUnbound, "The binding was deleted successfully", now);
}

void note_refused(json::Object& status, const BindingView& binding, std::string_view failed_reason,
                  std::string_view message, WallTime now) {
  status["unbindStatus"] = "NotRequired";
  status["reconciledGeneration"] = binding.generation();
  end_operation(status);
  clear_retry(status);
  set_condition(status, kReady, Truth::kFalse, reason::kBindCallFailed, message, now);
  set_condition(status, kFailed, Truth::kTrue, failed_reason, message, now);
}

void note_cleaned_up(json::Object& status, const BindingView& binding, const Settings& settings, WallTime now) {
  end_clean_up(status, settings, binding.object().uid(), now);
  status.erase("externalProperties");
  status.erase("bindingID");
  status["unbindStatus"] = "NotRequired";
}

}  // namespace chandler::reconcilers
