// The cells of a Pod. Ready, Status and Restarts come from one walk over its containers.
#include <fmt/format.h>

#include <algorithm>
#include <map>
#include <set>

#include "apiserver/cells.h"
#include "apiserver/cells/reading.h"

namespace chandler::apiserver {
namespace {

using namespace cells;

// Restarts of some containers and when the last of them happened.
struct Restarts {
  int64_t count = 0;
  std::string_view last;  // RFC 3339 in UTC with whole seconds: text order is time order

  void add(const json::Value& status) {
    count += int_at(status, {"restartCount"});
    last = std::max(last, text_at(status, {"lastState", "terminated", "finishedAt"}));
  }
};

struct Walk {
  std::string word;
  size_t total = 0;
  size_t ready = 0;
  Restarts restarts;
};

std::string exit_text(const json::Value& terminated) {
  if (const auto signal = int_at(terminated, {"signal"}); signal != 0) return fmt::format("Signal:{}", signal);
  return fmt::format("ExitCode:{}", int_at(terminated, {"exitCode"}));
}

std::set<std::string_view> sidecar_names(const json::Value& pod) {
  std::set<std::string_view> names;
  for (const auto& container : array_at(pod, {"spec", "initContainers"})) {
    if (text_at(container, {"restartPolicy"}) == "Always") names.insert(text_at(container, {"name"}));
  }
  return names;
}

// What an init container that is not done says about the Pod.
std::string init_word(const json::Value& status, size_t index, size_t count) {
  if (const auto* terminated = json::find_path(status, {"state", "terminated"}); terminated != nullptr) {
    const auto reason = text_at(*terminated, {"reason"});
    return "Init:" + (reason.empty() ? exit_text(*terminated) : std::string(reason));
  }
  const auto waiting = text_at(status, {"state", "waiting", "reason"});
  if (!waiting.empty() && waiting != "PodInitializing") return "Init:" + std::string(waiting);
  return fmt::format("Init:{}/{}", index, count);
}

// True when an init container is still at work; restarts of sidecars also go to `sidecar_restarts`.
bool walk_init_containers(const json::Value& pod, const std::set<std::string_view>& sidecars, Walk& walk,
                          Restarts& sidecar_restarts) {
  const auto& statuses = array_at(pod, {"status", "initContainerStatuses"});
  for (size_t i = 0; i < statuses.size(); ++i) {
    const auto& status = statuses[i];
    const bool sidecar = sidecars.contains(text_at(status, {"name"}));
    walk.restarts.add(status);
    if (sidecar) sidecar_restarts.add(status);
    const auto* terminated = json::find_path(status, {"state", "terminated"});
    if (terminated != nullptr && int_at(*terminated, {"exitCode"}) == 0) continue;
    if (sidecar && json::bool_at(status, "started").value_or(false)) {
      if (json::bool_at(status, "ready").value_or(false)) ++walk.ready;
      continue;
    }
    walk.word = init_word(status, i, array_at(pod, {"spec", "initContainers"}).size());
    return true;
  }
  return false;
}

void walk_containers(const json::Value& pod, Walk& walk) {
  bool running = false;
  const auto& statuses = array_at(pod, {"status", "containerStatuses"});
  for (size_t i = statuses.size(); i-- > 0;) {
    const auto& status = statuses[i];
    walk.restarts.add(status);
    const auto waiting = text_at(status, {"state", "waiting", "reason"});
    const auto* terminated = json::find_path(status, {"state", "terminated"});
    const auto reason = text_at(status, {"state", "terminated", "reason"});
    if (!waiting.empty()) {
      walk.word = waiting;
    } else if (!reason.empty()) {
      walk.word = reason;
    } else if (terminated != nullptr && walk.word.empty()) {
      walk.word = exit_text(*terminated);
    } else if (json::bool_at(status, "ready").value_or(false) && has(status, {"state", "running"})) {
      running = true;
      ++walk.ready;
    }
  }
  if (walk.word == "Completed" && running) walk.word = condition_holds(pod, "Ready") ? "Running" : "NotReady";
}

Walk walk_pod(const json::Value& pod) {
  Walk walk;
  const auto phase = text_at(pod, {"status", "phase"});
  const auto reason = text_at(pod, {"status", "reason"});
  walk.word = first_of(reason, phase);
  if (const auto* scheduled = condition(pod, "PodScheduled");
      scheduled != nullptr && text_at(*scheduled, {"reason"}) == "SchedulingGated") {
    walk.word = "SchedulingGated";
  }
  const auto sidecars = sidecar_names(pod);
  walk.total = array_at(pod, {"spec", "containers"}).size() + sidecars.size();

  Restarts sidecar_restarts;
  const bool initializing = walk_init_containers(pod, sidecars, walk, sidecar_restarts);
  if (!initializing || condition_holds(pod, "Initialized")) {
    walk.restarts = sidecar_restarts;
    walk_containers(pod, walk);
  }

  if (has(pod, {"metadata", "deletionTimestamp"})) {
    if (reason == "NodeLost") {
      walk.word = "Unknown";
    } else if (phase != "Succeeded" && phase != "Failed") {
      walk.word = "Terminating";
    }
  }
  return walk;
}

json::Value pod_ready(const json::Value& pod, WallTime) {
  const auto walk = walk_pod(pod);
  return json::Value(fmt::format("{}/{}", walk.ready, walk.total));
}

json::Value pod_status(const json::Value& pod, WallTime) { return json::Value(walk_pod(pod).word); }

json::Value pod_restarts(const json::Value& pod, WallTime now) {
  const auto restarts = walk_pod(pod).restarts;
  if (restarts.count == 0 || restarts.last.empty()) return json::Value(fmt::format("{}", restarts.count));
  return json::Value(fmt::format("{} ({} ago)", restarts.count, age(restarts.last, now)));
}

json::Value pod_readiness_gates(const json::Value& pod, WallTime) {
  const auto& gates = array_at(pod, {"spec", "readinessGates"});
  if (gates.empty()) return "<none>";
  // The first condition of a type decides, as in Kubernetes.
  std::map<std::string_view, bool> holds;
  for (const auto& entry : array_at(pod, {"status", "conditions"})) {
    holds.emplace(text_at(entry, {"type"}), text_at(entry, {"status"}) == "True");
  }
  const auto open = std::count_if(gates.begin(), gates.end(), [&](const json::Value& gate) {
    const auto found = holds.find(text_at(gate, {"conditionType"}));
    return found != holds.end() && found->second;
  });
  return json::Value(fmt::format("{}/{}", open, gates.size()));
}

constexpr NamedCell kCells[] = {
    {"pod-ready", pod_ready},
    {"pod-status", pod_status},
    {"pod-restarts", pod_restarts},
    {"pod-readiness-gates", pod_readiness_gates},
};

}  // namespace

std::span<const NamedCell> pod_cells() { return kCells; }

}  // namespace chandler::apiserver
