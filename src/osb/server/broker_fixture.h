// For the tests of this folder: a Service that works in memory, fails or waits when told, and a way to ask a
// BrokerServer without a network.
#pragma once

#include <stdlib.h>
#include <unistd.h>

#include <algorithm>
#include <filesystem>
#include <future>
#include <map>
#include <memory>
#include <set>
#include <string>

#include "base/check.h"
#include "base/mutex.h"
#include "base/text.h"
#include "json/reader.h"
#include "osb/server/broker_server.h"
#include "osb/server/service.h"

namespace chandler::osb::server {

class TempDirectory {
 public:
  // In memory where the system has such a place: these tests sync thousands of times.
  TempDirectory() : path_(std::string(::access("/dev/shm", W_OK) == 0 ? "/dev/shm" : "/tmp") + "/chandler-osb-XXXXXX") {
    CH_CHECK(::mkdtemp(path_.data()) != nullptr);
  }
  ~TempDirectory() {
    std::error_code ignored;
    std::filesystem::remove_all(path_, ignored);
  }
  TempDirectory(const TempDirectory&) = delete;
  TempDirectory& operator=(const TempDirectory&) = delete;
  const std::string& path() const { return path_; }

 private:
  std::string path_;
};

inline json::Value fake_catalog() {
  return json::parse(R"({"services": [{"id": "s", "name": "fake", "description": "d", "bindable": true,
    "instances_retrievable": true, "bindings_retrievable": true, "plan_updateable": true, "plans": [
      {"id": "sync", "name": "sync", "description": "d"},
      {"id": "async", "name": "async", "description": "d", "maintenance_info": {"version": "1.2.3"}}]}]})")
      .value();
}

// Works in memory. Thread-safe.
class FaultyService : public Service {
 public:
  json::Value catalog() const override { return fake_catalog(); }
  bool is_async(Work, const std::string& plan_id) const override { return plan_id == "async"; }

  Result<std::string> create_instance(const InstanceSpec& instance, const Progress& progress) override {
    progress("half done");
    CH_TRY(step("create"));
    MutexLock lock(mutex_);
    instances_.insert(instance.id);
    return std::string("created");
  }
  Result<std::string> update_instance(const InstanceSpec&, const InstanceSpec&, const Progress&) override {
    CH_TRY(step("update"));
    return std::string("updated");
  }
  Result<void> delete_instance(const InstanceSpec& instance, const Progress&) override {
    CH_TRY(step("delete"));
    MutexLock lock(mutex_);
    instances_.erase(instance.id);
    return {};
  }
  Result<json::Value> create_binding(const InstanceSpec&, const BindingSpec& binding, const Progress&) override {
    CH_TRY(step("bind"));
    MutexLock lock(mutex_);
    bindings_.insert(binding.id);
    return json::Value(json::Object{{"credentials", json::Object{{"password", "pw-" + binding.id}}}});
  }
  Result<void> delete_binding(const InstanceSpec&, const BindingSpec& binding) override {
    CH_TRY(step("unbind"));
    MutexLock lock(mutex_);
    bindings_.erase(binding.id);
    return {};
  }

  // The next `times` steps of that name fail.
  void fail(const std::string& name, int times, Error error) {
    MutexLock lock(mutex_);
    faults_[name] = {times, std::move(error)};
  }
  // Steps wait while it is closed.
  void close_door() {
    MutexLock lock(mutex_);
    closed_ = true;
  }
  void open_door() {
    MutexLock lock(mutex_);
    closed_ = false;
    wake_.notify_all();
  }
  void await_visitor() {
    MutexLock lock(mutex_);
    while (waiting_ == 0) wake_.wait(mutex_);
  }
  std::set<std::string> instances() const {
    MutexLock lock(mutex_);
    return instances_;
  }
  std::set<std::string> bindings() const {
    MutexLock lock(mutex_);
    return bindings_;
  }

 private:
  struct Fault {
    int times = 0;
    Error error;
  };
  Result<void> step(const std::string& name) {
    MutexLock lock(mutex_);
    ++waiting_;
    wake_.notify_all();
    while (closed_) wake_.wait(mutex_);
    --waiting_;
    auto& fault = faults_[name];
    if (fault.times-- > 0) return fault.error;
    return {};
  }

  mutable Mutex mutex_;
  CondVar wake_;
  bool closed_ CH_GUARDED_BY(mutex_) = false;
  int waiting_ CH_GUARDED_BY(mutex_) = 0;
  std::map<std::string, Fault> faults_ CH_GUARDED_BY(mutex_);
  std::set<std::string> instances_ CH_GUARDED_BY(mutex_);
  std::set<std::string> bindings_ CH_GUARDED_BY(mutex_);
};

struct Told {
  int status = 0;
  json::Value body;
  std::string text(std::string_view key) const { return json::string_or(body, key); }
};

// Asks without waiting.
inline std::future<Told> ask_later(BrokerServer& server, http::Method method, const std::string& target,
                                   const std::string& body = "") {
  class Keeper final : public http::Responder {
   public:
    ~Keeper() override {
      if (!sent_) promise.set_value({});
    }
    void send(http::Response response) override {
      sent_ = true;
      Told told{response.status, {}};
      auto parsed = json::parse(response.body);
      if (parsed.ok()) told.body = std::move(*parsed);
      promise.set_value(std::move(told));
    }
    std::promise<Told> promise;

   private:
    bool sent_ = false;
  };
  auto keeper = std::make_unique<Keeper>();
  auto future = keeper->promise.get_future();
  http::Request request;
  request.method = method;
  request.method_text = http::method_name(method);
  request.target = target;
  request.body = body;
  request.headers.add("X-Broker-API-Version", "2.17");
  server.handle(request, std::move(keeper));
  return future;
}

inline Told ask(BrokerServer& server, http::Method method, const std::string& target, const std::string& body = "") {
  return ask_later(server, method, target, body).get();
}

}  // namespace chandler::osb::server
