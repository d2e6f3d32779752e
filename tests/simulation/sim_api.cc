#include "simulation/sim_api.h"

#include <future>
#include <utility>

namespace chandler::simulation {
namespace {

std::string_view name_of(client::Write::Verb verb) {
  constexpr std::string_view kNames[] = {"create", "update", "status", "delete", "both"};
  return kNames[static_cast<size_t>(verb)];
}

// Where an object stands, for readers of the story.
std::string progress_of(const client::Write& write) {
  std::string out;
  const auto* status = json::find(write.object, "status");
  for (const std::string_view field : {"currentOperation", "provisionStatus", "deprovisionStatus", "unbindStatus"}) {
    const auto value = status == nullptr ? "" : json::string_or(*status, field);
    if (!value.empty()) out += fmt::format(" {}={}", field, value);
  }
  return out;
}

}  // namespace

void SimApi::write(client::Write write, Done done) {
  if (faults_.is_down_now()) return;
  const bool is_event = write.kind.plural == "events";  // best effort, and named by the moment
  const std::string what =
      fmt::format("{} {} {}/{}{}", name_of(write.verb), write.kind.plural, write.ns, write.name, progress_of(write));
  const bool fails = !is_event && faults_.write_fails();
  if (fails && random_.chance(0.5)) {
    trace_.add("write {}: failed before", what);
    return done(unavailable("simulated: the store is full"));
  }
  if (write.with_status) write.with_status = writes_both();
  write.more_follows = false;  // it is waited for
  const client::KindName kind = write.kind;
  const bool is_deletion = write.verb == client::Write::Verb::kDelete;
  auto result = [&] {
    std::promise<Result<client::Object>> promise;
    auto future = promise.get_future();
    real_.writer().write(std::move(write), [&](Result<client::Object> got) { promise.set_value(std::move(got)); });
    return future.get();
  }();
  if (!is_event) trace_.add("write {}: {}", what, result.ok() ? "ok" : result.error().message);
  if (result.ok() && !is_deletion && observer_) observer_(kind, *result);
  if (faults_.is_down_now()) return;
  if (fails && result.ok()) {
    trace_.add("write {}: reported as failed", what);
    return done(timeout("simulated: the answer of the store got lost"));
  }
  done(std::move(result));
}

client::Access::Decision SimApi::may(const auth::Attributes& attributes) {
  if (denied_.contains(attributes.user->name)) return Decision::kDenied;
  return real_.access().may(attributes);
}

}  // namespace chandler::simulation
