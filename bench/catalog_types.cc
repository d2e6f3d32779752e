// What it costs to find the default plan of a service type, and to change it, in a catalog of many types: the code of
// the controllers over the server's own cache, without a disk or a network.
//   bench_catalog_types --plans N --types T [--milliseconds M]
// Each type has N/T plans, the first of which is its default. Prints:
//   resolve_us    to choose the plan of an instance that names a type only, mean, types in turn
//   change_us     the decisions about one type after another plan of it was marked as the default, until all is quiet
//   runs, writes  of these decisions, per change: how many plans were looked at again and written
#include <fmt/format.h>

#include <map>
#include <memory>
#include <string>
#include <utility>
#include <vector>

#include "auth/policy_store.h"
#include "base/metrics.h"
#include "client/local/local_api.h"
#include "controller/view.h"
#include "json/writer.h"
#include "reconcilers/catalog/views.h"
#include "reconcilers/instance/resolution.h"
#include "reconcilers/offers/default_plan_keeper.h"
#include "registry/cache.h"
#include "registry/kind_loader.h"
#include "storage/memory/memory_store.h"
#include "tool.h"

namespace chandler::bench {
namespace {

using controller::View;

std::string type_name(int64_t type) { return fmt::format("type-{}", type); }

// A server's state, as far as controllers read it.
class Catalog {
 public:
  Catalog() {
    auto loaded = registry::EmbeddedKinds::load();
    if (!loaded.ok()) fail(loaded.error().message);
    embedded_ = std::move(loaded).value();
    kinds_.put_all(embedded_->kinds());
    for (const auto& kind : embedded_->kinds()) {
      if (auto served = cache_.serve(*kind); !served.ok()) fail(served.error().message);
    }
    if (auto followed = cache_.follow(store_); !followed.ok()) fail(followed.error().message);
  }
  ~Catalog() { store_.stop(); }
  Catalog(const Catalog&) = delete;
  Catalog& operator=(const Catalog&) = delete;

  client::LocalState& state() { return state_; }
  client::LocalAccess& access() { return access_; }

  // Stores the object as it is. Who waits has waited for all that went before.
  void put(const client::KindName& name, const json::Value& object, bool wait = true) {
    const auto kind = kinds_.current()->find(name.group, name.plural);
    auto value = object;
    auto& metadata = value.at("metadata").as_object();
    metadata.erase("resourceVersion");
    storage::Write write;
    write.key = kind->key(json::string_or(value.at("metadata"), "namespace"), json::string_or(metadata, "name"));
    write.value = json::write(value);
    if (wait) {
      if (const auto done = store_.commit_and_wait(std::move(write)); !done.ok()) fail(done.error().message);
      return;
    }
    store_.commit(std::move(write), [](const Result<storage::WriteOutcome>& done) {
      if (!done.ok()) fail(done.error().message);
    });
  }

 private:
  std::unique_ptr<registry::EmbeddedKinds> embedded_;
  registry::KindTable kinds_;
  metrics::Registry metrics_;
  storage::MemoryStore store_;
  registry::Cache cache_{nullptr, metrics_};
  auth::PolicyStore policy_;
  client::LocalState state_{kinds_, cache_, policy_, {}};
  client::LocalAccess access_{policy_, {}};
};

json::Value offer(std::string_view kind, const std::string& name, json::Object spec) {
  json::Object metadata{{"name", name}, {"uid", "uid-" + name}};
  spec["clusterServiceBrokerName"] = "bench";
  spec["externalName"] = name;
  spec["externalID"] = name;
  spec["description"] = "An offer of the size that brokers make";
  return json::Object{{"apiVersion", "servicecatalog.k8s.io/v1beta1"},
                      {"kind", kind},
                      {"metadata", std::move(metadata)},
                      {"spec", std::move(spec)}};
}

class Types {
 public:
  explicit Types(const Args& args)
      : types_(args.number("types")),
        each_(args.number("plans") / types_),
        milliseconds_(args.number("milliseconds", 1000)) {
    for (int64_t type = 0; type < types_; ++type) {
      json::Object spec{{"serviceType", type_name(type)}};
      catalog_.put(reconcilers::kClusterClasses, offer("ClusterServiceClass", fmt::format("class-{}", type), spec),
                   false);
      spec["clusterServiceClassRef"] = json::Object{{"name", fmt::format("class-{}", type)}};
      spec["free"] = true;
      for (int64_t i = 0; i < each_; ++i) {
        auto plan = offer("ClusterServicePlan", plan_name(type, i), spec);
        if (i == 0) {
          mark(plan);
          plan.as_object()["status"] = json::Object{{"acknowledgedDefaultFor", type_name(type)}};
        }
        // The queue of the store is bounded.
        catalog_.put(reconcilers::kClusterPlans, plan, i + 1 == each_);
      }
    }
    json::Object wish{{"apiVersion", "servicecatalog.k8s.io/v1beta1"},
                      {"kind", "ServiceInstance"},
                      {"metadata", json::Object{{"name", "wish"}, {"namespace", "default"}, {"uid", "uid-wish"}}}};
    for (int64_t type = 0; type < types_; ++type) {
      wish["spec"] = json::Object{{"serviceType", type_name(type)}};
      const auto document = registry::Document::from_stored(json::write(json::Value(wish)), 1, {});
      if (!document.ok()) fail(document.error().message);
      wishes_.emplace_back(*document);
    }
  }

  void run() {
    const int64_t resolved = in_turn([this](int64_t type) { resolve(type); });
    const double resolve_seconds = std::exchange(deciding_, 0);
    const int64_t changed = in_turn([this](int64_t type) { change_default(type); });
    const auto per_change = [&](auto sum) { return static_cast<double>(sum) / static_cast<double>(changed); };
    fmt::print("resolve_us={:.2f} change_us={:.2f} runs={:.2f} writes={:.2f}\n",
               resolve_seconds * 1e6 / static_cast<double>(resolved), per_change(deciding_ * 1e6), per_change(runs_),
               per_change(writes_));
  }

 private:
  static std::string plan_name(int64_t type, int64_t number) { return fmt::format("plan-{}-{}", type, number); }
  static void mark(json::Value& plan) {
    auto& metadata = plan.at("metadata").as_object();
    metadata["annotations"] = json::Object{{"servicecatalog.kubernetes.io/is-default-plan", "true"}};
  }

  // Calls `work` with the types in turn for a while; how often.
  template <typename Work>
  int64_t in_turn(const Work& work) const {
    const auto end = Clock::now() + std::chrono::milliseconds(milliseconds_);
    int64_t count = 0;
    // A stride that is prime to the number of types, so that neighbours in memory are not asked for one after another.
    for (; count == 0 || Clock::now() < end; ++count) work(count * 7919 % types_);
    return count;
  }

  void resolve(int64_t type) {
    const auto begin = Clock::now();
    View view(catalog_.state(), catalog_.access(), WallTime{}, nullptr);
    const reconcilers::InstanceView instance{client::Object(wishes_[static_cast<size_t>(type)])};
    const auto found = reconcilers::resolve_instance(instance, settings_, view);
    deciding_ += seconds_between(begin, Clock::now());
    if (!found.ok()) fail(found.error().message);
    if (found->plan.service_type() != type_name(type)) fail("a plan of another type was chosen");
  }

  // Marks the next plan of the type and lets everybody who is concerned decide until nobody writes any more.
  void change_default(int64_t type) {
    const auto next = plan_name(type, ++turns_[type] % each_);
    auto plan = catalog_.state().get(reconcilers::kClusterPlans, "", next).value();
    mark(plan);
    catalog_.put(reconcilers::kClusterPlans, plan);
    if (each_ < 2) return;
    const auto last = plan_name(type, (turns_[type] - 1) % each_);
    // As the engine does: those run whose object has changed, and those that have read a list with a changed object.
    // Only plans that are marked read the list of their type.
    for (bool quiet = false; !quiet;) {
      quiet = true;
      for (const auto& name : {next, last}) {
        const auto begin = Clock::now();
        const auto object = catalog_.state().get(reconcilers::kClusterPlans, "", name);
        View view(catalog_.state(), catalog_.access(), WallTime{}, nullptr);
        const auto step = keeper_.reconcile(reconcilers::kClusterPlans, object, view);
        deciding_ += seconds_between(begin, Clock::now());
        ++runs_;
        for (const auto& stage : step.stages) {
          for (const auto& write : stage) {
            if (write.name != name) fail("a plan writes another");
            catalog_.put(write.kind, write.object);
            ++writes_;
            quiet = false;
          }
        }
      }
    }
    const auto now = catalog_.state().get(reconcilers::kClusterPlans, "", next);
    if (reconcilers::PlanView(reconcilers::Scope::kCluster, now).acknowledged_default_for() != type_name(type)) {
      fail("the new default was not acknowledged");
    }
  }

  const int64_t types_;
  const int64_t each_;
  const int64_t milliseconds_;
  Catalog catalog_;
  reconcilers::Settings settings_;
  reconcilers::DefaultPlanKeeper keeper_{settings_};
  std::vector<registry::DocumentPtr> wishes_;
  std::map<int64_t, int64_t> turns_;
  double deciding_ = 0;  // seconds
  int64_t runs_ = 0;
  int64_t writes_ = 0;
};

}  // namespace
}  // namespace chandler::bench

int main(int argc, char** argv) {
  chandler::bench::Types(chandler::bench::Args(argc, argv)).run();
  return 0;
}
