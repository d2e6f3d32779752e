#include "admission/fields.h"
#include "admission/kind_rules.h"
#include "meta/names.h"

namespace chandler::admission {
namespace {

constexpr std::string_view kDefaultNamespace = "default";
constexpr std::string_view kSystemNamespace = "kube-system";
constexpr int64_t kMinSeries = 2;

// An event stands in the namespace of its object; events about the cluster's objects stand in one of the system.
void check_place(const json::Value& event, bool timed, meta::FieldErrors& errors) {
  const auto ns = namespace_of(event);
  const auto object_ns = json::string_or(member(event, "involvedObject"), "namespace");
  const bool of_system = ns == kDefaultNamespace || (timed && ns == kSystemNamespace);
  const bool fine = object_ns.empty() ? of_system : timed || object_ns == ns;
  if (fine) return;
  errors.invalid(meta::Path("involvedObject").member("namespace"), object_ns,
                 "an event is made in the namespace of the object it is about, or in default when that has none");
}

// An event with eventTime says who reported what; one without is of the old form and may leave that out.
void check_report(const json::Value& event, std::string_view reporter_field, meta::FieldErrors& errors) {
  const meta::Path reporter(reporter_field);
  const auto name = json::string_or(event, "reportingComponent");
  if (name.empty()) errors.required(reporter, "who reports the event, such as example.com/controller");
  if (auto fault = meta::check_qualified_name(name); !fault.empty()) errors.invalid(reporter, name, fault);
  for (const std::string_view field : {"reportingInstance", "action", "reason"}) {
    if (!filled(event, field)) errors.required(meta::Path(field), "an event with eventTime has it");
  }
}

void check_series(const json::Value& event, meta::FieldErrors& errors) {
  const auto& series = member(event, "series");
  if (series.is_null()) return;
  const meta::Path path("series");
  if (!filled(series, "lastObservedTime")) errors.required(path.member("lastObservedTime"));
  const auto& count = member(series, "count");
  if (json::int_at(series, "count").value_or(0) < kMinSeries) {
    errors.invalid(path.member("count"), count, "a series has at least two events");
  }
}

}  // namespace

void check_core_event(const Context& context, meta::FieldErrors& errors) {
  const auto& event = *context.object;
  const bool timed = present(event, "eventTime");
  check_place(event, timed, errors);
  if (timed) check_report(event, "reportingComponent", errors);
}

void check_event(const Context& context, meta::FieldErrors& errors) {
  const auto& event = *context.object;
  const bool timed = present(event, "eventTime");
  check_place(event, timed, errors);
  if (timed) check_report(event, "reportingController", errors);
  if (context.operation != registry::Operation::kCreate) return;  // others may have been made through the core group
  if (!timed) errors.required(meta::Path("eventTime"));
  check_series(event, errors);
  const auto type = json::string_or(event, "type");
  if (type != "Normal" && type != "Warning") errors.invalid(meta::Path("type"), type, "must be Normal or Warning");
  for (const auto& [field, shown] :
       {std::pair<std::string_view, std::string_view>{"firstTimestamp", "deprecatedFirstTimestamp"},
        {"lastTimestamp", "deprecatedLastTimestamp"},
        {"count", "deprecatedCount"},
        {"source", "deprecatedSource"}}) {
    const auto& value = member(event, field);
    if (filled(&value) && value != json::Value(0)) {
      errors.invalid(meta::Path(shown), value, "only events of the old form have it");
    }
  }
}

}  // namespace chandler::admission
