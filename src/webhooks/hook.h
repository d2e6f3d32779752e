// One webhook of a MutatingWebhookConfiguration or ValidatingWebhookConfiguration, read once when the configuration
// changes. Immutable, shared by all threads.
#pragma once

#include <chrono>
#include <cstdint>
#include <memory>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "admission/match_condition.h"
#include "base/result.h"
#include "http/client.h"
#include "json/value.h"
#include "meta/selector.h"

namespace chandler::webhooks {

inline constexpr std::string_view kGroup = "admissionregistration.k8s.io";

struct HookRule {
  std::vector<std::string> operations;
  std::vector<std::string> groups;
  std::vector<std::string> versions;
  std::vector<std::string> resources;  // with their parts: "pods/status"
  std::string scope;
};

// A Service that leads to the webhook.
struct HookService {
  std::string ns;
  std::string name;
  std::string path;
  int64_t port = 443;
};

struct HookCondition {
  std::string name;
  admission::MatchConditionPtr condition;
};

struct Hook {
  std::string name;
  bool mutating = false;
  std::vector<HookRule> rules;
  meta::LabelSelector namespaces;
  meta::LabelSelector objects;
  std::vector<HookCondition> conditions;  // all have to hold
  bool exact = false;                     // goes by the version of the request alone
  bool fails_open = false;                // a call that fails does not refuse the write
  bool reinvoked = false;                 // asked again when a later webhook has changed the object
  bool dry_run_safe = false;              // has no effects on a dry run
  std::chrono::seconds timeout{10};
  std::string url;  // one of these two
  std::optional<HookService> service;
  std::shared_ptr<const http::ClientTls> tls;
  std::string unusable;  // why it cannot be called at all; empty: it can

  std::string_view type() const { return mutating ? "admit" : "validating"; }
};
using HookPtr = std::shared_ptr<const Hook>;

// The webhooks of a configuration, in its order. What was stored before a rule of ours existed is read leniently: a
// webhook that cannot be called says why when it is needed.
std::vector<HookPtr> read_hooks(const json::Value& configuration, bool mutating);

}  // namespace chandler::webhooks
