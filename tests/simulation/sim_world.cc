#include "simulation/sim_world.h"

#include <algorithm>
#include <utility>

#include "base/check.h"
#include "base/log.h"
#include "json/yaml.h"
#include "registry/kind_loader.h"
#include "simulation/sim_ids.h"

namespace chandler::simulation {
namespace {

const std::vector<registry::KindPtr>& embedded_kinds() {
  static const auto loaded = [] {
    auto result = registry::EmbeddedKinds::load();
    CH_CHECK(result.ok());
    return std::move(result).value();
  }();
  return loaded->kinds();
}

auth::User controller_identity() {
  auto user = client::service_account("kube-system", "service-catalog-controller");
  user.groups.emplace_back(auth::kMasters);
  return user;
}

}  // namespace

SimWorld::SimWorld(uint64_t seed, FaultRates rates, AddReconcilers add_reconcilers)
    : random(seed),
      trace(clock),
      faults(random, rates),
      network(clock, random, faults, trace),
      add_reconcilers_(std::move(add_reconcilers)) {
  log::configure(log::Level::kError, log::Format::kText);  // the trace tells all there is to tell
  seed_ids(seed);
  kinds_.put_all(embedded_kinds());
  for (const auto& kind : embedded_kinds()) CH_CHECK(cache_.serve(*kind).ok());
  local_ = std::make_unique<client::LocalApi>(kinds_, cache_, objects_, policy_, controller_identity());
  CH_CHECK(cache_.follow(store_).ok());
  api_ = std::make_unique<SimApi>(*local_, random, faults, trace);
  start_engine();
}

SimWorld::~SimWorld() {
  engine_.reset();
  store_.stop();
}

void SimWorld::start_engine() {
  engine_.reset();
  engine_metrics_ = std::make_unique<metrics::Registry>();
  controller::EngineOptions checking;
  checking.checks_what_follows = true;
  engine_ = std::make_unique<controller::Engine>(*api_, network, clock, *engine_metrics_, checking);
  add_reconcilers_(*engine_);
  engine_->start();
}

std::shared_ptr<registry::WriteRequest> SimWorld::request(const client::KindName& kind, std::string_view ns,
                                                          std::string_view name) const {
  auto out = std::make_shared<registry::WriteRequest>();
  out->kind = kinds_.current()->find(kind.group, kind.plural);
  CH_CHECK(out->kind != nullptr);
  out->version = &out->kind->storage_version();
  out->ns = ns;
  out->name = name;
  out->user = std::make_shared<const auth::User>(
      auth::User{.name = std::string(user), .uid = {}, .groups = {std::string(auth::kMasters)}, .extra = {}});
  return out;
}

Result<registry::WriteResult> SimWorld::create(const client::KindName& kind, std::string_view ns,
                                               std::string_view yaml) {
  auto object = json::parse_yaml(yaml);
  CH_CHECK(object.ok());
  return create(kind, ns, std::move(object).value().as_object());
}

Result<registry::WriteResult> SimWorld::create(const client::KindName& kind, std::string_view ns, json::Object object) {
  const auto name = json::string_or(object.at("metadata"), "name");
  auto result = objects_.create_and_wait(request(kind, ns, ""), std::move(object));
  trace.add("user creates {} {}/{}: {}", kind.plural, ns, name, result.ok() ? "ok" : result.error().message);
  return result;
}

Result<registry::WriteResult> SimWorld::update(const client::KindName& kind, std::string_view ns, std::string_view name,
                                               const std::function<void(json::Value&)>& change) {
  auto result =
      objects_.update_and_wait(request(kind, ns, name), [&](const registry::Document& current) -> Result<json::Value> {
        json::Value object = current.parse();
        change(object);
        return object;
      });
  trace.add("user updates {} {}/{}: {}", kind.plural, ns, name, result.ok() ? "ok" : result.error().message);
  return result;
}

Result<registry::WriteResult> SimWorld::remove(const client::KindName& kind, std::string_view ns,
                                               std::string_view name) {
  auto result = objects_.remove_and_wait(request(kind, ns, name), {});
  trace.add("user deletes {} {}/{}: {}", kind.plural, ns, name, result.ok() ? "ok" : result.error().message);
  return result;
}

bool SimWorld::step() {
  if (faults.is_down_now()) {
    trace.add("crash");
    ++restarts;
    if (crashed_) crashed_();
    faults.restart();
    start_engine();
    return true;
  }
  // Who goes first is chance, as it would be with threads.
  if (random.chance(0.5)) return engine_->turn() || network.deliver_one();
  return network.deliver_one() || engine_->turn();
}

void SimWorld::run_until(WallTime until) {
  size_t steps = 0;
  for (;;) {
    while (step()) CH_CHECK(++steps < 5'000'000);  // it never rests
    auto next = until;
    if (const auto due = engine_->next_due()) next = std::min(next, *due);
    if (const auto event = network.next_event()) next = std::min(next, *event);
    if (clock.now() >= until) return;
    clock.advance(std::max(next - clock.now(), std::chrono::microseconds(1)));
  }
}

}  // namespace chandler::simulation
