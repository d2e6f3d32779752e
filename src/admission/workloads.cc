#include <array>
#include <optional>
#include <string>

#include "admission/fields.h"
#include "admission/kind_rules.h"
#include "admission/pod_spec.h"
#include "admission/workload_selector.h"
#include "base/text.h"

namespace chandler::admission {
namespace {

constexpr std::string_view kRolling = "RollingUpdate";
constexpr int64_t kAllPercent = 100;

// A number of pods or a share of them.
struct Amount {
  int64_t value = 0;
  bool percent = false;
};

std::optional<Amount> read_amount(const json::Value& value) {
  if (const auto* number = value.if_int64()) return *number < 0 ? std::nullopt : std::optional(Amount{*number, false});
  if (!value.is_string()) return std::nullopt;
  auto digits = json::view(value.get_string());
  if (!digits.ends_with('%')) return std::nullopt;
  digits.remove_suffix(1);
  const auto number = parse_int64(digits);
  if (!number || *number < 0) return std::nullopt;
  return Amount{*number, true};
}

std::optional<Amount> check_amount(const json::Value& update, std::string_view field, const meta::Path& path,
                                   meta::FieldErrors& errors) {
  const auto& value = member(update, field);
  if (value.is_null()) return Amount{};
  const auto amount = read_amount(value);
  if (!amount) errors.invalid(path.member(field), value, "must be a number from 0 on or a share such as \"25%\"");
  return amount;
}

std::optional<Amount> check_unavailable(const json::Value& update, const meta::Path& path, meta::FieldErrors& errors) {
  const auto amount = check_amount(update, "maxUnavailable", path, errors);
  if (amount && amount->percent && amount->value > kAllPercent) {
    errors.invalid(path.member("maxUnavailable"), member(update, "maxUnavailable"), "must not be more than 100%");
  }
  return amount;
}

json::Object& strategy_in(Context& context, std::string_view field) {
  return object_in(object_in(*context.object, "spec"), field);
}

bool is_rolling(const json::Object& strategy) {
  const auto* type = strategy.if_contains("type");
  return type != nullptr && *type == text(kRolling);
}

void default_template(Context& context) { default_pod_template(object_in(*context.object, "spec")); }

}  // namespace

void default_deployment(Context& context) {
  default_template(context);
  auto& strategy = strategy_in(context, "strategy");
  if (!is_rolling(strategy)) return;
  auto& update = object_in(strategy, "rollingUpdate");
  set_default(update, "maxUnavailable", "25%");
  set_default(update, "maxSurge", "25%");
}

void check_deployment(const Context& context, meta::FieldErrors& errors) {
  const auto& spec = member(*context.object, "spec");
  const meta::Path path("spec");
  check_long_running(spec, path, errors);
  const auto& strategy = member(spec, "strategy");
  const auto strategy_path = path.member("strategy");
  const auto type = json::string_or(strategy, "type");
  const auto& update = member(strategy, "rollingUpdate");
  const auto update_path = strategy_path.member("rollingUpdate");
  if (type == kRolling) {
    const auto unavailable = check_unavailable(update, update_path, errors);
    const auto surge = check_amount(update, "maxSurge", update_path, errors);
    if (unavailable && surge && unavailable->value == 0 && surge->value == 0) {
      errors.invalid(update_path.member("maxUnavailable"), member(update, "maxUnavailable"),
                     "must not be 0 when maxSurge is 0, or no pod could ever be replaced");
    }
  } else if (type != "Recreate") {
    errors.not_supported(strategy_path, text(type), {"Recreate", std::string(kRolling)});
  } else if (!update.is_null()) {
    errors.forbidden(update_path, "goes with the type RollingUpdate only");
  }
  const auto deadline = json::int_at(spec, "progressDeadlineSeconds");
  if (deadline && *deadline <= json::int_at(spec, "minReadySeconds").value_or(0)) {
    errors.invalid(path.member("progressDeadlineSeconds"), member(spec, "progressDeadlineSeconds"),
                   "must be more than minReadySeconds");
  }
}

void default_replica_set(Context& context) { default_template(context); }

void check_replica_set(const Context& context, meta::FieldErrors& errors) {
  check_long_running(member(*context.object, "spec"), meta::Path("spec"), errors);
}

void default_stateful_set(Context& context) {
  default_template(context);
  auto& strategy = strategy_in(context, "updateStrategy");
  if (is_rolling(strategy)) set_default(object_in(strategy, "rollingUpdate"), "partition", 0);
}

void check_stateful_set(const Context& context, meta::FieldErrors& errors) {
  const auto& spec = member(*context.object, "spec");
  const meta::Path path("spec");
  check_long_running(spec, path, errors);
  const auto& strategy = member(spec, "updateStrategy");
  const auto strategy_path = path.member("updateStrategy");
  const auto& update = member(strategy, "rollingUpdate");
  const auto type = json::string_or(strategy, "type");
  if (type == kRolling) {
    const auto amount = check_unavailable(update, strategy_path.member("rollingUpdate"), errors);
    if (present(update, "maxUnavailable") && amount && amount->value == 0) {
      errors.invalid(strategy_path.member("rollingUpdate").member("maxUnavailable"), member(update, "maxUnavailable"),
                     "must not be 0");
    }
  } else if (type != "OnDelete") {
    errors.invalid(strategy_path, strategy, "the type must be RollingUpdate or OnDelete");
  } else if (!update.is_null()) {
    errors.invalid(strategy_path.member("rollingUpdate"), update, "goes with the type RollingUpdate only");
  }
  if (context.old == nullptr) return;
  constexpr std::array<std::string_view, 7> kMutable = {"replicas",
                                                        "ordinals",
                                                        "template",
                                                        "updateStrategy",
                                                        "revisionHistoryLimit",
                                                        "minReadySeconds",
                                                        "persistentVolumeClaimRetentionPolicy"};
  json::Value now = spec;
  json::Value before = member(*context.old, "spec");
  for (const auto field : kMutable) {
    if (now.is_object()) now.get_object().erase(field);
    if (before.is_object()) before.get_object().erase(field);
  }
  if (!json::equal(now, before)) {
    errors.forbidden(path, "of a StatefulSet only these can change: " + join({kMutable.begin(), kMutable.end()}, ", "));
  }
}

void default_daemon_set(Context& context) {
  default_template(context);
  auto& strategy = strategy_in(context, "updateStrategy");
  if (!is_rolling(strategy)) return;
  auto& update = object_in(strategy, "rollingUpdate");
  set_default(update, "maxUnavailable", 1);
  set_default(update, "maxSurge", 0);
}

void check_daemon_set(const Context& context, meta::FieldErrors& errors) {
  const auto& spec = member(*context.object, "spec");
  const meta::Path path("spec");
  check_long_running(spec, path, errors);
  const auto& strategy = member(spec, "updateStrategy");
  if (json::string_or(strategy, "type") != kRolling) return;
  const auto& update = member(strategy, "rollingUpdate");
  const auto update_path = path.member("updateStrategy").member("rollingUpdate");
  const auto unavailable = check_unavailable(update, update_path, errors);
  const auto surge = check_amount(update, "maxSurge", update_path, errors);
  if (!unavailable || !surge) return;
  if (unavailable->value == 0 && surge->value == 0) {
    errors.required(update_path.member("maxUnavailable"), "must not be 0 when maxSurge is 0");
  } else if (unavailable->value != 0 && surge->value != 0) {
    errors.invalid(update_path.member("maxSurge"), member(update, "maxSurge"), "must be 0 when maxUnavailable is not");
  }
}

}  // namespace chandler::admission
