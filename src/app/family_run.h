// Runs a family of controllers over an API: an engine with its thread. Started and stopped by its owner, from one
// thread.
#pragma once

#include <memory>

#include "app/family.h"
#include "controller/call_sender.h"

namespace chandler::app {

class FamilyRun {
 public:
  // All but the family outlive it. Calls that are under way when it stops end with the sender.
  FamilyRun(Family family, client::Api& api, controller::CallSender& sender, const Clock& clock,
            metrics::Registry& metrics);
  ~FamilyRun();  // stop()
  FamilyRun(const FamilyRun&) = delete;
  FamilyRun& operator=(const FamilyRun&) = delete;

  const Family& family() const { return family_; }
  Result<void> start();  // needs the API to be filled
  // Calls under way are abandoned: their intent is stored, and they are repeated after the next start.
  void stop();

 private:
  struct Parts;
  const Family family_;
  client::Api& api_;
  controller::CallSender& sender_;
  const Clock& clock_;
  metrics::Registry& metrics_;
  std::unique_ptr<Parts> parts_;
};

}  // namespace chandler::app
