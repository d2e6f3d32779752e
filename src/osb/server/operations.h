// The broker's decisions: what a request means for what is stored, which work is begun, who waits for it, and what is
// remembered of it. Intent is stored before work begins; work found as running without anybody at it (after a restart,
// or when storing its end failed) is simply done again.
//
// Single-threaded: everything runs on the broker's lane. Work itself runs on workers, which report back to the lane.
#pragma once

#include <chrono>
#include <deque>
#include <functional>
#include <map>
#include <memory>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "base/clock.h"
#include "base/mutex.h"
#include "base/result.h"
#include "osb/server/catalog.h"
#include "osb/server/reply.h"
#include "osb/server/request.h"
#include "osb/server/service.h"
#include "osb/server/state.h"
#include "osb/server/task.h"

namespace chandler::osb::server {

struct OperationsOptions {
  ParameterCheck check;
  size_t workers = 4;
  size_t max_running = 10'000;          // operations under way; more are refused with 429
  std::chrono::seconds remember{3600};  // how long polls are told how an operation ended
};

class Operations {
 public:
  using Run = std::function<bool(std::function<void()>)>;  // false: stopping, it will not run

  // `service` and `catalog` outlive this.
  Operations(Service& service, const Catalog& catalog, State state, OperationsOptions options, const Clock& clock,
             Run on_worker, Run on_lane);

  Result<void> resume();  // begins again what was under way
  // A request that passed the gate, read_target, read_body and check_ids. The caller is answered now or later.
  void handle(const BrokerRequest& request, Caller caller);

 private:
  // What a worker last said; the one thing shared with it.
  struct ProgressText {
    Mutex mutex;
    std::string text CH_GUARDED_BY(mutex);
  };
  struct Job {
    OperationRecord operation;
    InstanceRecord instance;  // as before the work
    BindingRecord binding;
    std::vector<BindingRecord> leftovers;
    std::vector<Caller> waiting;
    bool is_accepted = false;  // those who asked were told 202
    std::shared_ptr<ProgressText> progress = std::make_shared<ProgressText>();
  };
  // nullopt: the caller waits.
  using Reply = Result<std::optional<http::Response>>;

  Reply answer(const BrokerRequest& request, Caller& caller);
  Reply provision(const BrokerRequest& request, Caller& caller);
  Reply update(const BrokerRequest& request, Caller& caller);
  Reply deprovision(const BrokerRequest& request, Caller& caller);
  Reply bind(const BrokerRequest& request, Caller& caller);
  Reply unbind(const BrokerRequest& request, Caller& caller);
  Reply get_instance(const BrokerRequest& request);
  Reply get_binding(const BrokerRequest& request);
  Reply poll(const BrokerRequest& request);

  // Stores the intent and begins.
  Reply start(StateChange intent, Job job, Caller& caller);
  // Waits for, or points to, what is under way.
  Reply join(const OperationRecord& operation, Caller& caller);
  Result<Job*> job_of(const OperationRecord& operation);
  void launch(Job& job);
  void launch_waiting();
  void accept(const std::string& operation_id);
  void finish(const std::string& operation_id, TaskOutcome outcome);
  StateChange settle(const Job& job, const TaskOutcome& outcome) const;
  void tell_waiting(Job& job, const TaskOutcome& outcome);
  json::Value instance_body(const InstanceSpec& spec) const;
  int64_t now() const;

  Service& service_;
  const Catalog& catalog_;
  State state_;
  const OperationsOptions options_;
  const Clock& clock_;
  const Run on_worker_;
  const Run on_lane_;
  std::map<std::string, Job> jobs_;  // by operation id
  std::deque<std::string> backlog_;  // operation ids for which no worker was free
  size_t busy_ = 0;                  // workers
};

}  // namespace chandler::osb::server
