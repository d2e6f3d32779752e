#include "brokers/database/database_service.h"

#include <utility>

#include <fmt/format.h>

#include "base/text.h"
#include "brokers/derived_name.h"
#include "brokers/random_password.h"

namespace chandler::brokers {
namespace {

using osb::server::BindingSpec;
using osb::server::InstanceSpec;
using osb::server::Progress;
using osb::server::Work;

constexpr std::string_view kSharedServer = "shared";
constexpr std::string_view kServerParameter = "server";
constexpr std::string_view kConnectionsParameter = "maxConnections";

Error refused(std::string message) {
  Error error;
  error.reason = Reason::kInvalid;
  error.message = std::move(message);
  return error;
}

std::string server_name(std::string_view instance_id) { return derived_name("s", instance_id); }

// Ids of bindings are unique within their instance only. No id holds a zero byte, so two pairs never look the same.
std::string login_name(const BindingSpec& binding) {
  return derived_name("u", binding.instance_id + std::string(1, '\0') + binding.id);
}

// What finds the instance, and nothing that a later version could find fault with: deleting must always be possible.
InstanceSpec only_place(const InstanceSpec& instance) {
  InstanceSpec bare = instance;
  bare.parameters = json::Object();
  if (const auto server = json::string_at(instance.parameters, kServerParameter)) {
    bare.parameters.as_object()[kServerParameter] = *server;
  }
  return bare;
}

}  // namespace

Result<std::unique_ptr<DatabaseService>> DatabaseService::open(DatabaseServiceOptions options,
                                                               std::unique_ptr<Engine> engine) {
  const bool can_run = engine->is_installed();
  if (!can_run && !options.existing) {
    return unavailable(fmt::format("{} needs the package {}, or the URL of an existing server", engine->offer().name,
                                   engine->package()));
  }
  std::unique_ptr<DatabaseService> service(
      new DatabaseService(std::move(options), std::move(engine)));  // the constructor is private
  if (!can_run) {
    std::erase_if(service->offer_.plans, [](const PlanOffer& plan) { return plan.shape != PlanShape::kShared; });
    return service;
  }
  FleetOptions fleet;
  fleet.directory = service->options_.directory;
  fleet.top = service->options_.top;
  CH_TRY_LET(opened, ServerFleet::open(std::move(fleet), service->engine_->program()));
  service->fleet_ = std::move(opened);
  return service;
}

DatabaseService::~DatabaseService() { stop(); }

void DatabaseService::stop() {
  if (fleet_) fleet_->stop();
}

json::Value DatabaseService::catalog() const { return json::Object{{"services", json::Array{catalog_entry(offer_)}}}; }

bool DatabaseService::is_async(Work work, const std::string& plan_id) const {
  const PlanOffer* plan = engine_->offer().plan(plan_id);
  return plan != nullptr && plan->has_own_server() && work != Work::kBind && work != Work::kUnbind;
}

json::Value DatabaseService::describe(const InstanceSpec& instance) const {
  const PlanOffer* plan = engine_->offer().plan(instance.plan_id);
  json::Object labels;
  if (plan == nullptr || plan->shape != PlanShape::kServer) labels["database"] = derived_name("d", instance.id);
  if (plan != nullptr && plan->has_own_server()) labels["server"] = server_name(instance.id);
  return json::Object{{"metadata", json::Object{{"labels", std::move(labels)}}}};
}

Result<DatabaseService::Seat> DatabaseService::seat(const InstanceSpec& instance) const {
  Seat seat;
  seat.plan = engine_->offer().plan(instance.plan_id);
  if (seat.plan == nullptr) return bad_request(fmt::format("the plan {} is not known here", quoted(instance.plan_id)));
  CH_TRY_LET(settings, read_parameters(seat.plan->parameters, instance.parameters));
  seat.tenant.settings = std::move(settings);
  seat.tenant.key = derived_name("", instance.id);
  for (const auto& row : seat.plan->parameters) {
    if (row.name == kConnectionsParameter && !seat.plan->has_own_server()) seat.tenant.max_connections = row.high;
  }
  switch (seat.plan->shape) {
    case PlanShape::kShared: {
      // An operator may name an existing server later, or another one, or none; who is somewhere stays there.
      const auto ours = fleet_ ? fleet_->record(std::string(kSharedServer)) : std::nullopt;
      CH_TRY_LET(noted, places_.find(seat.tenant.name('d')));
      if (noted) {
        seat.place = *noted;
      } else if (options_.existing && !(ours && ours->members.contains(seat.tenant.name('d')))) {
        seat.place = options_.existing->label();
      } else {
        seat.server = kSharedServer;
      }
      break;
    }
    case PlanShape::kServer:
      seat.tenant.is_whole_server = true;
      seat.tenant.is_alone = true;
      seat.server = server_name(instance.id);
      break;
    case PlanShape::kDatabaseAndServer:
      seat.tenant.is_alone = true;
      seat.server = server_name(instance.id);
      break;
    case PlanShape::kDatabaseOnServer:
      seat.server = server_name(choice(seat.tenant.settings, kServerParameter));
      break;
  }
  if (!seat.server.empty() && !fleet_) {
    return unavailable(
        fmt::format("the server of this instance cannot run here; install the package {}", engine_->package()));
  }
  return seat;
}

bool DatabaseService::is_there(const Seat& seat) const {
  if (seat.server.empty()) return true;
  const auto record = fleet_->record(seat.server);
  if (!record) return false;
  return seat.plan->has_own_server() || record->members.contains(seat.tenant.name('d'));
}

Result<ServerAddress> DatabaseService::reach(const Seat& seat) {
  if (seat.server.empty()) {
    if (options_.existing && options_.existing->is_called(seat.place)) return *options_.existing;
    return unavailable(fmt::format(
        "the database {0} is at {1}, but --{2}-admin-url names {3}; name that server again, or add moved-from={1} to "
        "the "
        "URL when it is the same server under another address (when it is gone for good, give the instance up: svcat "
        "deprovision NAME --abandon)",
        seat.tenant.name('d'), seat.place, offer_.name,
        options_.existing ? options_.existing->label() : std::string("no server now")));
  }
  CH_TRY_LET(record, fleet_->ready(seat.server));
  return admin_address(record);
}

// A server is found by id only within its own namespace; that somebody else's is there is not told.
Result<void> DatabaseService::check_server(const InstanceSpec& instance, const Seat& seat) const {
  if (seat.plan->shape != PlanShape::kDatabaseOnServer) return {};
  const auto record = fleet_->record(seat.server);
  if (record && record->takes_members && record->organization == instance.organization_guid &&
      record->space == instance.space_guid) {
    return {};
  }
  return refused(fmt::format(
      "parameters.{} names no server of this namespace; create an instance of type {}-server-only first and give its "
      "spec.externalID here",
      kServerParameter, offer_.name));
}

Result<void> DatabaseService::check_create(const InstanceSpec& instance) {
  CH_TRY_LET(found, seat(instance));
  CH_TRY(refuse_former_choices(found.plan->parameters, instance.parameters));
  return check_server(instance, found);
}

Result<void> DatabaseService::check_update(const InstanceSpec& before, const InstanceSpec& after) {
  if (before.plan_id != after.plan_id) {
    return refused("the plan of a database cannot be changed; create a new instance and copy the data");
  }
  CH_TRY_LET(old_seat, seat(before));
  CH_TRY_LET(new_seat, seat(after));
  if (before.parameters != after.parameters) {
    CH_TRY(refuse_former_choices(new_seat.plan->parameters, after.parameters));
  }
  for (const auto& row : new_seat.plan->parameters) {
    if (row.is_fixed && old_seat.tenant.settings.at(row.name) != new_seat.tenant.settings.at(row.name)) {
      return refused(fmt::format("parameters.{} cannot be changed; create a new instance and copy the data", row.name));
    }
  }
  return {};
}

Result<void> DatabaseService::check_binding(const InstanceSpec&, const BindingSpec& binding) {
  CH_TRY(read_parameters(offer_.binding, binding.parameters));
  return {};
}

Result<std::string> DatabaseService::create_instance(const InstanceSpec& instance, const Progress& progress) {
  CH_TRY_LET(found, seat(instance));
  CH_TRY(check_server(instance, found));
  if (found.plan->has_own_server()) {
    ServerRecord wish;
    wish.name = found.server;
    wish.organization = instance.organization_guid;
    wish.space = instance.space_guid;
    wish.takes_members = found.plan->shape == PlanShape::kServer;
    wish.settings = found.tenant.settings;
    CH_TRY(fleet_->ensure(std::move(wish), progress));
  } else if (!found.server.empty()) {
    if (found.plan->shape == PlanShape::kShared) {
      ServerRecord wish;
      wish.name = found.server;
      CH_TRY(fleet_->ensure(std::move(wish), progress));
    }
    CH_TRY(fleet_->add_member(found.server, found.tenant.name('d')));  // before it is made
  } else {
    CH_TRY(places_.note(found.tenant.name('d'), found.place));
  }
  CH_TRY_LET(server, reach(found));
  progress("making the database");
  CH_TRY(engine_->create_tenant(server, found.tenant));
  return fmt::format("ready at {}", server.label());
}

Result<std::string> DatabaseService::apply(const Seat& found, const Progress& progress) {
  if (found.plan->has_own_server()) {
    progress("changing the settings of the server");
    CH_TRY(fleet_->configure(found.server, found.tenant.settings));
  }
  CH_TRY_LET(server, reach(found));
  CH_TRY(engine_->create_tenant(server, found.tenant));
  return fmt::format("ready at {}", server.label());
}

Result<std::string> DatabaseService::update_instance(const InstanceSpec& before, const InstanceSpec& after,
                                                     const Progress& progress) {
  CH_TRY_LET(old_seat, seat(before));
  CH_TRY_LET(new_seat, seat(after));
  auto applied = apply(new_seat, progress);
  // What the settings were before worked; if even going back fails, the first error is the one to tell.
  if (!applied.ok()) (void)apply(old_seat, progress).ok();
  return applied;
}

Result<void> DatabaseService::delete_instance(const InstanceSpec& instance, const Progress& progress) {
  CH_TRY_LET(found, seat(only_place(instance)));
  if (!is_there(found)) return {};
  if (found.plan->has_own_server()) {
    progress("stopping and removing the server");
    return fleet_->remove(found.server);
  }
  CH_TRY_LET(server, reach(found));
  progress("removing the database");
  if (auto gone = engine_->drop_tenant(server, found.tenant); !gone.ok()) {
    Error error = std::move(gone).error();
    error.message =
        fmt::format("the database {} is still at {}: {}", found.tenant.name('d'), server.label(), error.message);
    return error;
  }
  if (found.server.empty()) return places_.forget(found.tenant.name('d'));
  return fleet_->remove_member(found.server, found.tenant.name('d'));  // after it is gone
}

Result<json::Value> DatabaseService::create_binding(const InstanceSpec& instance, const BindingSpec& binding,
                                                    const Progress&) {
  CH_TRY_LET(found, seat(instance));
  CH_TRY_LET(wanted, read_parameters(offer_.binding, binding.parameters));
  if (!is_there(found)) return unavailable("the database of this instance is gone; restore it from a backup");
  CH_TRY_LET(server, reach(found));
  // A repeated attempt gives the same login another password; only the last one is ever told.
  const Login login{login_name(binding), random_password(), choice(wanted, "user")};
  CH_TRY(engine_->create_login(server, found.tenant, login));
  json::Object credentials{{"type", offer_.name},          {"provider", "chandler"},     {"host", server.host},
                           {"port", int64_t{server.port}}, {"username", login.username}, {"password", login.password}};
  for (auto& [name, value] : engine_->credentials(server, found.tenant, login)) credentials[name] = value;
  json::Array endpoints{json::Object{{"host", server.host}, {"ports", json::Array{std::to_string(server.port)}}}};
  return json::Value(json::Object{{"credentials", std::move(credentials)}, {"endpoints", std::move(endpoints)}});
}

Result<void> DatabaseService::delete_binding(const InstanceSpec& instance, const BindingSpec& binding) {
  CH_TRY_LET(found, seat(only_place(instance)));
  if (!is_there(found)) return {};
  CH_TRY_LET(server, reach(found));
  CH_TRY(engine_->drop_login(server, found.tenant, login_name(binding)));
  const auto whole = seat(instance);  // with its settings, if they can still be read
  return whole.ok() ? engine_->share_connections(server, whole->tenant) : Result<void>();
}

}  // namespace chandler::brokers
