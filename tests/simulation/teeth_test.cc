// The simulation finds what it is there for: each of these reconcilers lacks one safeguard of the real ones, and a
// story with a bad end turns up within a thousand seeds.
#include <map>

#include <gtest/gtest.h>

#include "base/check.h"
#include "base/time_text.h"
#include "json/writer.h"
#include "reconcilers/catalog/conditions.h"
#include "reconcilers/catalog/document.h"
#include "reconcilers/catalog/kinds.h"
#include "reconcilers/catalog/operation.h"
#include "simulation/catalog_run.h"

namespace chandler::simulation {
namespace {

using controller::Step;
using reconcilers::member;
using reconcilers::status_of;
using reconcilers::text_at;
using reconcilers::true_at;

constexpr uint64_t kSeeds = 1'000;

// Does what the real one does, with something amiss.
class Saboteur : public controller::Reconciler {
 public:
  explicit Saboteur(std::unique_ptr<controller::Reconciler> real) : real_(std::move(real)) {}
  std::string_view name() const override { return real_->name(); }
  std::vector<client::KindName> kinds() const override { return real_->kinds(); }
  std::vector<client::KindName> reads() const override { return real_->reads(); }

 protected:
  const controller::Reconciler& real() const { return *real_; }

 private:
  const std::unique_ptr<controller::Reconciler> real_;
};

// Calls the broker before the intent is durable: what it is about to ask for stands in memory only, and in status
// together with the answer.
class WithoutIntent final : public Saboteur {
 public:
  using Saboteur::Saboteur;

  Step reconcile(const client::KindName& kind, const client::Object& object, controller::View& view) const override {
    auto& kept = memory_[std::string(object.uid())];
    if (!json::equal(kept.stored, status_of(object))) kept = {status_of(object), status_of(object)};
    for (int steps = 0; steps < 10; ++steps) {
      const auto shown = with_status(object, kept.intended);
      auto step = real().reconcile(kind, shown, view);
      if (!is_intent(step, shown)) return step;
      kept.intended = member(step.stages[0][0].object, "status");
    }
    return Step::done();
  }

 private:
  // The status that begins to make something, and nothing else.
  static bool is_intent(const Step& step, const client::Object& before) {
    if (step.stages.size() != 1 || step.stages[0].size() != 1) return false;
    const auto& write = step.stages[0][0];
    if (write.verb != client::Write::Verb::kUpdateStatus) return false;
    const auto& status = member(write.object, "status");
    const auto operation = text_at(status, "currentOperation");
    return (operation == "Provision" || operation == "Bind") && !true_at(status, "orphanMitigationInProgress") &&
           text_at(status, "operationStartTime") != text_at(status_of(before), "operationStartTime");
  }
  static client::Object with_status(const client::Object& object, const json::Value& status) {
    auto value = object.document().parse();
    if (!status.is_null()) value.as_object()["status"] = status;
    value.at("metadata").as_object().erase("resourceVersion");
    auto document = registry::Document::from_stored(json::write(value), object.revision(), {});
    CH_CHECK(document.ok());
    return client::Object(*std::move(document));
  }

  struct Kept {
    json::Value stored;
    json::Value intended;
  };
  mutable std::map<std::string, Kept> memory_;  // by uid; lost in a crash
};

// Where something may be left at the broker, it acts as if nothing was: the next attempt begins anew.
class WithoutCleanUp final : public Saboteur {
 public:
  using Saboteur::Saboteur;

  Step reconcile(const client::KindName& kind, const client::Object& object, controller::View& view) const override {
    auto step = real().reconcile(kind, object, view);
    for (auto& stage : step.stages) {
      for (auto& write : stage) {
        // Only what a request may have left: a user can make a clean-up necessary too.
        if (view.outcome() == nullptr || true_at(status_of(object), "orphanMitigationInProgress") ||
            !true_at(member(write.object, "status"), "orphanMitigationInProgress"))
          continue;
        auto& status = write.object.at("status").as_object();
        reconcilers::end_operation(status);
        for (const std::string_view gone : {"orphanMitigationInProgress", "externalProperties", "bindingID"})
          status.erase(gone);
        status[kind == reconcilers::kBindings ? "unbindStatus" : "deprovisionStatus"] = "NotRequired";
        reconcilers::remove_condition(status, reconcilers::kOrphanMitigation);
        reconcilers::object_in(status, "retry")["nextAttemptTime"] =
            reconcilers::text(rfc3339_micro(view.now() + std::chrono::seconds(30)));
      }
    }
    return step;
  }
};

// One deletion is enough for it, whatever became of the request before.
class WithoutSecondRemoval final : public Saboteur {
 public:
  using Saboteur::Saboteur;

  Step reconcile(const client::KindName& kind, const client::Object& object, controller::View& view) const override {
    auto step = real().reconcile(kind, object, view);
    for (auto& stage : step.stages) {
      for (auto& write : stage) {
        if (auto* status = write.object.is_object() ? write.object.get_object().if_contains("status") : nullptr;
            status != nullptr && status->is_object())
          status->get_object().erase("lateRequestUntil");
      }
    }
    return step;
  }
};

// A binding says that it is ready, and then its secret is written.
class StatusBeforeSecret final : public Saboteur {
 public:
  using Saboteur::Saboteur;

  Step reconcile(const client::KindName& kind, const client::Object& object, controller::View& view) const override {
    auto step = real().reconcile(kind, object, view);
    if (kind == reconcilers::kBindings && step.stages.size() == 2) std::swap(step.stages[0], step.stages[1]);
    return step;
  }
};

template <typename Sabotage>
std::unique_ptr<controller::Reconciler> wrap(std::unique_ptr<controller::Reconciler> real) {
  if (real->name() != "instance" && real->name() != "binding") return real;
  return std::make_unique<Sabotage>(std::move(real));
}

// As long as nothing goes wrong, nobody misses a safeguard: so it is the faults that bring its lack to light.
template <typename Sabotage>
void expect_good_end_without_faults() {
  for (uint64_t seed = 1; seed <= 10; ++seed) {
    CatalogRun run(seed, FaultRates{0, 0, 0}, wrap<Sabotage>);
    for (const auto& [url, broker] : run.world.network.brokers()) broker->set_fails(false);
    ASSERT_EQ(run.play(), "") << "seed " << seed << "\n" << run.world.trace.tail();
  }
}

template <typename Sabotage>
void expect_bad_end() {
  for (uint64_t seed = 1; seed <= kSeeds; ++seed) {
    CatalogRun run(seed, FaultRates{}, wrap<Sabotage>);
    if (const auto found = run.play(); !found.empty()) {
      std::cout << "found by seed " << seed << ": " << found.substr(0, found.find(':')) << "\n";
      return;
    }
  }
  FAIL() << "nothing was noticed in " << kSeeds << " seeds";
}

TEST(SimulationTeeth, ACallBeforeItsIntentIsFound) {
  expect_good_end_without_faults<WithoutIntent>();
  expect_bad_end<WithoutIntent>();
}

TEST(SimulationTeeth, AMissingCleanUpIsFound) {
  expect_good_end_without_faults<WithoutCleanUp>();
  expect_bad_end<WithoutCleanUp>();
}

TEST(SimulationTeeth, ASingleRemovalIsFound) {
  expect_good_end_without_faults<WithoutSecondRemoval>();
  expect_bad_end<WithoutSecondRemoval>();
}

TEST(SimulationTeeth, AStatusBeforeItsSecretIsFound) { expect_bad_end<StatusBeforeSecret>(); }

}  // namespace
}  // namespace chandler::simulation
