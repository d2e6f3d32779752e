// Puts a label onto a workload and takes it off again, both as dry runs of the server and with the code that the
// controller uses, and looks whether what comes back is what was there. Belongs to one thread.
#pragma once

#include <functional>
#include <string>

#include "resolve/label_path.h"
#include "svcat/usagekinds/acceptance.h"

namespace chandler::svcat {

class RoundTrip {
 public:
  // All outlive it.
  RoundTrip(Catalog& catalog, const DiscoveredKind& kind, const resolve::LabelPath& path);

  // On a workload that is there.
  Result<void> try_existing(const std::string& ns, const std::string& name);
  // On one that would be created. `by_user`: the user has brought it along, so that a refusal is a failure; one of ours
  // that the server refuses proves nothing.
  Result<void> try_sample(const std::string& ns, json::Value sample, bool by_user);

  const Check& injecting() const { return injecting_; }
  const Check& removing() const { return removing_; }

 private:
  // Sends it as a dry run and gives what the server would store.
  using Send = std::function<Result<json::Value>(const json::Value& object)>;
  void travel(const json::Value& start, const std::string& on, const Send& send);
  void fail(std::string message);
  void not_tested(const std::string& message);

  Catalog& catalog_;
  const DiscoveredKind& kind_;
  const resolve::LabelPath& path_;
  Check injecting_;
  Check removing_;
};

}  // namespace chandler::svcat
