// What stands behind the broker side of the Open Service Broker API: one kind of real thing (databases, queues, files).
// A Service does the work; protocol, idempotency, durable state, asynchrony and restarts are BrokerServer's business.
//
// Its functions block and run on worker threads, several at a time but never two for the same instance or binding.
// After a crash the last one is simply run again, so each must be repeatable: creating what is there, and deleting what
// is gone, succeeds. A failure is told as an Error: bad_request becomes 400, Reason::kInvalid 422, the rest 500; the
// message is shown to users and holds no secret.
#pragma once

#include <functional>
#include <string>
#include <string_view>

#include "base/result.h"
#include "json/value.h"

namespace chandler::osb::server {

enum class Work { kCreate, kUpdate, kDelete, kBind, kUnbind };
std::string_view work_name(Work work);  // "create", "update", "delete", "bind", "unbind"

struct InstanceSpec {
  std::string id;
  std::string service_id;
  std::string plan_id;
  std::string organization_guid;
  std::string space_guid;
  json::Value parameters = json::Object();  // always an object
  std::string maintenance_version;          // "" when the plan has none
};

struct BindingSpec {
  std::string instance_id;
  std::string id;
  std::string service_id;
  std::string plan_id;
  json::Value parameters = json::Object();  // always an object
  json::Value bind_resource;                // object or null
  std::string predecessor_id;               // set: takes over from that binding, which stays valid
};

// Tells users of a poll how far an operation is. Thread-safe, cheap.
using Progress = std::function<void(std::string)>;

class Service {
 public:
  virtual ~Service() = default;

  // The complete answer to GET /v2/catalog. Asked once.
  virtual json::Value catalog() const = 0;
  // Whether the work is done behind a 202. Pure.
  virtual bool is_async(Work work, const std::string& plan_id) const = 0;
  // Members for the answers about a ready instance: dashboard_url, metadata. Pure; an object.
  virtual json::Value describe(const InstanceSpec&) const { return json::Object(); }

  // Asked before anything is promised; changes nothing.
  virtual Result<void> check_create(const InstanceSpec&) { return {}; }
  virtual Result<void> check_update(const InstanceSpec& /*before*/, const InstanceSpec& /*after*/) { return {}; }
  virtual Result<void> check_binding(const InstanceSpec&, const BindingSpec&) { return {}; }

  // Each text is what a poll says at the end ("" for nothing), for example how much is used.
  virtual Result<std::string> create_instance(const InstanceSpec& instance, const Progress& progress) = 0;
  // A failure leaves the instance as it was.
  virtual Result<std::string> update_instance(const InstanceSpec& before, const InstanceSpec& after,
                                              const Progress& progress) = 0;
  // Everything of it, bindings too: they are deleted before, but that may have failed.
  virtual Result<void> delete_instance(const InstanceSpec& instance, const Progress& progress) = 0;
  // The members of the answer: credentials, endpoints, metadata, ...
  virtual Result<json::Value> create_binding(const InstanceSpec& instance, const BindingSpec& binding,
                                             const Progress& progress) = 0;
  virtual Result<void> delete_binding(const InstanceSpec& instance, const BindingSpec& binding) = 0;
};

}  // namespace chandler::osb::server
