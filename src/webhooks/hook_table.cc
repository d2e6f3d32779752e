#include "webhooks/hook_table.h"

#include <utility>

namespace chandler::webhooks {
namespace {

constexpr std::string_view kMutating = "MutatingWebhookConfiguration";
constexpr std::string_view kValidating = "ValidatingWebhookConfiguration";

}  // namespace

HookTable::HookTable() : current_(std::make_shared<const Hooks>()) {}

HooksPtr HookTable::current() const {
  ReadLock lock(mutex_);
  return current_;
}

void HookTable::put(const json::Value& configuration) {
  const auto kind = json::string_or(configuration, "kind");
  if (kind != kMutating && kind != kValidating) return;
  const auto* metadata = json::find(configuration, "metadata");
  if (metadata == nullptr) return;
  auto hooks = read_hooks(configuration, kind == kMutating);
  WriteLock lock(mutex_);
  (kind == kMutating ? mutating_ : validating_)[json::string_or(*metadata, "name")] = std::move(hooks);
  rebuild();
}

void HookTable::remove(std::string_view kind, std::string_view name) {
  WriteLock lock(mutex_);
  auto& configurations = kind == kMutating ? mutating_ : validating_;
  if (const auto found = configurations.find(name); found != configurations.end()) configurations.erase(found);
  rebuild();
}

void HookTable::rebuild() {
  auto next = std::make_shared<Hooks>();
  for (const auto& [name, hooks] : mutating_) next->mutating.insert(next->mutating.end(), hooks.begin(), hooks.end());
  for (const auto& [name, hooks] : validating_) {
    next->validating.insert(next->validating.end(), hooks.begin(), hooks.end());
  }
  current_ = std::move(next);
}

}  // namespace chandler::webhooks
