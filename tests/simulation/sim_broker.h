// A broker in memory that follows the Open Service Broker API to the letter, with a ledger of what it has made. It
// answers at once; what goes wrong on the way is SimNetwork's business.
#pragma once

#include <map>
#include <optional>
#include <string>
#include <vector>

#include "base/clock.h"
#include "http/client.h"
#include "osb/call.h"
#include "simulation/random.h"

namespace chandler::simulation {

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
  void set_fails(bool fails) { may_fail_ = fails; }  // asynchronous operations end badly at times

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
  std::vector<std::string> violations_;
  int last_operation_ = 0;
  int last_password_ = 0;
};

}  // namespace chandler::simulation
