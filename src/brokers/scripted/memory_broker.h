// A correct broker that keeps everything in memory and does nothing real: what the scripted broker does when no rule
// says otherwise. Asynchronous operations end after a number of polls, so tests need no clock. State is split over many
// locks by instance id, so requests of different instances do not wait for each other. Thread-safe, never blocks.
#pragma once

#include <array>
#include <atomic>
#include <cstdint>
#include <deque>
#include <map>
#include <optional>
#include <string>

#include "base/mutex.h"
#include "base/text_hash.h"
#include "brokers/scripted/rules.h"
#include "http/message.h"
#include "osb/server/catalog.h"
#include "osb/server/request.h"
#include "osb/server/state.h"

namespace chandler::brokers {

// Whether a plan works asynchronously, from its metadata: "scripted": {"async": true, "polls": 2}.
std::optional<AsyncScript> async_of(const osb::server::Plan& plan, osb::server::Work work);

class MemoryBroker {
 public:
  // The request passed gate, target and body. `script` makes the operation asynchronous whatever the plan says.
  http::Response answer(const osb::server::BrokerRequest& request, const osb::server::Catalog& catalog,
                        const osb::server::ParameterCheck& check, const std::optional<AsyncScript>& script);

  std::string plan_of(const std::string& instance_id) const;  // "" when there is none
  json::Value ledger() const;                                 // what a platform has left here
  void clear();

 private:
  struct Operation {
    std::string id;
    osb::server::Work work = osb::server::Work::kCreate;
    int64_t polled = 0;
    AsyncScript script;
    std::optional<osb::server::InstanceSpec> target;
    bool is_running = true;
  };
  struct Binding {
    osb::server::BindingSpec spec;
    osb::server::Phase phase = osb::server::Phase::kReady;
    std::optional<Operation> operation;  // the last
  };
  struct Instance {
    osb::server::InstanceSpec spec;
    osb::server::Phase phase = osb::server::Phase::kReady;
    std::optional<Operation> operation;
    std::map<std::string, Binding> bindings;
  };
  struct Shard {
    mutable Mutex mutex;
    StableTextMap<Instance> instances CH_GUARDED_BY(mutex);
    // How operations ended whose object is gone, for late polls; the oldest are forgotten.
    StableTextMap<Operation> finished CH_GUARDED_BY(mutex);
    std::deque<std::string> finished_order CH_GUARDED_BY(mutex);
  };
  struct Context {
    const osb::server::BrokerRequest& request;
    const osb::server::Catalog& catalog;
    const osb::server::ParameterCheck& check;
    const osb::server::Plan* plan;      // that the request names
    std::optional<AsyncScript> script;  // set: the operation is asynchronous
  };

  Shard& shard_of(const std::string& instance_id) const;
  http::Response provision(Shard& shard, Context& context) CH_REQUIRES(shard.mutex);
  http::Response update(Shard& shard, Context& context) CH_REQUIRES(shard.mutex);
  http::Response deprovision(Shard& shard, Context& context) CH_REQUIRES(shard.mutex);
  http::Response bind(Shard& shard, Context& context) CH_REQUIRES(shard.mutex);
  http::Response unbind(Shard& shard, Context& context) CH_REQUIRES(shard.mutex);
  http::Response read(Shard& shard, const Context& context) CH_REQUIRES(shard.mutex);
  http::Response poll(Shard& shard, const Context& context) CH_REQUIRES(shard.mutex);
  void conclude(Shard& shard, const std::string& instance_id, const std::string& binding_id, Operation operation)
      CH_REQUIRES(shard.mutex);
  static json::Value instance_entry(const osb::server::InstanceSpec& spec);
  Operation begin(osb::server::Work work, const AsyncScript& script);

  static constexpr size_t kShards = 64;
  mutable std::array<Shard, kShards> shards_;
  std::atomic<uint64_t> counter_{0};
};

}  // namespace chandler::brokers
