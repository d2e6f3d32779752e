#include "registry/event_conversion.h"

#include <array>
#include <string_view>
#include <utility>

namespace chandler::registry {
namespace {

struct Pair {
  std::string_view core;
  std::string_view events;
};

// Fields that go by different names; the others have the same name in both forms.
constexpr std::array kNames = {
    Pair{"involvedObject", "regarding"},
    Pair{"message", "note"},
    Pair{"source", "deprecatedSource"},
    Pair{"firstTimestamp", "deprecatedFirstTimestamp"},
    Pair{"lastTimestamp", "deprecatedLastTimestamp"},
    Pair{"count", "deprecatedCount"},
    Pair{"reportingComponent", "reportingController"},
};

json::Value rename(json::Value event, bool from_core) {
  auto& object = event.as_object();
  for (const auto& pair : kNames) {
    const auto from = from_core ? pair.core : pair.events;
    const auto to = from_core ? pair.events : pair.core;
    if (auto* value = object.if_contains(from)) {
      json::Value moved = std::move(*value);
      object.erase(from);
      const bool empty = moved.is_string() && moved.get_string().empty();
      if (!empty || !from_core) object[to] = std::move(moved);
    }
  }
  if (from_core) {
    // v1 always shows who reported, the new form only when it is known.
    const auto* instance = object.if_contains("reportingInstance");
    if (instance != nullptr && instance->is_string() && instance->get_string().empty())
      object.erase("reportingInstance");
  }
  object["apiVersion"] = from_core ? "events.k8s.io/v1" : "v1";
  return event;
}

}  // namespace

json::Value event_from_core(json::Value event) { return rename(std::move(event), true); }

json::Value event_to_core(json::Value event) { return rename(std::move(event), false); }

}  // namespace chandler::registry
