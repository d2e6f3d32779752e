// A broker in memory that follows the Open Service Broker API to the letter, with a ledger of what it has made. It
// answers at once; what goes wrong on the way is SimNetwork's business.
#pragma once

#include <map>
#include <optional>
#include <set>
#include <string>
#include <string_view>
#include <vector>

#include "base/clock.h"
#include "http/client.h"
#include "osb/call.h"
#include "simulation/random.h"

namespace chandler::simulation {

// Begins every value that only brokers, secrets and bodies of requests may hold.
inline constexpr std::string_view kSecretMark = "hush-";

struct SimOperation {
  enum class Type { kCreate, kUpdate, kDelete };
  Type type = Type::kCreate;
  std::string id;
  WallTime ends;  // whether anybody asks or not
  bool fails = false;
  json::Value update;  // what it becomes
};

struct SimBinding {
  std::string service;
  std::string plan;
  json::Value parameters;
  json::Value credentials;
  bool is_ready = false;
  bool has_failed = false;  // was never made
  std::optional<SimOperation> operation;
  bool last_failed = false;  // the last operation that ended
};

struct SimInstance {
  std::string service;
  std::string plan;
  json::Value parameters;
  std::string owner;  // namespace and name of the object, as the context tells
  bool is_ready = false;
  bool has_failed = false;  // was never made
  bool is_busy = false;     // a request that its sender has given up is still worked on
  std::optional<SimOperation> operation;
  bool last_failed = false;  // the last operation that ended
  std::map<std::string, SimBinding> bindings;
};

class SimBroker {
 public:
  SimBroker(std::string name, const Clock& clock, Random& random)
      : name_(std::move(name)), clock_(clock), random_(random) {}

  http::ClientResponse handle(const osb::Call& call);
  void set_fails(bool fails) { may_fail_ = fails; }  // asynchronous operations end badly or late at times

  // What is in the catalog changes: a plan, by its ID, or a whole service. Nothing new is made of what is withdrawn.
  void withdraw(const std::string& id) { withdrawn_.insert(id); }
  void bring_back(const std::string& id) { withdrawn_.erase(id); }
  bool is_withdrawn(const std::string& id) const { return withdrawn_.contains(id); }
  // Given up by the platform, on record: may stay.
  void abandon(const std::string& id) { abandoned_.insert(id); }
  void reclaim(const std::string& id) { abandoned_.erase(id); }
  bool is_abandoned(const std::string& id) const { return abandoned_.contains(id); }

  const std::string& name() const { return name_; }
  // As it is now.
  std::map<std::string, SimInstance>& ledger() {
    finish_operations();
    return instances_;
  }
  // What no platform may do, one line each.
  const std::vector<std::string>& violations() const { return violations_; }

 private:
  void finish_operations();                   // whose time has come
  static bool finish(SimInstance& instance);  // false: it is gone
  static bool finish(SimBinding& binding);
  http::ClientResponse catalog() const;
  json::Value plan(const std::string& service, std::string_view name) const;
  bool is_offered(const std::string& service, const std::string& plan) const;
  void note_owner(SimInstance& made, const osb::Call& call);
  http::ClientResponse provision(const osb::Call& call);
  http::ClientResponse update(const osb::Call& call);
  http::ClientResponse deprovision(const osb::Call& call);
  http::ClientResponse bind(const osb::Call& call);
  http::ClientResponse unbind(const osb::Call& call);
  http::ClientResponse poll_instance(const osb::Call& call);
  http::ClientResponse poll_binding(const osb::Call& call);
  http::ClientResponse get_instance(const osb::Call& call) const;
  http::ClientResponse get_binding(const osb::Call& call) const;
  bool is_async(const std::string& service) const;
  SimOperation begin(SimOperation::Type type, json::Value update = nullptr);

  const std::string name_;
  const Clock& clock_;
  Random& random_;
  bool may_fail_ = true;
  std::map<std::string, SimInstance> instances_;
  std::set<std::string> withdrawn_;
  std::set<std::string> abandoned_;  // instances and bindings
  std::vector<std::string> violations_;
  int last_operation_ = 0;
  int last_password_ = 0;
};

}  // namespace chandler::simulation
