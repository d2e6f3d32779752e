#include "svcat/catalog/story.h"

#include <algorithm>

#include <fmt/format.h>

#include "base/text.h"
#include "base/time_text.h"
#include "svcat/catalog/fields.h"
#include "svcat/catalog/parameter_sources.h"
#include "svcat/output/table.h"

namespace chandler::svcat {
namespace {

constexpr size_t kMaxEvents = 20;

std::string when(std::string_view time, WallTime now) {
  const auto at = parse_rfc3339(time);
  if (!at) return std::string(time);
  const auto in = std::chrono::ceil<std::chrono::seconds>(*at - now);
  return in.count() > 0 ? fmt::format("at {} (in {})", utc(time), go_duration(in))
                        : fmt::format("now, due at {}", utc(time));
}

std::string first_of(const json::Value& properties, std::string_view a, std::string_view b) {
  auto text = text_at(properties, {a});
  return text.empty() ? text_at(properties, {b}) : text;
}

void tell_request(Details& details, std::string_view what, const json::Value* properties) {
  if (properties == nullptr || !properties->is_object()) return;
  const auto broker = first_of(*properties, "clusterServiceBrokerName", "serviceBrokerName");
  const auto plan = first_of(*properties, "clusterServicePlanExternalName", "servicePlanExternalName");
  const auto plan_id = first_of(*properties, "clusterServicePlanExternalID", "servicePlanExternalID");
  const auto user = text_at(*properties, {"userInfo", "username"});
  std::string line(what);
  if (!broker.empty()) line += fmt::format(" to broker {}", broker);
  if (!plan.empty()) line += fmt::format(", plan {} ({})", plan, plan_id);
  if (!user.empty()) line += fmt::format(", on behalf of {}", user);
  details.line(line);
  if (const auto* parameters = json::find(*properties, "parameters");
      parameters != nullptr && parameters->is_object()) {
    details.yaml(json::Value(json::Object{{"with parameters", *parameters}}));
  }
}

// Times are whole seconds; what happened within one is in the order in which it was written.
int64_t revision_of(const json::Value& object) {
  return parse_int64(text_at(object, {"metadata", "resourceVersion"})).value_or(0);
}

// A clean-up begins to count anew, and what it follows on is a round.
std::string last_try(const json::Value& object) {
  const auto attempts = number_at(object, {"status", "retry", "attempts"});
  const auto rounds = number_at(object, {"status", "retry", "rounds"});
  if (attempts > 0) return fmt::format("Try {}", attempts);
  return rounds > 0 ? fmt::format("Try {}", rounds) : "The last try";
}

bool waits_for_bindings(const json::Value& object) {
  const auto reason = readiness_word(object);
  return reason == "DeprovisionBlockedByExistingCredentials" || reason == "ServiceBindingsDeletion";
}

std::string event_time(const json::Value& event) {
  for (const std::string_view field : {"lastTimestamp", "eventTime", "firstTimestamp"}) {
    if (auto time = text_at(event, {field}); !time.empty()) return time;
  }
  return text_at(event, {"metadata", "creationTimestamp"});
}

}  // namespace

std::string headline(const Kind& kind, const json::Value& object) {
  const auto word = status_word(object);
  std::string state = word.empty()                        ? "has not been looked at by the controller yet"
                      : condition_holds(object, "Ready")  ? "is ready"
                      : condition_holds(object, "Failed") ? "has failed"
                                                          : fmt::format("is not ready ({})", word);
  if (is_deleting(object)) state = fmt::format("is being deleted{}", word.empty() ? "" : fmt::format(" ({})", word));
  auto noun = std::string(kind.noun);
  noun[0] = static_cast<char>(noun[0] - 'a' + 'A');
  return fmt::format("{} {} of namespace {} {}.", noun, name_of(object), namespace_of(object), state);
}

void tell_choice(Details& details, const json::Value& resolution) {
  const auto scope = text_at(resolution, {"scope"});
  if (const auto message = text_at(resolution, {"message"}); !message.empty()) details.line(message);
  details.line(fmt::format(
      "Class {} ({}) and plan {} ({}){}{}", text_at(resolution, {"classExternalName"}),
      text_at(resolution, {"className"}), text_at(resolution, {"planExternalName"}), text_at(resolution, {"planName"}),
      scope.empty() ? "" : fmt::format(" of the {}", to_lower(scope)),
      text_at(resolution, {"time"}).empty() ? "" : fmt::format(", decided @ {}", utc(text_at(resolution, {"time"})))));
}

void tell_parameters(Call& call, Details& details, const json::Value& object, std::string_view user_layer) {
  ParameterSources what;
  if (const auto* parameters = json::find_path(object, {"spec", "parameters"})) what.parameters = *parameters;
  what.names[std::string(user_layer)] = fmt::format("{} (you)", to_lower(user_layer));
  what.names["Class"] = "class default";
  what.names["Plan"] = "plan default";
  if (const auto* sources = json::find_path(object, {"status", "parameterSources"});
      sources != nullptr && sources->is_object()) {
    for (const auto& [pointer, source] : sources->get_object()) {
      if (source.is_string()) what.sources[std::string(pointer)] = std::string(json::view(source.get_string()));
    }
  } else if (what.parameters.is_object()) {
    // Not merged yet, or by a controller that keeps no record: what stands in the spec.
    for (const auto& [key, value] : what.parameters.get_object()) what.sources["/" + std::string(key)] = user_layer;
  }
  details.section("Parameters");
  if (what.sources.empty()) {
    details.line("No parameters");
  } else {
    print_parameter_table(call, what);
  }
  if (const auto* from = array_at(object, {"spec", "parametersFrom"})) {
    for (const auto& one : from->get_array()) {
      details.line(fmt::format("and those in key {} of secret {}", text_at(one, {"secretKeyRef", "key"}),
                               text_at(one, {"secretKeyRef", "name"})));
    }
  }
}

void tell_broker(Call& call, Details& details, const json::Value& object) {
  details.section("Broker");
  const auto operation = text_at(object, {"status", "currentOperation"});
  const auto* in_progress = json::find_path(object, {"status", "inProgressProperties"});
  const auto* external = json::find_path(object, {"status", "externalProperties"});
  if (external != nullptr) tell_request(details, "Carried out: the request", external);
  if (!operation.empty()) {
    tell_request(details, fmt::format("Under way: {}", operation), in_progress);
    const auto since = text_at(object, {"status", "operationStartTime"});
    details.line(
        fmt::format("{} began @ {}{}", operation, utc(since),
                    true_at(object, {"status", "asyncOpInProgress"}) ? "; the broker works on it and is polled" : ""));
  }
  if (true_at(object, {"status", "orphanMitigationInProgress"})) {
    details.line("What a failed request may have left at the broker is being removed.");
  }
  if (external == nullptr && operation.empty()) details.line("Nothing has been sent to a broker.");
  tell_conditions(call, object);
}

void tell_conditions(Call& call, const json::Value& object) {
  const auto* conditions = array_at(object, {"status", "conditions"});
  if (conditions == nullptr) return;
  Table table(call.out(), {{"CONDITION"}, {"STATUS"}, {"REASON"}, {"MESSAGE", true}, {"SINCE"}}, call.style());
  for (const auto& condition : conditions->get_array()) {
    table.add({text_at(condition, {"type"}), text_at(condition, {"status"}), text_at(condition, {"reason"}),
               text_at(condition, {"message"}), text_at(condition, {"lastTransitionTime"})});
  }
  table.flush();
}

Result<void> tell_events(Call& call, Details& details, const Kind& kind, const json::Value& object) {
  CH_TRY_LET(catalog, call.catalog());
  details.section("Events");
  auto events =
      catalog->list(events_kind(), kind.namespaced ? namespace_of(object) : "",
                    {{"involvedObject.kind", std::string(kind.name)}, {"involvedObject.name", name_of(object)}});
  if (!events.ok()) {
    if (events.error().reason != Reason::kForbidden) return std::move(events).error();
    details.line("You may not see events of this namespace");
    return {};
  }
  std::erase_if(*events, [&](const json::Value& event) {
    const auto uid = text_at(event, {"involvedObject", "uid"});
    return !uid.empty() && uid != text_at(object, {"metadata", "uid"});
  });
  std::stable_sort(events->begin(), events->end(), [](const json::Value& a, const json::Value& b) {
    return std::pair(event_time(a), revision_of(a)) < std::pair(event_time(b), revision_of(b));
  });
  if (events->size() > kMaxEvents) events->erase(events->begin(), events->end() - kMaxEvents);
  if (events->empty()) {
    details.line("None (they are kept for some hours only)");
    return {};
  }
  Table table(call.out(), {{"TIME"}, {"TYPE"}, {"REASON"}, {"MESSAGE", true}}, call.style());
  for (const auto& event : *events) {
    const auto count = number_at(event, {"count"});
    table.add({event_time(event), text_at(event, {"type"}), text_at(event, {"reason"}),
               text_at(event, {"message"}) + (count > 1 ? fmt::format(" ({} times)", count) : "")});
  }
  table.flush();
  return {};
}

void tell_next(Call& call, Details& details, const Kind& kind, const json::Value& object) {
  details.section("What happens next");
  const auto now = call.env().clock.now();
  const auto attempt = text_at(object, {"status", "retry", "nextAttemptTime"});
  if (const auto error = text_at(object, {"status", "retry", "lastError"}); !error.empty()) {
    details.line(fmt::format("{} failed: {}", last_try(object), error));
  }
  if (true_at(object, {"status", "asyncOpInProgress"}) && !attempt.empty()) {
    details.line(fmt::format("The broker is asked again how the operation stands {}.", when(attempt, now)));
  } else if (!attempt.empty()) {
    details.line(fmt::format("The next try is {}.", when(attempt, now)));
  } else if (condition_holds(object, "Failed")) {
    details.line(
        kind.noun == "instance"
            ? fmt::format("Nothing: the controller has given up. Change the instance, or try again: svcat touch "
                          "instance {} -n {}",
                          name_of(object), namespace_of(object))
            : std::string("Nothing: the controller has given up. Unbind, and bind again."));
  } else if (is_deleting(object) && waits_for_bindings(object)) {
    details.line(fmt::format("It goes when its bindings are gone. To end them: svcat unbind {} -n {}", name_of(object),
                             namespace_of(object)));
  } else if (is_deleting(object)) {
    details.line(fmt::format(
        "It goes when its broker has let go of it. If the broker is gone for good: svcat {} -n {} --abandon",
        kind.noun == "instance" ? fmt::format("deprovision {}", name_of(object))
                                : fmt::format("unbind --name {}", name_of(object)),
        namespace_of(object)));
  } else if (condition_holds(object, "Ready")) {
    details.line("Nothing: it is done.");
  } else {
    details.line("The controller works on it when something that it waits for changes.");
  }
}

}  // namespace chandler::svcat
