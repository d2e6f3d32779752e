// All webhooks at this moment, in the order in which they are asked: by name of the configuration, then as they stand
// in it. Readers take an immutable snapshot. Thread-safe.
#pragma once

#include <map>
#include <memory>
#include <string>
#include <string_view>
#include <vector>

#include "base/mutex.h"
#include "json/value.h"
#include "webhooks/hook.h"

namespace chandler::webhooks {

struct Hooks {
  std::vector<HookPtr> mutating;
  std::vector<HookPtr> validating;
  bool empty() const { return mutating.empty() && validating.empty(); }
};
using HooksPtr = std::shared_ptr<const Hooks>;

class HookTable {
 public:
  HookTable();
  HooksPtr current() const CH_EXCLUDES(mutex_);
  // A configuration of one of the two kinds, new or changed; those of other kinds are none of ours.
  void put(const json::Value& configuration) CH_EXCLUDES(mutex_);
  void remove(std::string_view kind, std::string_view name) CH_EXCLUDES(mutex_);

 private:
  using Configurations = std::map<std::string, std::vector<HookPtr>, std::less<>>;
  void rebuild() CH_REQUIRES(mutex_);

  mutable SharedMutex mutex_;
  Configurations mutating_ CH_GUARDED_BY(mutex_);
  Configurations validating_ CH_GUARDED_BY(mutex_);
  HooksPtr current_ CH_GUARDED_BY(mutex_);
};

}  // namespace chandler::webhooks
