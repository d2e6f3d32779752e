#include "osb/client/shape.h"

#include <fmt/format.h>

#include <span>

#include "base/text.h"
#include "base/time_text.h"

namespace chandler::osb {
namespace {

constexpr size_t kMaxText = 10'000;  // characters, as the API says of `operation`

enum class Type { kText, kObject, kList, kTruth, kTime, kState };

struct Field {
  std::string_view name;
  Type type;
  bool required = false;
};

constexpr Field kCatalog[] = {{"services", Type::kList, true}};
constexpr Field kOperation[] = {{"operation", Type::kText}};
constexpr Field kInstance[] = {{"dashboard_url", Type::kText}, {"operation", Type::kText}, {"metadata", Type::kObject}};
constexpr Field kStoredInstance[] = {{"service_id", Type::kText},         {"plan_id", Type::kText},
                                     {"dashboard_url", Type::kText},      {"parameters", Type::kObject},
                                     {"maintenance_info", Type::kObject}, {"metadata", Type::kObject}};
constexpr Field kBinding[] = {{"credentials", Type::kObject},     {"syslog_drain_url", Type::kText},
                              {"route_service_url", Type::kText}, {"volume_mounts", Type::kList},
                              {"endpoints", Type::kList},         {"metadata", Type::kObject},
                              {"parameters", Type::kObject}};
constexpr Field kBindingDates[] = {{"expires_at", Type::kTime}, {"renew_before", Type::kTime}};
constexpr Field kPolled[] = {{"state", Type::kState, true},
                             {"description", Type::kText},
                             {"instance_usable", Type::kTruth},
                             {"update_repeatable", Type::kTruth}};

std::span<const Field> fields_of(Method method, int status) {
  switch (method) {
    case Method::kGetCatalog:
      return kCatalog;
    case Method::kProvision:
    case Method::kUpdate:
      return kInstance;
    case Method::kDeprovision:
    case Method::kUnbind:
      return kOperation;
    case Method::kGetInstance:
      return kStoredInstance;
    case Method::kBind:
      return status == 202 ? std::span<const Field>(kOperation) : std::span<const Field>(kBinding);
    case Method::kGetBinding:
      return kBinding;
    case Method::kPollInstance:
    case Method::kPollBinding:
      return kPolled;
  }
  return {};
}

std::string text_fault(const json::Value& value) {
  if (!value.is_string()) return "must be a string";
  return utf8_length(json::view(value.get_string())) > kMaxText ? "is longer than 10000 characters" : "";
}

std::string fault_of(Type type, const json::Value& value) {
  switch (type) {
    case Type::kText:
      return text_fault(value);
    case Type::kObject:
      return value.is_object() ? "" : "must be an object";
    case Type::kList:
      return value.is_array() ? "" : "must be a list";
    case Type::kTruth:
      return value.is_bool() ? "" : "must be true or false";
    case Type::kTime:
      return value.is_string() && parse_rfc3339(json::view(value.get_string())) ? "" : "must be an RFC 3339 time";
    case Type::kState:
      if (value.is_string()) {
        const auto state = json::view(value.get_string());
        if (state == "in progress" || state == "succeeded" || state == "failed") return "";
      }
      return R"(must be "in progress", "succeeded" or "failed")";
  }
  return "";
}

// The first fault; null counts as absent.
std::string find_fault(std::span<const Field> fields, const json::Value& object, std::string_view prefix) {
  for (const Field& field : fields) {
    const json::Value* value = json::find(object, field.name);
    std::string fault;
    if (value == nullptr || value->is_null()) {
      if (field.required) fault = "is missing";
    } else {
      fault = fault_of(field.type, *value);
    }
    if (!fault.empty()) return fmt::format("{}{} {}", prefix, field.name, fault);
  }
  return "";
}

}  // namespace

bool may_be_empty(Method method, int status) {
  return (method == Method::kDeprovision || method == Method::kUnbind) && status == 200;
}

std::string find_fault(Method method, int status, const json::Value& body) {
  std::string fault = find_fault(fields_of(method, status), body, "");
  const bool binding = method == Method::kGetBinding || (method == Method::kBind && status != 202);
  if (!fault.empty() || !binding) return fault;
  const json::Value* metadata = json::find(body, "metadata");
  return metadata == nullptr ? "" : find_fault(kBindingDates, *metadata, "metadata.");
}

}  // namespace chandler::osb
