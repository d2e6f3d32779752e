#include "app/family_run.h"

#include <string>
#include <utility>

#include "controller/engine_thread.h"

namespace chandler::app {
namespace {

controller::EngineOptions options_for(const Family& family) {
  controller::EngineOptions options;
  options.component = std::string(family.component.empty() ? family.account : family.component);
  return options;
}

}  // namespace

// In the order in which they depend on each other; destroyed from the last to the first.
struct FamilyRun::Parts {
  controller::Engine engine;
  controller::EngineThread thread;
  std::shared_ptr<void> companion;

  explicit Parts(FamilyRun& run)
      : engine(run.api_, run.family_.calls != nullptr ? *run.family_.calls : run.sender_, run.clock_, run.metrics_,
               options_for(run.family_)),
        thread(engine, run.clock_, std::string(run.family_.duty)) {}
};

FamilyRun::FamilyRun(Family family, client::Api& api, controller::CallSender& sender, const Clock& clock,
                     metrics::Registry& metrics)
    : family_(std::move(family)), api_(api), sender_(sender), clock_(clock), metrics_(metrics) {}

FamilyRun::~FamilyRun() { stop(); }

Result<void> FamilyRun::start() {
  parts_ = std::make_unique<Parts>(*this);
  CH_TRY(family_.furnish(api_, parts_->engine));
  if (family_.accompany) parts_->companion = family_.accompany(api_, metrics_, clock_);
  parts_->engine.start();
  parts_->thread.start();
  return {};
}

void FamilyRun::stop() {
  if (parts_ == nullptr) return;
  parts_->thread.stop();
  parts_.reset();
}

}  // namespace chandler::app
